// Operators of any cell see one shop: what one service with all users would show, and what it lacks where a
// cell is gone.
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CELLS_KEY, type CellWorlds, createCells, usersOfCells } from '../../../../test/support/cells.js'
import { DATABASE_KINDS } from '../../../../test/support/database-kinds.js'
import { emptyAll, freshDatabase } from '../../../../test/support/databases.js'
import { freePort } from '../../../../test/support/free-port.js'
import { listen } from '../../../../test/support/listen.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { START, type World } from '../../../../test/support/world.js'
import type { Database } from '../database/database.js'
import { CELL_HEADER, ROWS_PATH } from './cell-calls.js'

describe.each(DATABASE_KINDS)('operators see one shop (%s)', (kind) => {
  let databases: readonly Database[]
  beforeAll(async () => {
    databases = await Promise.all([freshDatabase(kind), freshDatabase(kind), freshDatabase(kind)])
  })
  afterAll(() => Promise.all(databases.map((database) => database.close())))
  beforeEach(() => Promise.all(databases.map(emptyAll)))

  const underReview = async (cells: CellWorlds, users: readonly string[]) => {
    const [{ emulator }] = cells.worlds as [CellWorlds['worlds'][number]]
    for (const user of users) {
      emulator.setFaults({ wrong_amount: { times: 1 } })
      await cells.of(user).as(user).buy()
      await cells.advance(1)
    }
  }

  it('the inbox of each cell is that of all', async () => {
    await using cells = await createCells(databases)
    const users = usersOfCells(cells, 2)
    await underReview(cells, users)
    for (const world of cells.worlds) {
      const { body } = await operatorOf(world).get('/inbox')
      expect(body.data.map((entry: { user_id: string }) => entry.user_id)).toEqual(users)
      expect(Object.values(body.counts)).toContain(6)
      expect(body).not.toHaveProperty('cells_missing')
    }
  })

  const gone = {
    'that is stopped': async () => ({
      servers: [`127.0.0.1:${await freePort()}`],
      stop: async () => undefined,
    }),
    'that hangs': async () => answering(() => undefined),
    'that lies': async () => answering((response) => response.end('[]')),
    'that breaks off': async () => answering((response) => response.destroy()),
  }
  it.each(Object.entries(gone))('a cell %s is named, and the rest is there in time', async (_, start) => {
    const { servers, stop } = await start()
    await using cells = await createCells(databases, { addresses: { b: servers } })
    const users = usersOfCells(cells, 1)
    await underReview(cells, users)
    const [a] = cells.worlds
    const began = performance.now()
    const { status, body } = await operatorOf(a as World).get('/inbox')
    await stop()
    expect(status).toBe(200)
    expect(body.cells_missing).toEqual(['b'])
    expect(body.data.map((entry: { user_id: string }) => entry.user_id)).toEqual([users[0], users[2]])
    expect(performance.now() - began).toBeLessThan(3_500)
  })

  it('a cell with another key is not asked and does not ask', async () => {
    const CELLS_KEY = 'another secret that is longer than 32 bytes'
    await using cells = await createCells(databases, { envOf: (name) => (name === 'c' ? { CELLS_KEY } : {}) })
    const missing = cells.worlds.map(
      async (world) => (await operatorOf(world).get('/inbox')).body.cells_missing,
    )
    expect(await Promise.all(missing)).toEqual([['c'], ['c'], ['a', 'b']])
  })

  it('a key is changed: each cell takes the old and the new', async () => {
    const both = `the new secret that is longer than 32 bytes,${CELLS_KEY}`
    await using cells = await createCells(databases, {
      envOf: (name) => (name === 'a' ? {} : { CELLS_KEY: both }),
    })
    const [a, b] = cells.worlds.map((world) => operatorOf(world))
    expect((await b?.get('/inbox'))?.body.cells_missing).toEqual(['a'])
    expect((await a?.get('/inbox'))?.body).not.toHaveProperty('cells_missing')
  })

  it.each([
    ['none', {}],
    ['one of nobody', { [CELL_HEADER]: `a.${START}.c2lnbmVk` }],
  ])('without a signature nothing is read: %s', async (_, headers) => {
    await using cells = await createCells(databases)
    const [a] = cells.worlds
    const body = { name: 'inbox.counts', parameters: [] }
    expect((await a?.call('POST', ROWS_PATH, { body, headers }))?.status).toBe(401)
  })
})

/** A server that is no cell. */
async function answering(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response))
  const listening = await listen(server)
  return { servers: [new URL(listening.url).host], stop: listening[Symbol.asyncDispose] }
}
