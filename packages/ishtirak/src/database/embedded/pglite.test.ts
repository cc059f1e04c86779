import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDump } from '../../../../../test/support/databases.js'
import { statement } from '../database.js'
import { runTransaction } from '../session.js'
import { type EmbeddedDatabase, openMemory } from './pglite.js'
import { EmbeddedSession } from './wire-protocol.js'

const one = statement('test.pglite.one', 'select 1 as one')
const insert = statement('test.pglite.insert', 'insert into kept (value) values ($1)')
const count = statement('test.pglite.count', 'select count(*) as count from kept')

describe('in memory', () => {
  let database: EmbeddedDatabase
  beforeAll(async () => {
    database = await openMemory(readDump('emptyDumpPath'))
    await database.script('create table kept (value integer)')
  })
  afterAll(() => database.close())

  it('3,000 calls at once leave the event loop free: no turn of it costs 50 ms', async () => {
    let isDone = false
    const turns: number[] = []
    const watch = () => {
      // Processor time of this process, not the clock: other processes on the machine do not count.
      const before = process.cpuUsage()
      setImmediate(() => {
        const { user, system } = process.cpuUsage(before)
        turns.push((user + system) / 1000)
        if (!isDone) watch()
      })
    }
    watch()
    const callAll = () =>
      Promise.all(Array.from({ length: 3_000 }, (_, value) => database.query(insert, [value])))
    for (let wave = 0; wave < 4; wave++) await callAll()
    isDone = true
    expect(await database.query(count)).toEqual([{ count: 12_000 }])
    // Blocked, each wave would be one long turn. A garbage collection may stretch single ones.
    expect(turns.length).toBeGreaterThan(10)
    const [, , third] = turns.sort((a, b) => b - a)
    expect(third).toBeLessThan(50)
  })

  it('a long transaction leaves the event loop free too', async () => {
    let turns = 0
    let isDone = false
    const watch = () =>
      setImmediate(() => {
        turns += 1
        if (!isDone) watch()
      })
    watch()
    await database.transaction(async (transaction) => {
      for (let value = 0; value < 20_000; value++) await transaction.query(insert, [value])
    })
    isDone = true
    expect(turns).toBeGreaterThan(3)
  })

  it('calls are answered in the order they came in', async () => {
    const order: number[] = []
    const calls = Array.from({ length: 20 }, (_, index) => database.query(one).then(() => order.push(index)))
    await Promise.all(calls)
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })

  it('a dump opens as a database of its own', async () => {
    const copy = await openMemory(await database.dump())
    await database.query(insert, [-1])
    const [original] = await database.query(count)
    expect(await copy.query(count)).toEqual([{ count: Number(original?.count) - 1 }])
    await copy.close()
  })
})

describe('a session', () => {
  let pglite: PGlite
  beforeAll(async () => {
    pglite = await PGlite.create({ loadDataDir: readDump('emptyDumpPath') })
  })
  afterAll(() => pglite.close())
  const surroundings = {
    nextSlice: () => undefined,
    flushFailure: (): unknown => undefined,
    onFailure: () => {},
  }

  it(
    'a transaction that awaits something else is rolled back, and does not stop everyone for ' + 'ever',
    async () => {
      await pglite.exec('create table kept (value integer)')
      const two = statement('test.pglite.two', 'select count(*) as count from kept')
      const session = new EmbeddedSession(pglite, surroundings)
      const forgotten = runTransaction(
        session,
        async (transaction) => {
          await transaction.query(insert, [1])
          await new Promise(() => {})
        },
        { idleLimitMs: 20 },
      )
      await expect(forgotten).rejects.toMatchObject({ code: '25P04' })
      expect(await session.query(two, [])).toEqual([{ count: 0 }])
    },
  )
})
