// A reference of the desk names one payment over all cells, as it does in one database.
import { expect, it } from 'vitest'
import { type CellWorlds, createCells, describeCells, usersOfCells } from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { freshDatabase } from '../../../../test/support/databases.js'
import { freePort } from '../../../../test/support/free-port.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { createWorld, START, type World } from '../../../../test/support/world.js'
import { claimName } from '../acts/claim-once.sql.js'
import { claimDatabase } from '../cells/claim.sql.js'
import { toTimestamp } from '../core/instant.js'
import { statement } from '../database/database.js'

const claims = statement('test.references.all', 'select user_id, holder from shop_claims')
const payers = statement(
  'test.references.payers',
  `select user_id from payments where method = 'cheque' and method_reference = $1`,
)
const CHEQUE = { new_user: true, plan: 'pro', method: 'cheque', amount: 2_000, why: 'paid at the desk' }

const record = (world: World | undefined, user: string, reference: string) =>
  operatorOf(world as World).post(`/users/${user}/record`, { ...CHEQUE, reference })
const preview = (world: World | undefined, user: string, reference: string) => {
  const { new_user: isNew, plan, method } = CHEQUE
  const asked = new URLSearchParams({ new_user: String(isNew), plan, method, reference })
  return operatorOf(world as World).get(`/users/${user}/record?${asked}`)
}

describeCells('references of the desk in cells', (databases, kind) => {
  /** One of which each cell has the part. */
  const referencesOf = (cells: CellWorlds) => usersOfCells(cells, 1, 'BNA 4711-')
  const payersOf = async (reference: string) =>
    (await Promise.all(databases.map((database) => database.query(payers, [reference])))).flat()
  const databaseOf = (cells: CellWorlds, id: string) => databases[cells.worlds.indexOf(cells.of(id))]

  it('the same slip for users of two cells is refused as for two users of one', async () => {
    await using cells = await createCells(databases)
    const [first = '', neighbour = '', other = ''] = usersOfCells(cells, 2)
    for (const reference of referencesOf(cells)) {
      const { status, body } = await record(cells.of(first), first, reference)
      expect(status).toBe(200)
      const refused = [
        await record(cells.of(neighbour), neighbour, reference),
        await record(cells.of(other), other, reference),
        await preview(cells.of(other), other, reference),
      ]
      const [as] = refused
      expect(as?.body).toMatchObject({
        code: 'conflict',
        payment_id: body.payment.id,
        payment_status: 'paid',
      })
      const same = { code: as?.body.code, detail: as?.body.detail, payment_id: body.payment.id }
      for (const one of refused) expect([one.status, one.body]).toMatchObject([409, same])
      const again = await record(cells.of(first), first, reference)
      expect([again.status, again.body.payment.id]).toEqual([200, body.payment.id])
      expect(await payersOf(reference)).toEqual([{ user_id: first }])
    }
  })

  it('of two at one moment one is recorded, and the other refused', async () => {
    await using cells = await createCells(databases)
    const users = usersOfCells(cells, 1)
    for (const reference of referencesOf(cells)) {
      const answers = await Promise.all(users.map((user) => record(cells.of(user), user, reference)))
      const statuses = answers.map(({ status }) => status)
      expect([statuses.filter((status) => status === 200), await payersOf(reference)]).toEqual([
        [200],
        [{ user_id: users[statuses.indexOf(200)] }],
      ])
      const again = await Promise.all(users.map((user) => record(cells.of(user), user, reference)))
      expect(again.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    }
  })

  it('of a recording that was killed it is the same user’s, and another’s after a while', async () => {
    await using cells = await createCells(databases)
    const [first = '', second = '', third = ''] = usersOfCells(cells, 1)
    for (const [n, reference] of referencesOf(cells).entries()) {
      const comesAgain = n === 0
      const now = toTimestamp(cells.worlds[0]?.clock.now() ?? START)
      const killed = [reference, 'cheque', first, now, null, now]
      await databaseOf(cells, reference)?.query(claimName, killed)
      expect((await preview(cells.of(second), second, reference)).status).toBe(200)
      expect((await record(cells.of(second), second, reference)).body).toMatchObject({ code: 'busy' })
      if (comesAgain) expect((await record(cells.of(first), first, reference)).status).toBe(200)
      await cells.advance(601)
      const later = await record(cells.of(second), second, reference)
      expect(later.status).toBe(comesAgain ? 409 : 200)
      expect((await record(cells.of(third), third, reference)).status).toBe(409)
      expect((await record(cells.of(first), first, reference)).status).toBe(comesAgain ? 200 : 409)
    }
  })

  it('where the cell of the part is gone, nothing is recorded; the others’ references are', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { addresses: { b: servers } })
    const [user = ''] = usersOfCells(cells, 1)
    const [ofA = '', ofB = '', ofC = ''] = referencesOf(cells)
    const gone = await record(cells.of(user), user, ofB)
    expect([gone.status, gone.body.code, gone.body.cell]).toEqual([503, 'database_unavailable', 'b'])
    expect(await payersOf(ofB)).toEqual([])
    for (const reference of [ofA, ofC])
      expect((await record(cells.of(user), user, reference)).status).toBe(200)
  })

  it('the form takes money of a user of another cell, and names a cell that is gone', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { addresses: { b: servers } })
    const [, , user = ''] = usersOfCells(cells, 1)
    const [ofA = '', ofB = ''] = referencesOf(cells)
    await cells.of(user).as(user).buy()
    const visit = await enterConsole(cells.worlds[0] as World, OPERATOR_KEY)
    const found = await visit.open(`/console/counter?q=${user}`)
    const location = new URL(found.headers.get('location') ?? '', 'http://cells.test').pathname
    expect([found.status, location]).toEqual([303, `/console/counter/${user}`])
    expect((await visit.open(location)).text).toContain(`/console/users/${user}/record`)
    const asked = (reference: string) =>
      visit.ask(
        `/console/users/${user}/record`,
        `?${new URLSearchParams({ offer: '1 pro', method: 'cheque', reference })}`,
      )
    const form = await asked(ofA)
    expect([form.status, form.fields]).toMatchObject([200, { reference: ofA, amount: '2000' }])
    const sent = await visit.submit(form.path, { ...form.fields, why: 'paid at the desk' })
    expect(sent.status).toBe(303)
    expect(await payersOf(ofA)).toEqual([{ user_id: user }])
    expect(await visit.follow(sent)).toContain(user)
    const again = await visit.submit(form.path, { ...form.fields, why: 'paid at the desk' })
    expect(again.headers.get('location')).toBe(sent.headers.get('location'))
    const gone = await asked(ofB)
    expect([gone.status, gone.words]).toEqual([503, expect.stringContaining('Cell b does not answer')])
  })

  it('a database that becomes a cell keeps the references that it has', async () => {
    const alone = await freshDatabase(kind)
    const [first = '', second = ''] = ['user-1', 'user-2']
    {
      await using world = await createWorld(alone, { env: OPERATOR_ENV, host: 'none' })
      expect((await record(world, first, 'BNA 1')).status).toBe(200)
      expect((await record(world, second, 'BNA 2')).status).toBe(200)
      expect(await alone.query(claims)).toEqual([])
    }
    const parts = new Set(Array.from({ length: 256 }, (_, part) => part))
    await claimDatabase(alone, { name: 'a', parts, servers: [], standbys: [] })
    expect(await alone.query(claims)).toEqual([
      { user_id: 'BNA 1', holder: first },
      { user_id: 'BNA 2', holder: second },
    ])
    await alone.close()
  })
})
