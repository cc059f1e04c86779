// An act on many over several cells: the list is of all, and each has it done in its own cell.
import net from 'node:net'
import { expect, it } from 'vitest'
import { type CellWorlds, createCells, describeCells, usersOfCells } from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { freePort } from '../../../../test/support/free-port.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import type { World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'
import { workOff } from './work-off.js'

const WHY = 'outage of the 21st'
const OUTAGE = { active_from: '2026-11-21', active_until: '2026-11-21' }
const GRANT = { act: 'user.grant', filter: OUTAGE, input: { days: 7 }, why: WHY }

const selectGrants = statement('test.bulk_cells.grants', 'select user_id, days from grants order by 1')
const selectActs = statement(
  'test.bulk_cells.acts',
  `select user_id, actor, reason from audit where act = 'user.grant' order by 1`,
)

describeCells('an act on many in cells', (databases) => {
  const ofEach = (asked: typeof selectGrants) =>
    Promise.all(databases.map((database) => database.query(asked)))
  const granted = async () =>
    (await ofEach(selectGrants)).map((rows) => rows.map(({ user_id, days }) => [user_id, days]))
  /** Of each cell one user who paid. */
  async function payers(cells: CellWorlds) {
    const users = usersOfCells(cells, 1)
    for (const user of users) await cells.of(user).as(user).buy()
    return users
  }
  const ownerOf = (cells: CellWorlds, place: number) =>
    operatorOf(cells.worlds[place] as World, ROLE_KEYS.owner)
  const work = ({ worlds }: CellWorlds, id: string) =>
    workOff((worlds[1] as World).service.parts, id, { most: 1_000 })
  async function results(cells: CellWorlds, id: string) {
    const { data } = (await ownerOf(cells, 0).get(`/bulk/${id}/results`)).body
    return data.map((one: Record<string, string>) => [one.target, one.code ?? one.result])
  }

  it('counts users of all cells before, and grants to each in their own, once', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const { why: _, ...asked } = GRANT
    const preview = (await owner.post('/bulk/start/preview', asked)).body
    expect(preview).toMatchObject({ targets: 3, unit: 'days', sum: 21 })
    expect(preview.first).toHaveLength(3)
    for (const one of preview.first)
      expect(one).toMatchObject({
        refused: null,
        changes: [{ after: { current_period_end: '2026-12-28T12:00:00Z' } }],
      })
    expect(await granted()).toEqual([[], [], []])
    const { data } = (await owner.get(`/users?${new URLSearchParams(OUTAGE)}`)).body
    expect(data.map((one: { user_id: string }) => one.user_id).sort()).toEqual(users.toSorted())
    const { body: begun } = await owner.post('/bulk/start', { ...GRANT, operation_id: 'outage' })
    expect(begun).toMatchObject({ targets: 3, left: 3 })
    await cells.advance(1)
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    const acts = await ofEach(selectActs)
    expect(acts).toEqual(users.map((user_id) => [{ user_id, actor: 'owner', reason: WHY }]))
    // Any cell tells how far it is.
    const seen = (await ownerOf(cells, 2).get(`/bulk/${begun.id}`)).body
    expect(seen).toMatchObject({ done: 3, left: 0, sum_done: 21 })
  })

  it('is asked and confirmed on the page of any cell', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = await payers(cells)
    const visit = await enterConsole(cells.worlds[2] as World, ROLE_KEYS.owner)
    const of = { act: 'user.grant', 'of.active_from': '2026-11-21', 'of.active_until': '2026-11-21' }
    const path = '/console/bulk/start'
    const asked = await visit.ask(path, `?${new URLSearchParams({ ...of, days: '7' })}`)
    expect(asked.words).toContain('How many 3')
    for (const user of users)
      expect(asked.words).toContain(`${user} Pro until 21 December 2026 at 13:00 Pro until 28 December 2026`)
    const { status } = await visit.submit(path, { ...asked.fields, ...of, why: WHY })
    expect(status).toBe(303)
    await cells.advance(3)
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
  })

  it('takes payments by their ids, and refuses one that no cell has', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const payments = (await owner.get('/payments')).body.data.map(({ id }: { id: string }) => id)
    expect(payments).toHaveLength(users.length)
    const call = { act: 'payment.recheck', ids: [...payments, 'pay_none'], why: WHY }
    const { body } = await owner.post('/bulk/start', call)
    await work(cells, body.id)
    expect(await results(cells, body.id)).toEqual([
      ...payments.map((id: string) => [id, 'done']),
      ['pay_none', 'not_found'],
    ])
  })

  it('refuses a role that may not do it, and asks the bound of each where they are', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const [a, b, c] = (await payers(cells)) as [string, string, string]
    const support = operatorOf(cells.of(b), ROLE_KEYS.support)
    expect((await support.post('/bulk/start', { ...GRANT, input: { days: 31 } })).status).toBe(403)
    await support.post(`/users/${c}/grant`, { days: 29, why: WHY })
    const { body } = await support.post('/bulk/start', { ...GRANT, input: { days: 2 } })
    await work(cells, body.id)
    expect((await results(cells, body.id)).toSorted()).toEqual(
      [
        [a, 'done'],
        [b, 'done'],
        [c, 'role_not_allowed'],
      ].toSorted(),
    )
    expect(await granted()).toEqual([[[a, 2]], [[b, 2]], [[c, 29]]])
  })

  it('acts once where a process dies between the act in another cell and its mark', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = await payers(cells)
    const { body } = await ownerOf(cells, 1).post('/bulk/start', GRANT)
    const { parts } = (cells.worlds[1] as World).service
    const database = Object.create(parts.database)
    database.query = (sent: typeof selectGrants, values: never[]) => {
      if (sent.name === 'bulk.mark') throw new Error('killed')
      return parts.database.query(sent, values)
    }
    await expect(workOff({ ...parts, database }, body.id, { most: 10 })).rejects.toThrow('killed')
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    cells.worlds[1]?.clock.advance(121_000)
    await work(cells, body.id)
    expect((await results(cells, body.id)).map(([, became]: string[]) => became)).toEqual(
      users.map(() => 'done'),
    )
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
  })

  it('makes no list while a cell is gone; what that cell has of a list waits for it', async () => {
    const port = await freePort()
    const addresses = { c: [`127.0.0.1:${port}`] }
    await using cells = await createCells(databases, { env: ROLES_ENV, addresses })
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const { status, body } = await owner.post('/bulk/start', GRANT)
    expect([status, body.code]).toEqual([503, 'database_unavailable'])
    const { filter: _, ...byIds } = GRANT
    const { body: begun } = await owner.post('/bulk/start', { ...byIds, ids: users })
    await work(cells, begun.id)
    expect(await results(cells, begun.id)).toEqual(
      users.map((user, place) => [user, place < 2 ? 'done' : null]),
    )
    const { port: theirs } = new URL(cells.worlds[2]?.url ?? '')
    const relay = net.createServer((socket) => socket.pipe(net.connect(Number(theirs))).pipe(socket))
    await new Promise<void>((resolve) => relay.listen(port, '127.0.0.1', resolve))
    cells.worlds[1]?.clock.advance(121_000)
    await work(cells, begun.id)
    expect((await results(cells, begun.id)).map(([, became]: string[]) => became)).toEqual(
      users.map(() => 'done'),
    )
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    relay.close()
  })
})
