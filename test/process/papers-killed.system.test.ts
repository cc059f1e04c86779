// Two services on one PostgreSQL that are killed while 200 companies buy, are owed factures, have them
// corrected and are refunded, all at once: no series has a gap, and each payment has the papers it must have.
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, type ServiceProcess, startService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET, tokenOf } from '../support/world.js'

const KEY = 'owner-key-of-the-killed-papers'
const BUYERS = 200
/** The others say who they are after they have bought. */
const NAMED_FIRST = 150
const CORRECTED = 60

const COMPANY = {
  ...{ kind: 'company', name: 'EURL Nakhla', address: '12 rue Didouche Mourad, Alger' },
  ...{ rc: '16/00-0123456 B 20', nif: '000216001808337', nis: '000216001808331', ai: '16010112345' },
  legal_form: 'EURL',
}

const selectSeries = statement(
  'test.killed.series',
  `with all_papers as (
     select series, number, snapshot->>'issuedOn' as issued_on from receipts
      union all
     select series, number, snapshot->>'issuedOn' from papers
   ), dated as (
     select *, lag(issued_on) over (partition by series order by number) > issued_on as falls from all_papers
   )
   select substring(series from '^(TEST-|TEST-[FA]-)\\d{4}$') as series, count(*) as papers,
          count(distinct number) as numbers, max(number) as highest, s.last_number as drawn,
          count(*) filter (where falls) as falling
     from dated left join receipt_series s using (series)
    group by series, s.last_number order by 1`,
)
const selectWrong = statement(
  'test.killed.wrong',
  `select p.id, p.status, k.kinds
     from payments p, lateral (
       select string_agg(kind, ' ' order by place) as kinds from (
         select coalesce(snapshot->>'paper', 'receipt') as kind, 0 as place
           from receipts r where r.user_id = p.user_id and r.payment_id = p.id
          union all
         select kind, place from papers l where l.user_id = p.user_id and l.payment_id = p.id
       ) all_papers
     ) k
    where k.kinds !~ case p.status when 'paid' then '^(receipt|(receipt )?facture( avoir facture)*)$'
                       else '^(receipt )?facture avoir( facture avoir)*$' end`,
)
const selectPaid = statement('test.killed.paid', "select id, user_id from payments where status = 'paid'")
const countPapers = statement(
  'test.killed.papers',
  `select (select count(*) from receipts) as booked,
          (select count(*) from papers where kind = 'facture') as factures,
          (select count(*) from papers where kind = 'avoir') as avoirs,
          (select count(*) from owed_factures) as owing`,
)
const endLeases = statement(
  'test.killed.owing',
  `update owed_factures set due_at = '2026-01-01Z' returning user_id`,
)

let database: Database
let env: Record<string, string>
let both: ServiceProcess[] = []
beforeAll(async () => {
  buildOnce()
  const url = await postgresUrl()
  database = openPostgres({ url })
  env = {
    DATABASE_URL: url,
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    // Nobody pays by card here.
    CHARGILY_API_URL: 'http://127.0.0.1:9',
    AUTH_JWT_SECRET: JWT_SECRET,
    OPERATOR_KEYS: `owner:owner:${KEY}`,
    PLANS_FILE: path.resolve(import.meta.dirname, '../fixtures/terms.json'),
  }
  await startBoth()
})
afterAll(async () => {
  await killBoth()
  await database.close()
})

async function startBoth() {
  const start = async () => startService({ ...env, PORT: String(await freePort()) })
  both = await Promise.all([start(), start()])
}
const killBoth = () => Promise.all(both.map((service) => service.kill('SIGKILL')))

