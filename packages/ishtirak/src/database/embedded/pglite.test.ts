import type { PGlite } from '@electric-sql/pglite'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../../../../../test/support/databases.js'
import { sql } from '../../../../../test/support/sql.js'
import { runTransaction } from '../session.js'
import { EmbeddedSession } from './wire-protocol.js'

const insert = sql('insert into kept (value) values ($1)')
const count = sql('select count(*) as count from kept')

it('a transaction that awaits something else is rolled back; a statement waits for its slice', async () => {
  // A second session on the database of this worker: another one takes two seconds to open.
  const database = await emptyDatabase('pglite')
  const { pglite } = database as unknown as { readonly pglite: PGlite }
  await database.script('create table kept (value integer)')
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
  await database.script('drop table kept')
})
