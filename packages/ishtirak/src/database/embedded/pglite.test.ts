import { PGlite } from '@electric-sql/pglite'
import { expect, it } from 'vitest'
import { readDump } from '../../../../../test/support/databases.js'
import { statement } from '../database.js'
import { runTransaction } from '../session.js'
import { EmbeddedSession } from './wire-protocol.js'

const insert = statement('test.pglite.insert', 'insert into kept (value) values ($1)')
const count = statement('test.pglite.count', 'select count(*) as count from kept')

it('a transaction that awaits something else is rolled back; a statement waits for its slice', async () => {
  // PostgreSQL's own 128 MB of buffers are touched at the start, which took 0.7 s longer.
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=1MB']
  const pglite = await PGlite.create({ loadDataDir: readDump('emptyDumpPath'), startParams })
  await pglite.exec('create table kept (value integer)')
  let slices = 0
  const session = new EmbeddedSession(pglite, {
    nextSlice: () => {
      slices += 1
      return undefined
    },
    flushFailure: () => undefined,
    onFailure() {},
  })
  const forgotten = runTransaction(
    session,
    async (transaction) => {
      for (let value = 0; value < 5; value++) await transaction.query(insert, [value])
      expect(slices).toBeGreaterThanOrEqual(5)
      await new Promise(() => {})
    },
    { idleLimitMs: 20 },
  )
  await expect(forgotten).rejects.toMatchObject({ code: '25P04' })
  expect(await session.query(count, [])).toEqual([{ count: 0 }])
  await pglite.close()
})
