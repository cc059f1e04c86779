// An act on many over several cells: the list is of all, and each has it done in its own cell.
import net from 'node:net'
import { expect, it, vi } from 'vitest'
import { type CellWorlds, createCells, describeCells, usersOfCells } from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { freePort } from '../../../../test/support/free-port.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { Receiver } from '../../../../test/support/receiver.js'
import { relay } from '../../../../test/support/relay.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import type { World } from '../../../../test/support/world.js'
import { BillingError } from '../core/error.js'
import {
  type Database,
  DatabaseUnavailable,
  type Row,
  type Statement,
  statement,
} from '../database/database.js'
import { grantDays } from '../grants/grant.js'
import type { LiveCells } from '../runtime/cells.js'
import type { Log } from '../runtime/log.js'
import { workOff } from './work-off.js'

const WHY = 'outage of the 21st'
const OUTAGE = { active_from: '2026-11-21', active_until: '2026-11-21' }
const GRANT = { act: 'user.grant', filter: OUTAGE, input: { days: 7 }, why: WHY }

const selectGrants = statement('test.bulk_cells.grants', 'select user_id, days from grants order by 1')
const selectActs = statement(
  'test.bulk_cells.acts',
  `select user_id, actor, reason from audit where act = 'user.grant' order by 1`,
)

