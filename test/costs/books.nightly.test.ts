// A month is read from its documents each time it is shown: what that takes with many sales, on a server.
import { INSERT_SELLER, insertReceipts } from '../../bench/support/receipt-rows.mjs'
import { freshDatabase } from '../support/databases.js'
import { operatorOf } from '../support/operator.js'
import { createWorld } from '../support/world.js'

/** Sales, each of a user of its own, over the twenty days before the instant of the tests. */
const sold = (sales: number) => `
  insert into users (user_id, version, created_at)
  select 'user-' || n, 1, timestamptz '2026-10-01' from generate_series(1, ${sales}) n;
  ${INSERT_SELLER};
  with paid as (
    insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, instrument,
      created_at, expires_at, attempt_ends_at, paid_at, period_start, period_end)
    select 'user-' || n, 'pay_' || n, '{"id": "pro", "name": "Pro", "price": 2000}', 2000, 'DZD', false,
           'paid', 'chk_' || n, 'edahabia', t, t, t, t, t, t + interval '30 days'
      from generate_series(1, ${sales}) n,
           lateral (select timestamptz '2026-11-01 08:00Z' + n * interval '20 days' / ${sales} as t) s)
  ${insertReceipts(`
    select 'user-' || n as user_id, 'pay_' || n as id, 'TEST-2026' as series, n as number, 2000 as amount,
           timestamptz '2026-11-01 08:00Z' + n * interval '20 days' / ${sales} as issued_at
      from generate_series(1, ${sales}) n`)};
  analyze`

it.each([
  [20_000, 300],
  [300_000, 1_500],
])('a month of %i sales is read within %i ms', async (sales, bound) => {
  const database = await freshDatabase('postgres')
  onTestFinished(() => database.close())
  await database.script(sold(sales))
  await using world = await createWorld(database, { isNew: true })
  const times = []
  for (let reading = 0; reading < 5; reading++) {
    const before = performance.now()
    const { status, body } = await operatorOf(world).get('/months/2026-11')
    times.push(performance.now() - before)
    expect([status, body.paid?.count, body.users?.new]).toEqual([200, sales, sales])
  }
  const sorted = times.toSorted((one, other) => one - other)
  expect(sorted[2]).toBeLessThan(bound)
})
