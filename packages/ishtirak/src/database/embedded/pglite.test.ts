import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDump } from '../../../../../test/support/databases.js'
import { givenUpAfter, statement } from '../database.js'
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

  it('4,000 calls at once, and a long transaction, leave the event loop free', async () => {
    const turnsDuring = async (work: () => Promise<unknown>) => {
      let turns = 0
      let isDone = false
      const watch = () =>
        setImmediate(() => {
          turns += 1
          if (!isDone) watch()
        })
      watch()
      await work()
      isDone = true
      return turns
    }
    const values = Array.from({ length: 4_000 }, (_, value) => value)
    // However slow the machine is, no call is given up before its turn.
    const patient = givenUpAfter(Number.POSITIVE_INFINITY)
    const callAll = () => Promise.all(values.map((value) => database.query(insert, [value], patient)))
    const oneByOne = () =>
      database.transaction(async (transaction) => {
        for (let value = 0; value < 5_000; value++) await transaction.query(insert, [value])
      })
    // Blocked, each would be one long turn. Otherwise there are about 40, and fewer on a faster machine.
    const turns = [await turnsDuring(callAll), await turnsDuring(oneByOne)]
    expect(await database.query(count)).toEqual([{ count: 9_000 }])
    expect(turns.filter((count) => count <= 2)).toEqual([])
  })

  it('calls are answered in the order they came in', async () => {
    const order: number[] = []
    const calls = Array.from({ length: 20 }, (_, index) => database.query(one).then(() => order.push(index)))
    await Promise.all(calls)
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index))
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
    flushFailure: () => undefined as unknown,
    onFailure() {},
  }

  it('a transaction that awaits something else is rolled back, and does not stop everyone', async () => {
    await pglite.exec('create table kept (value integer)')
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
    expect(await session.query(count, [])).toEqual([{ count: 0 }])
  })
})