let calls = 0
/** Each call goes to the next process; null: it was killed. */
async function send(method: string, address: string, body: object, token = KEY) {
  const url = `${both[calls++ % both.length]?.url}/api/v1${address}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(url, { method, headers, body: JSON.stringify(body) })
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    .catch(() => null)
}

const PATIENT = [0, 429, 503]
/** All at once, with a kill as soon as there are so many; what had no answer is sent again. */
async function allKilledAt(
  kills: readonly number[],
  count: 'booked' | 'factures' | 'avoirs',
  tasks: readonly (() => ReturnType<typeof send>)[],
) {
  let left = tasks
  for (const bound of [...kills, null]) {
    const answers = Promise.all(left.map(async (task) => ({ task, answer: await task() })))
    if (bound !== null) {
      await waitFor(async () => (await papers())[count] >= bound)
      await killBoth()
    }
    const answered = await answers
    const isDone = ({ answer }: (typeof answered)[number]) => answer?.status === 200
    expect(answered.filter((one) => !isDone(one) && !PATIENT.includes(one.answer?.status ?? 0))).toEqual([])
    left = answered.filter((one) => !isDone(one)).map(({ task }) => task)
    if (bound !== null) await startBoth()
  }
  for (let round = 0; left.length > 0 && round < 20; round++) {
    const answers = await Promise.all(left.map(async (task) => ({ task, answer: await task() })))
    left = answers.filter(({ answer }) => answer?.status !== 200).map(({ task }) => task)
  }
  expect(left).toEqual([])
}

async function papers() {
  const [row] = await database.query(countPapers)
  const of = (name: string) => Number(row?.[name])
  return { booked: of('booked'), factures: of('factures'), avoirs: of('avoirs'), owing: of('owing') }
}

/** By what series begin with, how many papers each has. */
async function requireWhole(counts: Readonly<Record<string, number>>) {
  const rows = await database.query(selectSeries)
  expect(rows).toEqual(
    Object.entries(counts).map(([series, papers]) => ({
      ...{ series, papers, numbers: papers, highest: papers, drawn: papers, falling: 0 },
    })),
  )
  expect(await database.query(selectWrong)).toEqual([])
}

const buyers = Array.from({ length: BUYERS }, (_, n) => `buyer-${n}`)
const name = (users: readonly string[], details: object) =>
  users.map((sub) => async () => send('PUT', '/billing/buyer', details, await tokenOf({ sub })))
const act = (verb: string, payments: readonly string[]) =>
  payments.map((id) => () => {
    const body = { why: 'asked for by the customer', operation_id: verb }
    return send('POST', `/operator/payments/${id}/${verb}`, body)
  })

it('while 200 buy at the desk', async () => {
  await allKilledAt([], 'booked', name(buyers, { ...COMPANY, nif: null }))
  await allKilledAt([], 'booked', name(buyers.slice(0, NAMED_FIRST), COMPANY))
  const buy = (userId: string) => () => {
    const paid = { plan: 'pro', method: 'cash', amount: 2020, reference: userId, why: 'paid at the desk' }
    return send('POST', `/operator/users/${userId}/record`, { ...paid, operation_id: 'sale' })
  }
  await allKilledAt([40, 120], 'booked', buyers.map(buy))
  await requireWhole({ 'TEST-': BUYERS - NAMED_FIRST, 'TEST-F-': NAMED_FIRST })
})

it('while factures are issued that are owed', async () => {
  const late = BUYERS - NAMED_FIRST
  await allKilledAt([10], 'factures', name(buyers.slice(NAMED_FIRST), COMPANY))
  await database.query(endLeases)
  await waitFor(async () => (await papers()).factures === late && (await papers()).owing === 0)
  await requireWhole({ 'TEST-': late, 'TEST-F-': BUYERS })
})

it('while factures are corrected', async () => {
  const paid = (await database.query(selectPaid)).map(({ id }) => String(id))
  await allKilledAt([15, 40], 'avoirs', act('correct-facture', paid.slice(0, CORRECTED)))
  await waitFor(async () => (await papers()).owing === 0)
  const factures = BUYERS + CORRECTED
  await requireWhole({ 'TEST-': BUYERS - NAMED_FIRST, 'TEST-A-': CORRECTED, 'TEST-F-': factures })
})

it('while all are refunded', async () => {
  const paid = (await database.query(selectPaid)).map(({ id }) => String(id))
  expect(paid).toHaveLength(BUYERS)
  await allKilledAt([CORRECTED + 50, CORRECTED + 130], 'avoirs', act('refund', paid))
  const all = BUYERS + CORRECTED
  await requireWhole({ 'TEST-': BUYERS - NAMED_FIRST, 'TEST-A-': all, 'TEST-F-': all })
})
