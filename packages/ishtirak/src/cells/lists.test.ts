// What each cell keeps by itself, as operators of any cell list it: all of them, each with its cell.
import { expect, it } from 'vitest'
import { createCells, describeCells, usersOfCells } from '../../../../test/support/cells.js'
import { CODE_ENV } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { freePort } from '../../../../test/support/free-port.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import type { World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'

const insertFinding = statement(
  'test.lists.finding',
  `insert into comparison_findings
     (user_id, method, checkout_id, kind, outcome, details, comparison_id, found_at, seen_at)
   values ($1, 'chargily', 'chk_1', 'unknown_paid', 'reported', '{}', 'one', $2, $2)`,
)
const NAMES = ['a', 'b', 'c']

/** In each cell a batch of codes, a comparison and events. */
async function fill(worlds: readonly World[], users: readonly string[]): Promise<void> {
  for (const [n, world] of worlds.entries()) {
    const [operator, user = ''] = [operatorOf(world), users[n]]
    await world.as(user).buy()
    const why = `of ${NAMES[n]}`
    const codes = { kind: 'months', plan: 'pro', months: 1, count: 3, operation_id: 'codes', why }
    expect((await operator.post('/codes/create', codes)).status).toBe(200)
    expect((await operator.post('/reconciliations/start', { since: '2026-11-01' })).status).toBe(200)
    world.clock.advance(1_000)
  }
}

describeCells('lists of what each cell keeps', (databases) => {
  it('are of all, the newest first, each with its cell', async () => {
    await using cells = await createCells(databases, { env: CODE_ENV })
    await fill(cells.worlds, usersOfCells(cells, 1))
    for (const world of cells.worlds) {
      for (const path of ['/codes', '/reconciliations']) {
        const { data } = (await operatorOf(world).get(path)).body
        expect([path, data.map(({ cell }: { cell: string }) => cell)]).toEqual([path, ['c', 'b', 'a']])
      }
    }
    const { open } = await enterConsole(cells.worlds[0] as World, OPERATOR_KEY)
    const named = (await open('/console/codes')).text.matchAll(/data-label="Cell"><div><bdi>(\w)</g)
    expect([...named].map(([, cell]) => cell)).toEqual(['c', 'b', 'a'])
  })

  it('are of one page each: a cursor goes on in all', async () => {
    await using cells = await createCells(databases, { env: CODE_ENV })
    await fill(cells.worlds, usersOfCells(cells, 1))
    const operator = operatorOf(cells.worlds[1] as World)
    const first = (await operator.get('/codes?limit=2')).body
    const second = (await operator.get(`/codes?limit=2&cursor=${first.next_cursor}`)).body
    const found = [...first.data, ...second.data].map(({ cell }: { cell: string }) => cell)
    expect([found, second.next_cursor]).toEqual([['c', 'b', 'a'], null])
  })

  it('events are those of all users, and a finding of any cell is listed', async () => {
    await using cells = await createCells(databases, { env: CODE_ENV })
    const users = usersOfCells(cells, 1)
    await fill(cells.worlds, users)
    for (const [n, database] of databases.entries())
      await database.query(insertFinding, [users[n] ?? '', `2026-11-2${n}T10:00:00Z`])
    const operator = operatorOf(cells.worlds[2] as World)
    const userIds = (of: readonly { readonly user_id: string }[]) => of.map(({ user_id }) => user_id)
    expect(new Set(userIds((await operator.get('/events')).body.data))).toEqual(new Set(users))
    const { findings } = (await operator.get('/reconciliations')).body
    expect(userIds(findings)).toEqual(users.toReversed())
  })

  it('a cell that is gone is named, and what is the others’ is there', async () => {
    const servers = [`127.0.0.1:${await freePort()}`]
    await using cells = await createCells(databases, { env: CODE_ENV, addresses: { b: servers } })
    await fill(cells.worlds, usersOfCells(cells, 1))
    for (const path of ['/codes', '/reconciliations', '/events']) {
      const { body } = await operatorOf(cells.worlds[0] as World).get(path)
      expect([path, body.cells_missing]).toEqual([path, ['b']])
      const named = body.data.map(({ cell }: { cell?: string }) => cell)
      if (path !== '/events') expect([path, named]).toEqual([path, ['c', 'a']])
    }
  })
})
