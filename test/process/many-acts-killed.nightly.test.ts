// After the restart each line and each target has one result, and nothing happened twice.

import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { rememberUser } from '../../packages/ishtirak/src/ledger/users.sql.js'
import { dayIn } from '../../packages/ishtirak/src/runtime/calendar.js'
import { freePort } from '../support/free-port.js'
import { type ServiceProcess, startService } from '../support/process.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { sql } from '../support/sql.js'
import { waitFor } from '../support/wait-for.js'
import { tokenOf } from '../support/world.js'
import { call, serviceEnv } from './calls.js'

const KEY = 'owner-key-of-the-killed-acts'
const LINES = 120
const TARGETS = 300

const countActs = sql(
  'select count(*) as acts, count(distinct coalesce(payment_id, user_id)) as about from audit where act = $1',
)
const selectBooked = sql(`select (select count(*) from payments where status = 'paid') as paid,
          (select count(*) from documents) as receipts,
          (select max(number) from documents) as highest_receipt,
          (select count(*) from bank_lines where state = 'approved' and payment_id is not null) as lines,
          (select count(distinct payment_id) from bank_lines) as paid_by_lines,
          (select count(*) from bank_lines l join audit a on a.act = 'payment.approve'
              and a.after ->> 'line_id' = l.id and l.payment_id = a.payment_id) as lines_in_audit`)
const selectGranted = sql(
  'select count(*) as grants, count(distinct user_id) as users, sum(days) as days from grants',
)
const endLeases = sql(
  `update bulk_targets set leased_until = '2026-01-01Z' where result is null returning place`,
)

let database: Database
let env: Record<string, string>
let service: ServiceProcess
beforeAll(async () => {
  const PORT = String(await freePort())
  env = await serviceEnv({ PORT, OPERATOR_KEYS: `owner:owner:${KEY}`, TRANSFER_FILE })
  database = openPostgres({ url: env.DATABASE_URL ?? '' })
  service = await startService(env)
})
afterAll(async () => {
  await service.kill('SIGKILL')
  await database.close()
})

const ask = async (path: string, body?: object | string, token = KEY) =>
  (await call(service, token, path, body)).body
const acts = async (name: string) => {
  const [row] = await database.query(countActs, [name])
  return { acts: Number(row?.acts), about: Number(row?.about) }
}
/** As soon as so many acts are written down. */
const killAfter = async (name: string, count: number) => {
  await waitFor(async () => (await acts(name)).acts >= count)
  await service.kill('SIGKILL')
  service = await startService(env)
}

it('while it approves the lines of a bank statement', async () => {
  const rows: string[] = []
  // The bank's day: an hour before midnight UTC it is tomorrow's. A line of yesterday pays no order of today.
  const today = dayIn('Africa/Algiers')(Date.now()).date
  const order = async (userId: string) => {
    const wanted = { plan: 'pro', method: 'transfer' }
    const { transfer, amount } = await ask('/billing/payments', wanted, await tokenOf({ sub: userId }))
    rows.push(`${today};${transfer.reference};${amount},00`)
  }
  for (let n = 0; n < LINES; n += 20)
    await Promise.all(Array.from({ length: 20 }, (_, place) => order(`payer-${n + place}`)))
  const file = `Date;Text;Credit\n${rows.join('\n')}\n`
  const { statement_id, counts } = await ask('/operator/bank-statements?account=ccp', file)
  expect(counts).toMatchObject({ sure: LINES })
  const approve = (operation_id: string) =>
    ask(`/operator/bank-statements/${statement_id}/approve`, { why: 'seen', operation_id })
  for (const [place, count] of [37, 81].entries()) {
    const approval = approve(`part-${place}`)
    await killAfter('payment.approve', count)
    expect(await approval).toBeNull()
  }
  // The same once more, and what is left; what was decided and not booked, the sweep books.
  for (const again of [0, 1]) await approve(`part-${again}`)
  await waitFor(async () => Number((await database.query(selectBooked))[0]?.paid) === LINES)
  await approve('rest')
  const [booked = {}] = await database.query(selectBooked)
  expect(Object.values(booked)).toEqual(Array(6).fill(LINES))
  expect(await acts('payment.approve')).toEqual({ acts: LINES, about: LINES })
})

it('while it does an act to each of a list', async () => {
  const ids = Array.from({ length: TARGETS }, (_, n) => `target-${n}`)
  await Promise.all(ids.map((userId) => rememberUser(database, { userId }, Date.now())))
  const asked = { act: 'user.grant', ids, input: { days: 7, plan: 'pro' }, why: 'an outage' }
  const { id } = await ask('/operator/bulk/start', { ...asked, operation_id: 'outage' })
  for (const count of [80, 190]) {
    await killAfter('user.grant', count)
    await database.query(endLeases)
  }
  await waitFor(async () => (await ask(`/operator/bulk/${id}`)).finished_at !== null)
  expect(await ask(`/operator/bulk/${id}`)).toMatchObject({ targets: TARGETS, done: TARGETS, left: 0 })
  const [granted] = await database.query(selectGranted)
  expect(granted).toEqual({ grants: TARGETS, users: TARGETS, days: 7 * TARGETS })
  expect(await acts('user.grant')).toEqual({ acts: TARGETS, about: TARGETS })
})