const selectEvents = statement('test.bulk_cells.events', 'select id from outbox order by sequence limit 1')
const markEvents = statement(
  'test.bulk_cells.mark_events',
  `update outbox set id = left(id, -4) || sequence || '000' returning id`,
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
    workOff((worlds[0] as World).service.parts, id, { most: 1_000 })
  /** With an address of c at which nothing is until it is relayed. */
  const withCAt = (port: number) =>
    createCells(databases, { env: ROLES_ENV, addresses: { c: [`127.0.0.1:${port}`] } })
  async function begin(cells: CellWorlds, ids: readonly string[]): Promise<string> {
    const { filter: _, ...byIds } = GRANT
    return (await ownerOf(cells, 1).post('/bulk/start', { ...byIds, ids })).body.id
  }
  type Send = () => Promise<readonly Row[]>
  /** By a process whose statements pass through `seen`. */
  function working(
    cells: CellWorlds,
    id: string | null,
    seen: (sent: Statement, send: Send) => ReturnType<Send>,
    log?: Log,
  ) {
    const { parts } = (cells.worlds[0] as World).service
    const database: Database = Object.create(parts.database)
    const query: Database['query'] = (sent, ...given) =>
      seen(sent, () => parts.database.query(sent, ...given))
    const deps = { ...parts, database: Object.assign(database, { query }) }
    return workOff(log ? { ...deps, log } : deps, id, { most: 1_000 })
  }
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

  it('is begun once of two sendings to two cells, at the same moment and later', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = await payers(cells)
    const send = (place: number) =>
      ownerOf(cells, place).post('/bulk/start', { ...GRANT, operation_id: 'outage' })
    const sent = [...(await Promise.all([send(1), send(2)])), await send(0)]
    expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1)
    await cells.advance(1)
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
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
    const killed = working(cells, body.id, async ({ name }, send) => {
      if (name === 'bulk.mark') throw new Error('killed')
      return send()
    })
    await expect(killed).rejects.toThrow('killed')
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
    await using cells = await withCAt(port)
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const { status, body } = await owner.post('/bulk/start', GRANT)
    expect([status, body.code, body.cell]).toEqual([503, 'database_unavailable', 'c'])
    const id = await begin(cells, users)
    await work(cells, id)
    expect(await results(cells, id)).toEqual(
      users.map((user, place) => [user, place < 2 ? 'done' : 'database_unavailable']),
    )
    const close = await relay(port, cells.worlds[2])
    cells.worlds[1]?.clock.advance(121_000)
    await work(cells, id)
    expect((await results(cells, id)).map(([, became]: string[]) => became)).toEqual(users.map(() => 'done'))
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    await close()
  })

  it('goes on with nothing where its operator is blocked, whichever cell they were made in', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    await payers(cells)
    const nadia = await madeIn(cells, 2)
    const { body } = await nadia(1).post('/bulk/start', GRANT)
    await ownerOf(cells, 0).post('/operators/nadia/block', { why: 'left' })
    await work(cells, body.id)
    const after = (await ownerOf(cells, 0).get(`/bulk/${body.id}`)).body
    expect(after).toMatchObject({ stopped: 3, left: 0, stopped_because: 'operator_unknown' })
    expect(await granted()).toEqual([[], [], []])
  })

  it('waits while the cell of its operator does not answer, since they may be blocked there', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const users = await payers(cells)
    const nadia = await madeIn(cells, 2)
    const close = await relay(port, cells.worlds[2])
    const { id } = (await nadia(1).post('/bulk/start', GRANT)).body
    await close()
    await work(cells, id)
    expect((await ownerOf(cells, 1).get(`/bulk/${id}`)).body).toMatchObject({ left: 3, finished_at: null })
    expect(await granted()).toEqual([[], [], []])
    const closeAgain = await relay(port, cells.worlds[2])
    await work(cells, id)
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    await closeAgain()
  })

  it('takes events by their ids, which do not tell the cell', async () => {
    const receiver = await Receiver.start()
    await using cells = await createCells(databases, { env: { ...ROLES_ENV, ...receiver.variables } })
    await payers(cells)
    await cells.advance(1)
    // Their ends look like the mark of a part of the first cell.
    await ofEach(markEvents)
    const ids = (await ofEach(selectEvents)).map(([event]) => String(event?.id))
    const call = { act: 'event.resend', ids: [...ids, 'evt_none00'], why: WHY }
    const { body } = await ownerOf(cells, 0).post('/bulk/start', call)
    await work(cells, body.id)
    expect(await results(cells, body.id)).toEqual([
      ...ids.map((id) => [id, 'done']),
      ['evt_none00', 'not_found'],
    ])
    await receiver.goDown()
  })

  it('tries again what the other cell says is not there: the two differ while users move', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = await payers(cells)
    const { body } = await ownerOf(cells, 1).post('/bulk/start', GRANT)
    const theirs = (cells.worlds[2] as World).service.parts.cells as LiveCells
    const { holderOf } = theirs
    // As after a move of a moment ago, of which the cell that asks has not heard.
    Object.assign(theirs, { holderOf: async () => theirs.all[0] })
    await work(cells, body.id)
    expect((await results(cells, body.id)).map(([, became]: string[]) => became)).toEqual([
      'done',
      'done',
      'busy',
    ])
    Object.assign(theirs, { holderOf })
    cells.worlds[1]?.clock.advance(121_000)
    await work(cells, body.id)
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
  })

  it('tells none as failed that was done and whose answer is lost, however often', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const id = await begin(cells, users)
    const close = await relay(port, cells.worlds[2], 'are cut off')
    for (let attempt = 1; attempt <= 5; attempt++) {
      await work(cells, id)
      cells.worlds[1]?.clock.advance(attempt * 121_000)
    }
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 2, failed: 0, left: 1 })
    const { data } = (await owner.get(`/bulk/${id}/results`)).body
    expect(data[2]).toEqual({ target: users[2], result: null, code: 'database_unavailable' })
    // Nothing of it is that cell's.
    const { open } = await enterConsole(cells.worlds[1] as World, ROLE_KEYS.owner)
    for (const path of ['/console/bulk', `/console/bulk/${id}`]) {
      const { text } = await open(path)
      expect(text).toContain(`/console/bulk/${id}`)
      expect(text).not.toContain('these cells do not answer')
    }
    await close()
    const closeAgain = await relay(port, cells.worlds[2])
    await work(cells, id)
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 3, left: 0, sum_done: 21 })
    expect(await granted()).toEqual(users.map((user) => [[user, 7]]))
    await closeAgain()
  })

  it('stops at once what waits for a cell, and says that it may have been done', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const id = await begin(cells, users)
    const close = await relay(port, cells.worlds[2], 'are cut off')
    await work(cells, id)
    await close()
    await owner.post(`/bulk/${id}/stop`, { why: 'cell c is gone for a day' })
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 2, stopped: 1, left: 0 })
    expect(await results(cells, id)).toEqual(
      users.map((user, place) => [user, place < 2 ? 'done' : 'outcome_unknown']),
    )
    const visit = await enterConsole(cells.worlds[1] as World, ROLE_KEYS.owner)
    expect((await visit.ask(`/console/bulk/${id}`)).words).toContain(
      `${users[2]} stopped may have been done: look before repeating it`,
    )
  })

  it('waits for an answer as long as the provider may take in the other cell', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const users = await payers(cells)
    const owner = ownerOf(cells, 1)
    const id = await begin(cells, users)
    // The provider is given up after 5 s.
    const close = await relay(port, cells.worlds[2], { lateMs: 5_000 })
    await work(cells, id)
    expect((await owner.get(`/bulk/${id}`)).body).toMatchObject({ done: 3, left: 0 })
    await close()
  })

  it('waits once for a cell that hangs, not for each target of it', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const users = usersOfCells(cells, 40).filter((user) => cells.of(user) === cells.worlds[2])
    let asked = 0
    const refusing = net.createServer((socket) => {
      asked += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => refusing.listen(port, '127.0.0.1', resolve))
    const id = await begin(cells, users)
    const askedAfter = async (ms: number) => {
      cells.worlds[1]?.clock.advance(ms)
      asked = 0
      await work(cells, id)
      return asked
    }
    // Eight are acted on at once; the operator is looked up before.
    expect(await askedAfter(0)).toBeLessThanOrEqual(9)
    expect(await askedAfter(121_000)).toBeGreaterThan(1)
    // The second attempt waits twice as long.
    expect(await askedAfter(121_000)).toBe(1)
    expect(await askedAfter(121_000)).toBeGreaterThan(1)
    expect((await ownerOf(cells, 0).get(`/bulk/${id}`)).body.left).toBe(users.length)
    refusing.close()
  })

  it('previews the first of a list at once, so that a cell which hangs costs one wait', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const users = usersOfCells(cells, 10).filter((user) => cells.of(user) === cells.worlds[2])
    const waiting: net.Socket[] = []
    const hanging = net.createServer((socket) => {
      waiting.push(socket)
      if (waiting.length === users.length) for (const one of waiting) one.destroy()
    })
    await new Promise<void>((resolve) => hanging.listen(port, '127.0.0.1', resolve))
    const asked = { act: 'user.grant', ids: users, input: { days: 7 } }
    const { body } = await ownerOf(cells, 0).post('/bulk/start/preview', asked)
    expect(body.first.map(({ refused }: { refused: string }) => refused)).toEqual(
      users.map(() => 'database_unavailable'),
    )
    expect(waiting).toHaveLength(10)
    hanging.close()
  })

  it('tells none as failed that was done while its own database was lost', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const [user] = (await payers(cells)) as [string]
    const id = await begin(cells, [user])
    for (let attempt = 1; attempt <= 4; attempt++) {
      await working(cells, id, async ({ name }, send) => {
        const rows = await send()
        if (/^(settlements|audit)\./.test(name)) throw new DatabaseUnavailable('the answer is lost')
        return rows
      })
      cells.worlds[1]?.clock.advance(attempt * 121_000)
    }
    expect((await granted())[0]).toEqual([[user, 7]])
    expect(await results(cells, id)).toEqual([[user, 'database_unavailable']])
    cells.worlds[1]?.clock.advance(600_000)
    await work(cells, id)
    expect(await results(cells, id)).toEqual([[user, 'done']])
    expect((await granted())[0]).toEqual([[user, 7]])
  })

  it('says done of what was done, whatever a slower process says of an earlier attempt', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const [user] = (await payers(cells)) as [string]
    const id = await begin(cells, [user])
    const failing = vi.spyOn(grantDays, 'run').mockRejectedValue(new BillingError('provider_unavailable'))
    for (let attempt = 1; attempt <= 2; attempt++) {
      await work(cells, id)
      cells.worlds[1]?.clock.advance(attempt * 121_000)
    }
    await working(cells, id, async ({ name }, send) => {
      if (name !== 'bulk.mark') return send()
      // It hangs before it says that the third has failed; another does it, and is slow too.
      failing.mockRestore()
      cells.worlds[1]?.clock.advance(363_000)
      await working(cells, id, async (sent, sendOther) => {
        if (sent.name === 'bulk.mark') await send()
        return sendOther()
      })
      return []
    })
    expect((await granted())[0]).toEqual([[user, 7]])
    expect(await results(cells, id)).toEqual([[user, 'done']])
  })

  it('takes no cell for gone that fails at some: the others behind them have their turn', async () => {
    await using cells = await createCells(databases, { env: ROLES_ENV })
    const users = usersOfCells(cells, 9).filter((user) => cells.of(user) === cells.worlds[2])
    const last = users[8] as string
    await cells.of(last).as(last).buy()
    const id = await begin(cells, users)
    const { about } = grantDays.on
    const broken = vi.spyOn(grantDays.on, 'about').mockImplementation((deps, user) => {
      if (user !== last) throw new Error('a bug')
      return about(deps, user)
    })
    await work(cells, id)
    broken.mockRestore()
    expect(await results(cells, id)).toEqual(
      users.map((user) => [user, user === last ? 'done' : 'internal_error']),
    )
  })

  it('gives each act on many its turn while a cell is gone, and logs no line for each target', async () => {
    const port = await freePort()
    await using cells = await withCAt(port)
    const [here] = (await payers(cells)) as [string]
    const gone = usersOfCells(cells, 150).filter((user) => cells.of(user) === cells.worlds[2])
    const first = await begin(cells, gone)
    cells.worlds[1]?.clock.advance(1_000)
    const second = await begin(cells, [here])
    const chunks: string[] = []
    const warned: unknown[] = []
    const { log } = (cells.worlds[0] as World).service.parts
    const counting = Object.assign(Object.create(log), { warn: (line: unknown) => warned.push(line) })
    const seen = async ({ name }: Statement, send: Send) => {
      if (name === 'bulk.mark') chunks.push((await results(cells, second))[0]?.[1])
      return send()
    }
    await working(cells, null, seen, counting)
    // Before the second chunk of the first list, the second list is done.
    expect(chunks).toEqual([null, null, 'done'])
    expect(warned).toEqual([])
    expect((await ownerOf(cells, 0).get(`/bulk/${first}`)).body.left).toBe(gone.length)
  })

  /** An operator who was made in one cell, as any cell knows them. */
  async function madeIn(cells: CellWorlds, place: number) {
    const wanted = { name: 'nadia', role: 'owner', why: WHY }
    const { key } = (await ownerOf(cells, place).post('/operators/create', wanted)).body
    return (at: number) => operatorOf(cells.worlds[at] as World, key)
  }
})
