// A page of the journal reads as much as the page is long, however many sales there are.

import { INSERT_SELLER, insertReceipts } from '../../bench/support/receipt-rows.mjs'
import { sumsOf } from '../../packages/ishtirak/src/books/figures.sql.js'
import { linesOf } from '../../packages/ishtirak/src/books/lines.sql.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { counted } from '../costs/counted.js'
import { enterConsole } from '../support/console.js'
import { describePlans } from '../support/databases.js'
import { operatorOf } from '../support/operator.js'
import { ROLE_KEYS } from '../support/roles.js'
import { createWorld } from '../support/world.js'
import { buffersOf, explain, heard, MODES, type Run, textOf } from './explain.js'

const at = (text: string) => Date.parse(text)
const NOVEMBER = {
  ...{ from: at('2026-10-31T23:00:00Z'), to: at('2026-11-30T23:00:00Z') },
  ...{ live: false, until: null, since: null },
}
const ALL = {
  parts: ['sale', 'late', 'refund', 'document'],
  tax: null,
  withAdvances: true,
} as const
/** A page of the file. */
const LINES = 1_000
const MANY = 10_000

/** Ten months alike, November the last. One sale of ten has a later invoice, one of twenty a refund. */
const fill = (database: Database, each: number) =>
  database.script(`
    insert into users (user_id, created_at) select 'user-' || n, now() from generate_series(1, ${each}) n;
    begin;
    insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, created_at,
                          expires_at, attempt_ends_at, paid_at, period_start, period_end)
    select 'user-' || n, 'pay_' || m || '_' || n, '{}', 2000, 'DZD', false,
           case when n % 20 = 0 then 'refunded' else 'paid' end, 'chk_' || m || '_' || n, t, t, t, t, t,
           t + interval '1 month'
      from generate_series(0, 9) m, generate_series(1, ${each}) n,
           lateral (select timestamptz '2026-11-01T00:00:00Z' - m * interval '1 month'
                      + n * interval '29 days' / ${each} as t) s;
    ${INSERT_SELLER};
    ${insertReceipts(`
      select user_id, id, 'TEST-2026' as series, row_number() over (order by paid_at, id) as number,
             paid_at as issued_at, amount
        from payments`)};
    insert into documents (user_id, payment_id, place, kind, series, number, issued_at, issued_on, seller,
                           net_centimes, tax_centimes, duty_centimes, discount_centimes, fee_centimes,
                           snapshot)
    select user_id, payment_id, 1, 'invoice', 'TEST-F-2026',
           row_number() over (order by issued_at, payment_id), issued_at + interval '1 minute', issued_on,
           seller, net_centimes, tax_centimes, 0, 0, 0,
           snapshot || '{"about": {"number": "TEST-2026-000001"}}'
      from documents where right(payment_id, 1) = '1';
    insert into audit (user_id, id, acted_at, actor, act, payment_id, before, after)
    select user_id, 'adt_' || id, paid_at + interval '2 minutes', 'owner', 'payment.refund', id, '{}', '{}'
      from payments where status = 'refunded';
    insert into document_series (series, last_number) values ('TEST-2026', ${each * 10});
    commit;
    analyze`)

describePlans('the accountant’s month', ({ database }) => {
  // One test, since the rows take a while to write.
  it('of 10,000 sales, with ten times as many in all, reads what it shows', async () => {
    await fill(database(), MANY)
    for (const mode of MODES) {
      const costOf = async (run: Run) => {
        const plan = await explain(database(), await heard(run), { mode, with: '(analyze, buffers)' })
        return { text: textOf(plan), buffers: buffersOf(plan) }
      }
      for (const after of [null, { at: at('2026-11-20T00:00:00Z'), id: 'pay' }]) {
        const page = await costOf((of) => linesOf(of, { ...NOVEMBER, filter: ALL }, after, LINES))
        expect(page.text, mode).toMatch(/payments_by_paid_at[\s\S]*documents_by_issue/)
        // Four of the receipt's index and row for each line, and a fifth of its payment.
        expect(page.buffers, mode).toBeLessThan(LINES * 6)
      }
      const sums = await costOf((of) => sumsOf(of, NOVEMBER, 'Africa/Algiers'))
      expect(sums.buffers, mode).toBeLessThan(MANY * 6)
    }
  })

  it.each([
    [3, 1],
    [1_000, 2],
  ])('of %i sales is read by as many statements, its file by %i for the lines', async (each, pages) => {
    await fill(database(), each)
    const { database: one, countOf } = counted(database())
    await using world = await createWorld(one, { withoutJobs: true })
    const operator = operatorOf(world, ROLE_KEYS.accountant)
    const { open } = await enterConsole(world, ROLE_KEYS.accountant)
    const reads = {
      journal: () => operator.get('/months/2026-11/sales?limit=50'),
      file: () => operator.get('/exports/sales?month=2026-11'),
      page: () => open('/console/months/2026-11/sales'),
      declaration: () => operator.get('/months/2026-11/declaration'),
      'page of the declaration': () => open('/console/months/2026-11/declaration'),
    }
    const costs: Record<string, number> = {}
    for (const [name, read] of Object.entries(reads))
      costs[name] = await countOf(async () => expect([name, (await read()).status]).toEqual([name, 200]))
    expect(costs).toEqual({
      ...{ journal: 2, file: 2 + pages, page: 3, declaration: 9 },
      'page of the declaration': 10,
    })
  })
})
