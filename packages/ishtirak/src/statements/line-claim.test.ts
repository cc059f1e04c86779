// Each cell reads the same bank statement in, for its own users: a line pays payments of one of them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CellWorlds, createCells, usersOfCells } from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { DATABASE_KINDS } from '../../../../test/support/database-kinds.js'
import { emptyAll, freshDatabase } from '../../../../test/support/databases.js'
import { freePort } from '../../../../test/support/free-port.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, START, type World } from '../../../../test/support/world.js'
import { claimDatabase } from '../cells/claim.sql.js'
import { claimName } from '../cells/claim-once.sql.js'
import { toTimestamp } from '../core/instant.js'
import { type Database, statement } from '../database/database.js'

const ENV = { TRANSFER_FILE }
const selectPaid = statement('test.claims.paid', `select user_id from payments where status = 'paid'`)
const selectClaims = statement('test.claims.all', 'select user_id, kind, holder from shop_claims')

async function order(world: World, userId: string) {
  const { body } = await world
    .as(userId)
    .post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
  return { id: String(body.id), reference: String(body.transfer.reference), amount: Number(body.amount) }
}
type Ordered = Awaited<ReturnType<typeof order>>

/** The file with one line; gives the statement, and its line. */
async function read(world: World, text: string, dinars: number) {
  const answer = await fetch(`${world.url}/api/v1/operator/statements?account=ccp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'text/csv' },
    body: `Date;Libellé;Débit;Crédit\r\n21/11/2026;${text};;${dinars}\r\n`,
  })
  const { statement_id: id, data } = await answer.json()
  return { path: `/statements/${id}`, line: data[0] }
}

async function choose(world: World, { path, line }: Awaited<ReturnType<typeof read>>, of: Ordered) {
  const wanted = { lines: [{ line: line.id, payment_id: of.id }], why: 'seen on the statement' }
  const { status, body } = await operatorOf(world).post(`${path}/approve`, wanted)
  return status === 200 ? body.results[0] : { status, code: body.code, cell: body.cell }
}

describe.each(DATABASE_KINDS)('a line of a bank statement in cells (%s)', (kind) => {
  let databases: readonly Database[]
  beforeAll(async () => {
    databases = await Promise.all([freshDatabase(kind), freshDatabase(kind), freshDatabase(kind)])
  })
  afterAll(() => Promise.all(databases.map((database) => database.close())))
  beforeEach(() => Promise.all(databases.map(emptyAll)))

  const paidBy = async () =>
    (await Promise.all(databases.map((database) => database.query(selectPaid))))
      .flat()
      .map(({ user_id }) => user_id)
  /** A transfer of a user of each cell, and the same line beside it. */
  const begin = async (cells: CellWorlds) => {
    const users = usersOfCells(cells, 1)
    const orders = await Promise.all(users.map((user) => order(cells.of(user), user)))
    const files: Awaited<ReturnType<typeof read>>[] = []
    for (const world of cells.worlds) files.push(await read(world, 'VIREMENT', 2_000))
    const at = (place: number) =>
      [cells.worlds[place] as World, files[place], orders[place]] as Parameters<typeof choose>
    return { users, orders, at }
  }

  it('pays a payment of one cell: chosen in another, it is refused with the first', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const { users, at } = await begin(cells)
    expect(new Set([0, 1, 2].map((place) => at(place)[1].line.id)).size).toBe(1)
    expect(await choose(...at(1))).toMatchObject({ outcome: 'approved' })
    for (const place of [0, 2])
      expect(await choose(...at(place))).toMatchObject({ outcome: 'refused', code: 'conflict' })
    expect(await paidBy()).toEqual([users[1]])
  })

  it('pays one of those that are chosen in each cell at one moment', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const { at } = await begin(cells)
    const results = await Promise.all([0, 1, 2].map((place) => choose(...at(place))))
    const approved = results.filter(({ outcome }) => outcome === 'approved')
    expect([approved.length, (await paidBy()).length]).toEqual([1, 1])
  })

  it('is free for another cell a while after it was claimed and paid nothing', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const { users, at } = await begin(cells)
    const { id } = at(0)[1].line
    const now = toTimestamp(cells.worlds[0]?.clock.now() ?? START)
    const database = databases[cells.worlds.indexOf(cells.of(id))]
    await database?.query(claimName, [id, 'bank_line', 'a', now, null, now])
    expect(await choose(...at(1))).toMatchObject({ outcome: 'refused', code: 'busy' })
    await cells.advance(601)
    expect(await choose(...at(1))).toMatchObject({ outcome: 'approved' })
    expect(await choose(...at(0))).toMatchObject({ outcome: 'refused', code: 'conflict' })
    expect(await paidBy()).toEqual([users[1]])
  })

  it('pays nothing while the cell is gone that says whether it has paid', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { env: ENV, addresses: { b: servers } })
    const { users, orders } = await begin(cells)
    const world = cells.worlds[0] as World
    const outcomes = []
    for (let n = 0; outcomes.length < 2; n++) {
      const file = await read(world, `VIREMENT ${n}`, 2_000)
      const isGone = cells.of(file.line.id) === cells.worlds[1]
      if (isGone !== (outcomes.length === 0)) continue
      outcomes.push(await choose(world, file, orders[0] as Ordered))
    }
    expect(outcomes).toMatchObject([
      { status: 503, code: 'database_unavailable', cell: 'b' },
      { outcome: 'approved' },
    ])
    expect(await paidBy()).toEqual([users[0]])
  })

  it('with the reference of another cell’s user names that cell, and is chosen nowhere else', async () => {
    await using cells = await createCells(databases, { env: ENV })
    const [ofA = '', ofB = ''] = usersOfCells(cells, 1)
    const [a, b] = cells.worlds as readonly [World, World]
    const [wrong, right] = [await order(a, ofA), await order(b, ofB)]
    const [elsewhere, here] = [
      await read(a, `VIREMENT ${right.reference}`, 2_000),
      await read(b, `VIREMENT ${right.reference}`, 2_000),
    ]
    expect(elsewhere.line).toMatchObject({ meant_for: 'b', match: { kind: 'unknown', candidates: [] } })
    expect(here.line).toMatchObject({ match: { kind: 'sure' } })
    expect(here.line).not.toHaveProperty('meant_for')
    expect(await choose(a, elsewhere, wrong)).toMatchObject({ status: 422 })
    const { open } = await enterConsole(a, OPERATOR_KEY)
    const { text } = await open(`/console${elsewhere.path}`)
    expect(text).toContain('data-label="Cell"><div><bdi>b<')
    expect(await choose(b, here, right)).toMatchObject({ outcome: 'approved' })
  })

  it('that has paid in a database which becomes a cell has paid for all', async () => {
    const alone = await freshDatabase(kind)
    {
      await using world = await createWorld(alone, { env: { ...OPERATOR_ENV, ...ENV }, host: 'none' })
      const ordered = await order(world, 'user-1')
      const file = await read(world, 'VIREMENT', 2_000)
      await read(world, 'ANOTHER', 2_000)
      expect(await choose(world, file, ordered)).toMatchObject({ outcome: 'approved' })
      expect(await alone.query(selectClaims)).toEqual([])
      const parts = new Set(Array.from({ length: 256 }, (_, part) => part))
      await claimDatabase(alone, { name: 'a', parts, servers: [], standbys: [] })
      expect(await alone.query(selectClaims)).toEqual([
        { user_id: file.line.id, kind: 'bank_line', holder: 'a' },
      ])
    }
    await alone.close()
  })
})
