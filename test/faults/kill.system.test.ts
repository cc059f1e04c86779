// `npm run nightly -- fault:kill` in small: two cycles on a server.

import { INSERT_SELLER, insertReceipts } from '../../bench/support/receipt-rows.mjs'
import { openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { postgresUrl, readDump } from '../support/databases.js'
import { audit } from './audit.js'
import { withEmulator } from './command.js'
import { install } from './installations.js'
import { runKillCycles } from './kill-cycles.js'
import type { Sale } from './sales.js'

const SALES = 15
const CYCLES = 2

it('killed under webhooks, all that was answered 200 is booked, nothing twice', async () => {
  const url = await postgresUrl()
  const figures = await withEmulator(async (emulator) => {
    const installation = await install(emulator, { url })
    const run = { cycles: CYCLES, seed: 3, salesPerCycle: SALES, installation, emulator }
    return runKillCycles(run).finally(() => installation.remove())
  })
  const sold = CYCLES * SALES
  const counts = { cycles: CYCLES, answered: sold, booked: sold, lost: 0, doubled: 0 }
  expect(figures).toMatchObject({ ...counts, faults: [] })
})

describe('the audit', () => {
  let database: Awaited<ReturnType<typeof openMemory>>
  beforeAll(async () => {
    database = await openMemory(readDump('dumpPath'))
    return () => database.close()
  })

  it('reports an event that was answered and is not in the database', async () => {
    const sale = { checkoutId: 'c' } as Sale
    const deliveries = { answered: new Set([sale]), sent: new Set([sale]) }
    expect(await audit(database, deliveries)).toEqual({ booked: 0, lost: 1, doubled: 0, faults: [] })
  })

  it('reports a month too many, a payment that was never sent, and a gap in the receipts', async () => {
    await database.script(`
      insert into users (user_id, anchor_at, run_months, paid_until, created_at)
      values ('u', now(), 2, now() + interval '2 months', now());
      insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, created_at,
        expires_at, attempt_ends_at, paid_at, period_start, period_end)
      values ('u', 'p', '{}', 2000, 'DZD', false, 'paid', 'c', now(), now(), now(), now(), now(),
        now() + interval '1 month');
      ${INSERT_SELLER};
      ${insertReceipts(`
        select user_id, id, '2026' as series, 2 as number, now() as issued_at, amount from payments`)}`)
    expect(await audit(database, { answered: new Set(), sent: new Set() })).toEqual({
      ...{ booked: 1, lost: 0, doubled: 1 },
      faults: [
        'booked but never sent: 1, expected 0',
        'events that said paid: 0, expected 1',
        'months sold: 2, expected 1',
        'highest receipt number: 2, expected 1',
        'receipt numbers drawn: 0, expected 1',
      ],
    })
  })
})
