// A person is exported and erased. Every column of every table is read for them: what is found afterwards is
// what docs/privacy.md lists, and nothing else.
import { readFileSync } from 'node:fs'
import { enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { payUnderReview } from '../../../../test/support/other-amount.js'
import { PLATFORM_KEY, platformFor } from '../../../../test/support/platform.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { jpeg } from '../../../../test/support/proof-files.js'
import { anEvent, postEvent } from '../../../../test/support/provider-events.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer, sendProof } from '../../../../test/support/transfers.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { setBuyer } from '../buyers/set-buyer.js'
import type { Database } from '../database/database.js'
import { hadPaidTime } from '../ledger/grants.sql.js'
import { makeProforma } from '../proformas/proforma.js'
import { eraseAct } from './erase.js'

const DAY = 86_400
const USER = 'user-1'
/** Of the person, in everything that can name them; as it stands in a file; and their telephone. */
const MARKS = `'(zubayda|${Buffer.from('zubayda').toString('hex')}|555998877)'`
const PAGE = readFileSync('docs/privacy.md', 'utf8')
/** The first list of the page names them. */
const KEPT = [...(PAGE.split('\n\n## ')[1] ?? '').matchAll(/^\* `(\w+\.\w+)`:/gm)].map(([, name]) => name)
const ERASED = [
  ...['discrepancies.closed_because', 'grants.why', 'mails.outcome', 'payments.bought_by'],
  ...['payments.metadata', 'payments.po_number', 'payments.return_url', 'portal_link_requests.email'],
  ...['portal_sessions.return_path', 'proformas.snapshot', 'transfer_proof_parts.content'],
  ...['transfers.refusal', 'usage.scope', 'usage_operations.operation_id', 'usage_operations.scope'],
  ...['usage_refusals.scope', 'user_search.key', 'users.buyer', 'users.email', 'users.name', 'users.phone'],
]

const selectColumns = sql(`select c.table_name as part, c.column_name as name
   from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
  where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'`)
const selectName = sql('select name from users where user_id = $1')
const ROWS = [
  `insert into portal_link_requests (id, email) values ('plr_1', 'Zubayda@example.dz')`,
  `update mails set outcome = 'refused: zubayda@example.dz'`,
  `insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
   values ('stm_1', 'ccp', now(), 'karim', '{}', 1, '2026-11-20', '2026-11-20')`,
  `insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs,
     state, decided_at, reason)
   values ('lin_1', 'stm_1', 1, 'ccp', '2026-11-20', 200000, 'VIR ZUBAYDA', '{}', 'set_aside', now(),
     'a gift of Zubayda')`,
  `insert into reconciliations (id, method, since_at, started_by, started_at, next_round_at)
   values ('rec_1', 'chargily', now(), 'karim', now(), now())`,
  `insert into discrepancies (id, user_id, method, checkout_id, kind, outcome, details, reconciliation_id,
     found_at, seen_at, closed_at, closed_by, closed_because)
   values ('dis_1', 'user-1', 'chargily', 'x', 'differs', 'reported', '{}', 'rec_1', now(), now(), now(),
     'karim', 'Zubayda was paid back')`,
].map(sql)
const waitForEvents = sql(
  `insert into event_endpoint (url, deliver_from) values ('https://a.example', now())`,
)

const ENV = { TRANSFER_FILE, BALANCE_MAX: '50000', OPERATOR_ROLES: 'dpo=viewer+user.erase+user.export' }
const DPO_KEY = 'operator-key-of-the-delegate'
const OPERATOR_KEYS = `amina:${OPERATOR_KEY},lyes:dpo:${DPO_KEY}`

describeWorldOnEach('a person', { env: { ...ENV, OPERATOR_KEYS } }, ({ world, database }) => {
  const operator = operatorOf(world)
  const act = async (path: string, body: object = {}) => {
    const { status, text } = await operator.post(path, { why: 'Zubayda asked', ...body })
    expect([path, status, text.slice(0, 300)]).toEqual([path, 200, expect.anything()])
  }
  const erase = (userId = USER, body: object = {}, key = OPERATOR_KEY) =>
    operatorOf(world, key).post(`/users/${userId}/erase`, { why: 'art. 34, ticket 7', ...body })
  const heldBy = async (userId: string) => {
    const { status, body } = await operator.get(`/users/${userId}/erase`)
    return status === 200 ? [] : [status, body.code, ...body.held_by]
  }
  const nameOf = async (userId: string) => (await database().query(selectName, [userId]))[0]?.name

  /** The service, in which something happens just before this query is sent. */
  const partsWhere = (name: string, happens: () => Promise<unknown>) => {
    const query: Database['query'] = async (sent, ...given) => {
      if (sent.name === name) await happens()
      return database().query(sent, ...given)
    }
    const { parts } = world.service
    return { ...parts, database: Object.assign(Object.create(parts.database), { query }) }
  }

  /** Each column that has a mark in it. */
  async function foundIn(): Promise<readonly string[]> {
    const columns = await database().query(selectColumns)
    const looks = columns.map(
      ({ part, name }) =>
        `select '${part}.${name}' as found where exists (
           select from ${part} where lower("${name}"::text) ~ ${MARKS})`,
    )
    const rows = await database().query(sql(looks.join(' union all ')))
    return rows.map(({ found }) => String(found)).sort()
  }

  /** Everything that can name a person names this one; at the end nothing is left that holds them. */
  async function livesHere() {
    const cheque = { plan: 'pro', method: 'cheque', amount: 2000, reference: 'Zubayda 1' }
    await act(`/users/${USER}/record`, {
      ...cheque,
      new_user: true,
      name: 'Lina Zubayda',
      phone: '0555998877',
    })
    await platformFor(world, USER).update({ email: 'zubayda@example.dz', locale: 'fr' })
    const company = { ...COMPANY, name: 'SARL Zubayda' }
    await setBuyer(world.service.parts, { userId: USER }, company)
    await act(`/users/${USER}/correct-buyer`, { kind: 'company', name: 'EURL Zubayda' })
    await setBuyer(world.service.parts, { userId: USER }, company)
    const { id } = await orderTransfer(world, USER)
    await sendProof(world, USER, id, jpeg({ comment: 'zubayda' }))
    await act(`/payments/${id}/refuse`)
    const offered = await world.as(USER).get('/api/v1/billing/proforma?plan=pro')
    expect(offered.status).toBe(200)
    await act(`/users/${USER}/grant`, { days: 2 })
    await act(`/users/${USER}/correct`, { amount: 500, note: 'for Zubayda' })
    await act(`/users/${USER}/pay-out`, { amount: 500 })
    await act('/bulk/start', { act: 'user.grant', ids: [USER], input: { days: 1 } })
    const noted = { amount: 500, note: 'for Zubayda' }
    await act('/bulk/start', { act: 'balance.correct', ids: [USER], input: noted })
    await world.advance(30 * DAY)
    await act(`/users/${USER}/pay-out`, { amount: 500 })
    const person = world.as('zubayda-2', { account: USER, billing_role: 'payer' })
    const wanted = { plan: 'pro', po_number: 'Zubayda 7', return_url: 'http://platform.localhost/zubayda' }
    const { body } = await person.post('/api/v1/billing/payments', wanted)
    const metadata = { team: 'Zubayda' }
    await platformFor(world, USER).put(`/payments/${body.id}/metadata`, { metadata })
    await world.pay(body.checkout_url)
    await world.advance(40 * DAY)
    const scoped = { operation_id: 'zubayda-1', project_id: 'zubayda' }
    await platformFor(world, USER).consume('domains_per_project', scoped)
    await platformFor(world, USER).consume('domains_per_project', { ...scoped, operation_id: 'zubayda-2' })
    await platformFor(world, USER).post('/portal-sessions', { return_path: '/zubayda' })
    for (const row of ROWS) await database().query(row)
  }

  it('is found afterwards where docs/privacy.md says, and an event says the same', async () => {
    await livesHere()
    const before = await foundIn()
    const told = await writtenEvents(database(), USER)
    expect(await heldBy(USER)).toEqual([])
    expect((await erase()).status).toBe(200)
    const after = await foundIn()
    expect(after).toEqual(KEPT.toSorted())
    expect(before.filter((one) => !after.includes(one))).toEqual(ERASED)
    expect(await writtenEvents(database(), USER)).toEqual(told)
    const { body } = await operator.get(`/users/${USER}`)
    expect(body).toMatchObject({ user_id: USER, name: null, email: null, phone: null, buyer: { name: null } })
    expect(body.audit[0]).toMatchObject({ act: 'user.erase', actor: 'amina', why: 'art. 34, ticket 7' })
    // A second time is allowed, and so is coming back, to no second trial.
    expect((await erase()).status).toBe(200)
    expect(await hadPaidTime(database(), USER)).toBe(true)
    await world.as(USER, { name: 'Lina' }).buy()
    expect(await nameOf(USER)).toBe('Lina')
  })

  it('is exported whole, with files, by those who may', async () => {
    await livesHere()
    const path = `/api/v1/operator/users/${USER}/export`
    const download = (key: string) =>
      fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    const answer = await download(DPO_KEY)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const files = filesIn(Buffer.from(await answer.arrayBuffer()))
    const known = JSON.parse(files.get('person.json')?.toString() ?? '')
    expect(known.users).toMatchObject([{ name: 'Lina Zubayda', phone: '+213555998877' }])
    expect(known.portal_sessions[0]).not.toHaveProperty('link_digest')
    const ofUsers = (await database().query(selectColumns)).filter(({ name }) => name === 'user_id')
    const full = []
    for (const { part } of ofUsers) {
      const rows = await database().query(sql(`select 1 from ${part} where user_id = 'user-1' limit 1`))
      if (rows.length > 0 && part !== 'transfer_proof_parts') full.push(part)
    }
    expect(Object.keys(known)).toEqual(expect.arrayContaining([...full, 'portal_link_requests']))
    const named = [...files].map(([name, content]) => [name.split('/')[0], content.toString('latin1', 0, 4)])
    expect(named.slice(1)).toEqual([
      ['proofs', '\xff\xd8\xff\xe0'],
      ...Array.from({ length: known.documents.length }, () => ['documents', '%PDF']),
    ])
    expect((await operator.get(`/users/${USER}`)).body.audit[0]).toMatchObject({
      ...{ act: 'user.export', actor: 'lyes' },
    })
    expect((await operator.get('/users/nobody/export')).status).toBe(404)
  })

  it('is not erased while something is theirs or waits, and the refusal says what', async () => {
    await world.as('paid').buy()
    expect(await heldBy('paid')).toEqual([409, 'conflict', 'paid_time'])
    await world.as('open').upgrade()
    expect(await heldBy('open')).toEqual([409, 'conflict', 'open_payment'])
    const page = await (await enterConsole(world, OPERATOR_KEY)).open('/console/users/open/erase')
    const says = 'Not possible yet This stands in the way: an open payment.'
    expect([page.status, wordsOf(page.text)]).toEqual([409, expect.stringContaining(says)])
    await payUnderReview(world, 'review')
    expect(await heldBy('review')).toEqual([409, 'conflict', 'review'])
    await platformFor(world, 'rich').update({ name: 'Rich' })
    await act('/users/rich/correct', { amount: 500 })
    expect(await heldBy('rich')).toEqual([409, 'conflict', 'balance'])
    await platformFor(world, 'orders').update({ name: 'Orders' })
    await act('/users/orders/correct', { amount: 500 })
    await world.as('orders').put('/api/v1/billing/balance/renewal', { plan: 'pro', months: 1 })
    expect(await heldBy('orders')).toEqual([409, 'conflict', 'balance', 'standing_order'])
    await act('/users/orders/pay-out', { amount: 500 })
    await database().query(waitForEvents)
    const held = ['standing_order', 'undelivered_event']
    expect(await heldBy('orders')).toEqual([409, 'conflict', ...held])
    const refused = await erase('orders', { forfeit: true })
    expect([refused.status, refused.body.held_by, await nameOf('orders')]).toEqual([409, held, 'Orders'])
    const { audit } = (await operator.get('/users/orders')).body
    const refusal = { act: 'operator.refused', after: { act: 'user.erase', code: 'conflict', held_by: held } }
    expect(audit).toContainEqual(expect.objectContaining(refusal))
  })

  it('gives up paid time by the owner alone, who is shown it', async () => {
    await platformFor(world, USER).update({ name: 'Lina' })
    await world.as(USER).buy()
    const byDelegate = await erase(USER, { forfeit: true }, DPO_KEY)
    expect([byDelegate.status, byDelegate.body.act]).toEqual([403, 'user.erase_forfeit'])
    const visit = await enterConsole(world, OPERATOR_KEY)
    const path = `/console/users/${USER}/erase`
    const asked = fieldsOfAct((await visit.open(path)).text)
    const kept = await visit.submit(path, { ...asked, why: 'x', forfeit: '' })
    const why = 'This stands in the way: paid time. Settle or end it first'
    expect([kept.status, wordsOf(kept.text)]).toEqual([409, expect.stringContaining(why)])
    const shown = await visit.open(`${path}?forfeit=yes`)
    expect(wordsOf(shown.text)).toMatch(/Access Pro until 21 December 2026.* Free/)
    const done = await visit.submit(path, { ...fieldsOfAct(shown.text), why: 'asked by letter' })
    expect(await visit.follow(done)).toContain('Personal data erased')
    const { body } = await world.as(USER).get('/api/v1/billing/status')
    expect([body.status, await nameOf(USER)]).toEqual(['canceled', null])
    expect((await writtenEvents(database(), USER)).at(-1)?.type).toBe('subscription.canceled')
  })

  it('is in no proforma that was drawn up meanwhile', async () => {
    await setBuyer(world.service.parts, { userId: USER }, { ...COMPANY, name: 'SARL Zubayda' })
    let erased: ReturnType<typeof erase> | undefined
    const racing = partsWhere('proformas.insert', () => (erased ??= erase()))
    const wanted = { planId: 'pro', months: 1, start: 'end' } as const
    await expect(makeProforma(racing, USER, wanted)).rejects.toMatchObject({ code: 'buyer_incomplete' })
    expect([(await erased)?.status, await foundIn()]).toEqual([200, ['audit.after']])
  })

  it('is not erased if a payment begins meanwhile; what is paid late is booked without a name', async () => {
    await platformFor(world, USER).update({ name: 'Lina' })
    let begins: Promise<{ checkoutId: string }> | undefined
    const racing = partsWhere('privacy.erase', () => (begins ??= world.as(USER).upgrade()))
    const call = callBy(ownerNamed('amina'), USER, { why: 'x' })
    await expect(doAct(racing, eraseAct, call)).rejects.toMatchObject({
      extra: { held_by: ['open_payment'] },
    })
    expect(await nameOf(USER)).toBe('Lina')
    // The checkout ends unpaid; its event that it was paid all the same comes after the erasing.
    for (const days of [3, 1]) await world.advance(days * DAY)
    expect((await erase()).status).toBe(200)
    const headers = { authorization: `Bearer ${PLATFORM_KEY}` }
    const changed = await world.call('GET', '/api/v1/platform/users?changed_since=2026-11-25', { headers })
    expect(changed.body.data).toMatchObject([{ user_id: USER, name: null }])
    const { checkoutId = '' } = (await begins) ?? {}
    expect((await postEvent(world, anEvent(world, checkoutId, 'paid'))).status).toBe(200)
    const { body } = await operator.get(`/users/${USER}`)
    expect(body).toMatchObject({ name: null, plan: 'pro', payments: [{ status: 'paid' }] })
    expect(await heldBy(USER)).toEqual([409, 'conflict', 'paid_time'])
  })
})

/** Of an archive whose files are stored as they are, by their names. */
function filesIn(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [size, named] = [zip.readUInt32LE(at + 18), zip.readUInt16LE(at + 26)]
    const begin = at + 30 + named
    files.set(zip.toString('utf8', at + 30, begin), zip.subarray(begin, begin + size))
    at = begin + size
  }
  return files
}
