// Bank statements over several cells: the first cell keeps them, and a line pays users of any cell.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type CellWorlds, createCells, describeCells, usersOfCells } from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { freshDatabase } from '../../../../test/support/databases.js'
import { freePort } from '../../../../test/support/free-port.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import type { ActsElsewhere } from '../acts/act-elsewhere.js'
import { claimDatabase } from '../cells/claim.sql.js'
import { statement } from '../database/database.js'
import { claimLine } from './line-claim.js'

const AMINA = 'amina-key-of-20-characters'
const KARIM = 'karim-key-of-20-characters'
const OPERATOR_KEYS = `amina:owner:${AMINA},karim:accountant:${KARIM}`
const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-line-claim-'))
afterAll(() => rmSync(folder, { recursive: true }))
function transferFile(name: string, more: object = {}): string {
  const file = path.join(folder, name)
  const account = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }
  writeFileSync(file, JSON.stringify({ accounts: [account], ...more }))
  return file
}
const ENV = { OPERATOR_KEYS, TRANSFER_FILE: transferFile('one.json') }
const TWO = { OPERATOR_KEYS, TRANSFER_FILE: transferFile('two.json', { second_approval_from: 2_000 }) }

const selectPaid = statement('test.claims.paid', `select id from payments where status = 'paid'`)
const selectActs = statement(
  'test.claims.acts',
  `select id, actor, reason from audit where act = 'payment.approve' and asked is not null`,
)
const selectClaims = statement('test.claims.all', 'select user_id, kind, holder from shop_claims')

async function order(world: World, userId: string) {
  const wanted = { plan: 'pro', method: 'transfer' }
  const { body } = await world.as(userId).post('/api/v1/billing/payments', wanted)
  return { userId, id: String(body.id), reference: String(body.transfer.reference) }
}
type Ordered = Awaited<ReturnType<typeof order>>

const fileOf = (texts: readonly string[]) =>
  ['Date;Libellé;Débit;Crédit', ...texts.map((text) => `21/11/2026;${text};;2 000,00`), ''].join('\r\n')

async function read(world: World, ...texts: readonly string[]) {
  const answer = await fetch(`${world.url}/api/v1/operator/statements?account=ccp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${AMINA}`, 'content-type': 'text/csv' },
    body: fileOf(texts),
  })
  const body = await answer.json()
  return { status: answer.status, path: `/statements/${body.statement_id}`, lines: body.data, body }
}
type Read = Awaited<ReturnType<typeof read>>

/** What became of it, or the refusal of the whole. */
async function choose(world: World | undefined, { path, lines }: Read, of: Ordered | undefined, key = AMINA) {
  const wanted = { lines: [{ line: lines[0].id, payment_id: of?.id }], why: 'seen on the statement' }
  const { status, body } = await operatorOf(world as World, key).post(`${path}/approve`, wanted)
  return status === 200 ? body.results[0] : { status, ...body }
}

describeCells('bank statements in cells', (databases, kind) => {
  const ofEach = (asked: typeof selectPaid) => Promise.all(databases.map((database) => database.query(asked)))
  const paid = async () => (await ofEach(selectPaid)).flat().map(({ id }) => id)
  /** A transfer of a user of each cell. */
  const orderEach = (cells: CellWorlds) =>
    Promise.all(usersOfCells(cells, 1).map((user) => order(cells.of(user), user)))
  const stored = async (cells: CellWorlds, { path }: Read) =>
    (await operatorOf(cells.worlds[1] as World, AMINA).get(path)).body

  /** As of an approval that ended right after it. */
  async function claimFor(cells: CellWorlds, { lines: [{ id }] }: Read, of: Ordered) {
    const payment = { userId: of.userId, paymentId: of.id }
    // Which has all statements and their lines.
    const { parts } = (cells.worlds[0] as World).service
    expect(await claimLine(parts, id, payment, [payment])).toBe(false)
  }

  async function approveByHand(cells: CellWorlds, { userId, id }: Ordered) {
    const came = { amount: 2_000, received_at: '2026-11-21', why: 'seen' }
    const { status } = await operatorOf(cells.of(userId), AMINA).post(`/payments/${id}/approve`, came)
    expect(status).toBe(200)
  }

  it('one file, read in and approved anywhere, pays users of all, each by their cell’s own act', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [, b, c] = cells.worlds as readonly [World, World, World]
    const orders = await orderEach(cells)
    const file = await read(c, ...orders.map(({ reference }) => `VIREMENT ${reference}`))
    expect(file.body).toMatchObject({ counts: { new: 3, sure: 3 }, to_approve: { count: 3, amount: 6_000 } })
    const call = { why: 'the statement of the day', operation_id: 'today' }
    const { body } = await operatorOf(b, AMINA).post(`${file.path}/approve`, call)
    expect(body).toMatchObject({ left: 0 })
    expect(body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      orders.map(() => 'approved'),
    )
    expect(await ofEach(selectPaid)).toEqual(orders.map(({ id }) => [{ id }]))
    const acts = await ofEach(selectActs)
    expect(acts.map(([act]) => act)).toMatchObject(orders.map(() => ({ actor: 'amina', reason: call.why })))
    const pays = orders.map(({ id }) => ({ state: 'approved', payment_ids: [id], match: null }))
    expect((await stored(cells, file)).data).toMatchObject(pays)
    const again = await operatorOf(c, AMINA).post(`${file.path}/approve`, call)
    expect(again.body.results).toEqual(body.results)
    // By another cell: its lines are known, since one cell keeps them.
    const twice = await read(b, ...orders.map(({ reference }) => `VIREMENT ${reference}`))
    expect(twice.body).toMatchObject({ counts: { new: 0, approved: 3 } })
    expect((await operatorOf(c, AMINA).get('/statements')).body.data).toHaveLength(2)
  })

  it('a line pays one payment over all cells, at one moment and later', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const orders = await orderEach(cells)
    const file = await read(cells.worlds[1] as World, 'VIREMENT')
    expect(file.lines[0].match).toMatchObject({ kind: 'to_choose', candidates: [{}, {}, {}] })
    const results = await Promise.all(orders.map((of, n) => choose(cells.worlds[n], file, of)))
    const [first, ...others] = results.filter(({ outcome }) => outcome === 'approved')
    expect([others, await paid()]).toEqual([[], [first.payment_id]])
    for (const of of orders.filter(({ id }) => id !== first.payment_id))
      expect(await choose(cells.worlds[2], file, of)).toMatchObject({ status: 422 })
    expect((await stored(cells, file)).data).toMatchObject([{ state: 'approved' }])
    expect(await paid()).toEqual([first.payment_id])
  })

  it('a payment is not approved by two lines', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [, , of] = await orderEach(cells)
    const [one, two] = [await read(cells.worlds[0] as World, 'X'), await read(cells.worlds[0] as World, 'Y')]
    const results = await Promise.all([one, two].map((file) => choose(cells.worlds[0], file, of)))
    // The other is refused, or no longer a candidate, as it is read.
    const became = results.map(({ outcome, status }) => (status === 422 ? 'refused' : outcome))
    expect(became.sort()).toEqual(['approved', 'refused'])
    const lines = [...(await stored(cells, one)).data, ...(await stored(cells, two)).data]
    expect(lines.flatMap(({ payment_ids }) => payment_ids)).toEqual([of?.id])
  })

  it('waits for a second operator at the payer’s cell, and pays nothing else meanwhile', async () => {
    await using cells = await createCells(databases, { env: TWO })
    const [other, , of] = await orderEach(cells)
    const file = await read(cells.worlds[0] as World, 'VIREMENT')
    expect(await choose(cells.worlds[0], file, of)).toMatchObject({ outcome: 'waits_for_second' })
    expect((await stored(cells, file)).data).toMatchObject([{ state: 'open', payment_ids: [of?.id] }])
    expect(await choose(cells.worlds[0], file, of)).toMatchObject({ code: 'second_operator_needed' })
    expect(await choose(cells.worlds[1], file, other, KARIM)).toMatchObject({ code: 'conflict' })
    expect(await choose(cells.worlds[1], file, of, KARIM)).toMatchObject({ outcome: 'approved' })
    expect((await stored(cells, file)).data).toMatchObject([{ state: 'approved', decided_by: 'karim' }])
    expect(await paid()).toEqual([of?.id])
  })

  it('of an approval that was killed before it was sent, the line is its payment’s for a while', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [other, of] = (await orderEach(cells)) as [Ordered, Ordered]
    const file = await read(cells.worlds[0] as World, 'VIREMENT')
    await claimFor(cells, file, of)
    expect(await choose(cells.worlds[0], file, other)).toMatchObject({ outcome: 'refused', code: 'busy' })
    await cells.advance(601)
    expect(await choose(cells.worlds[0], file, other)).toMatchObject({ outcome: 'approved' })
    expect(await choose(cells.worlds[0], file, of)).toMatchObject({ status: 422 })
    expect(await paid()).toEqual([other.id])
  })

  it('of one killed before it was sent, the payment is that line’s for a while', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [other, of] = (await orderEach(cells)) as [Ordered, Ordered]
    const [one, two] = [await read(cells.worlds[0] as World, 'X'), await read(cells.worlds[0] as World, 'Y')]
    await claimFor(cells, one, of)
    expect(await choose(cells.worlds[0], two, of)).toMatchObject({ outcome: 'refused', code: 'busy' })
    await cells.advance(601)
    expect(await choose(cells.worlds[0], two, of)).toMatchObject({ outcome: 'approved' })
    expect(await choose(cells.worlds[0], one, other)).toMatchObject({ outcome: 'approved' })
    expect((await paid()).toSorted()).toEqual([of.id, other.id].toSorted())
  })

  it('of one that was killed before it was written beside the line, the line pays nothing else', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [other, of] = (await orderEach(cells)) as [Ordered, Ordered]
    const file = await read(cells.worlds[0] as World, 'VIREMENT')
    await claimFor(cells, file, of)
    await approveByHand(cells, of)
    await cells.advance(601)
    expect(await choose(cells.worlds[0], file, other)).toMatchObject({ outcome: 'refused', code: 'conflict' })
    expect(await paid()).toEqual([of.id])
  })

  it('one that was approved by hand meanwhile is refused, without the line beside it', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [, of, other] = (await orderEach(cells)) as [Ordered, Ordered, Ordered]
    const file = await read(cells.worlds[0] as World, 'VIREMENT')
    const acts = (cells.worlds[0] as World).service.parts.actsElsewhere as ActsElsewhere
    const { perform } = acts
    const byHand: typeof perform = async (...sent) => {
      Object.assign(acts, { perform })
      await approveByHand(cells, of)
      return perform(...sent)
    }
    Object.assign(acts, { perform: byHand })
    expect(await choose(cells.worlds[0], file, of)).toMatchObject({ outcome: 'refused', code: 'conflict' })
    expect((await stored(cells, file)).data).toMatchObject([{ state: 'open', payment_ids: [] }])
    expect(await choose(cells.worlds[0], file, other)).toMatchObject({ outcome: 'refused', code: 'conflict' })
  })

  it('of a payment that was refused in its cell, the line may pay another after a while', async () => {
    await using cells = await createCells(databases, { env: TWO })
    const [other, of] = (await orderEach(cells)) as [Ordered, Ordered]
    const file = await read(cells.worlds[0] as World, 'VIREMENT')
    expect(await choose(cells.worlds[0], file, of)).toMatchObject({ outcome: 'waits_for_second' })
    const refused = await operatorOf(cells.of(of.userId), KARIM).post(`/payments/${of.id}/refuse`, {
      why: 'x',
    })
    expect(refused.status).toBe(200)
    expect(await choose(cells.worlds[0], file, other)).toMatchObject({ outcome: 'refused', code: 'busy' })
    await cells.advance(601)
    expect(await choose(cells.worlds[0], file, other)).toMatchObject({ outcome: 'waits_for_second' })
    expect((await stored(cells, file)).data).toMatchObject([{ payment_ids: [other.id] }])
  })

  it('while it may be approved in another cell, its line is not withdrawn and not set aside', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [, of, next] = (await orderEach(cells)) as [Ordered, Ordered, Ordered]
    const operator = operatorOf(cells.worlds[2] as World, AMINA)
    const [file, another] = [
      await read(cells.worlds[0] as World, 'VIREMENT'),
      await read(cells.worlds[0] as World, 'OTHER'),
    ]
    await claimFor(cells, file, of)
    await claimFor(cells, another, next)
    const giveUp = async ({ path, lines: [{ id }] }: Read) => [
      await operator.post(`/bank-lines/${id}/set-aside`, { why: 'x' }),
      await operator.post(`${path}/withdraw`, { why: 'x' }),
    ]
    const busy = { status: 503, body: { code: 'busy' } }
    expect([...(await giveUp(file)), ...(await giveUp(another))]).toMatchObject([busy, busy, busy, busy])
    await approveByHand(cells, of)
    // What was claimed for it and is approved pays it, however old the claim.
    const conflict = { status: 409, body: { code: 'conflict' } }
    expect(await giveUp(file)).toMatchObject([conflict, conflict])
    expect((await stored(cells, file)).data).toMatchObject([{ payment_ids: [of.id] }])
    await cells.advance(601)
    expect((await operator.post(`${another.path}/withdraw`, { why: 'x' })).body).toMatchObject({
      withdrawn: 1,
    })
  })

  it('what was booked by hand in another cell settles the line that names it', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [, , of] = (await orderEach(cells)) as [Ordered, Ordered, Ordered]
    const file = await read(cells.worlds[0] as World, `VIREMENT ${of.reference}`)
    await approveByHand(cells, of)
    await cells.advance(61)
    expect((await stored(cells, file)).data).toMatchObject([{ state: 'approved', payment_ids: [of.id] }])
  })

  it('payments without money are those of all cells', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const orders = await orderEach(cells)
    await cells.advance(5 * 86_400)
    const body = fileOf(['OTHER']).replace('21/11', '20/11') + fileOf(['ANOTHER']).split('\r\n')[1]
    await fetch(`${cells.worlds[0]?.url}/api/v1/operator/statements?account=ccp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${AMINA}`, 'content-type': 'text/csv' },
      body: body.replace('21/11', '25/11'),
    })
    const { data } = (await operatorOf(cells.worlds[2] as World, AMINA).get('/statements/awaited')).body
    expect(data.map(({ payment_id }: { payment_id: string }) => payment_id).sort()).toEqual(
      orders.map(({ id }) => id).sort(),
    )
  })

  it('where a cell is gone, the others’ are approved, and what is its own is no choice', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { env: ENV, addresses: { b: servers } })
    const [ofA, ofB, ofC] = await orderEach(cells)
    const file = await read(cells.worlds[2] as World, ...[ofA, ofB, ofC].map((of) => `X ${of?.reference}`))
    const found = file.lines.map(({ match }: { match: { kind: string; candidates: unknown } }) => match)
    expect(found).toMatchObject([{ kind: 'sure' }, { kind: 'to_choose' }, { kind: 'sure' }])
    expect(JSON.stringify(found[1].candidates)).not.toContain(ofB?.id)
    const operator = operatorOf(cells.worlds[0] as World, AMINA)
    const { body } = await operator.post(`${file.path}/approve`, { why: 'those that are there' })
    // The claim of a payment may be the gone cell's.
    const isGone = (n: number) => cells.of([ofA, ofB, ofC][n]?.id ?? '') === cells.worlds[1]
    const became = (n: number) =>
      isGone(n) ? { outcome: 'refused', code: 'database_unavailable' } : { outcome: 'approved' }
    expect(body.results).toMatchObject([became(0), became(2)])
    expect(await paid()).toEqual([ofA, ofC].filter((_, n) => !isGone(2 * n)).map((of) => of?.id))
    expect((await operator.get(file.path)).body.cells_missing).toEqual(['b'])
  })

  it('where the first cell is gone, there are no statements', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { env: ENV, addresses: { a: servers } })
    const { status, body } = await read(cells.worlds[1] as World, 'X')
    expect([status, body.code, body.cell]).toEqual([503, 'database_unavailable', 'a'])
  })

  it('the console of any cell takes the file', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [, of] = await orderEach(cells)
    const world = cells.worlds[2] as World
    const visit = await enterConsole(world, AMINA)
    const { text } = await visit.open('/console/statements')
    const form = new FormData()
    form.append('form_token', /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '')
    form.append('account', 'ccp')
    form.append('file', new Blob([fileOf([`VIREMENT ${of?.reference}`])]), 'releve.csv')
    const headers = { cookie: visit.cookie }
    const body = form
    const sent = await fetch(`${world.url}/console/statements`, {
      ...{ method: 'POST', headers, body, redirect: 'manual' },
    })
    const location = sent.headers.get('location') ?? ''
    expect([sent.status, location]).toEqual([303, expect.stringMatching(/^\/console\/statements\/stm_/)])
    expect((await visit.open(location)).text).toContain(of?.userId)
  })

  it('a line that has paid in a database which becomes a cell has paid for all', async () => {
    const alone = await freshDatabase(kind)
    {
      await using world = await createWorld(alone, { env: ENV, host: 'none' })
      const [one, two] = [await order(world, 'user "1"'), await order(world, 'user-2')]
      const file = await read(world, 'VIREMENT')
      await read(world, 'ANOTHER')
      expect(await choose(world, file, one)).toMatchObject({ outcome: 'approved' })
      expect(two.id).not.toBe(one.id)
      expect(await alone.query(selectClaims)).toEqual([])
      const parts = new Set(Array.from({ length: 256 }, (_, part) => part))
      await claimDatabase(alone, { name: 'a', parts, servers: [], standbys: [] })
      const transfer = { user_id: one.id, kind: 'transfer', holder: file.lines[0].id }
      expect(await alone.query(selectClaims)).toEqual([transfer])
    }
    await alone.close()
  })
})
