import { fdatasyncSync } from 'node:fs'
import { join } from 'node:path'
import { makeEmbeddedFolder } from '../../../../../test/support/embedded-folder.js'
import { sql } from '../../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { DatabaseUnavailable } from '../database.js'
import { openFolder } from './pglite.js'

const insert = sql('insert into kept (value) values ($1)')
const count = sql('select count(*) as count from kept')

let folder = ''
beforeEach(async () => {
  const parent = temporaryFolder()
  await makeEmbeddedFolder(parent)
  folder = join(parent, 'database')
})

it('a commit is flushed before it is answered, a read flushes nothing, and a new start has all', async () => {
  let flushes = 0
  const flush = (descriptor: number) => {
    fdatasyncSync(descriptor)
    flushes += 1
  }
  const database = await openFolder(folder, { flush })
  await database.script('create table kept (value integer)')
  for (let value = 1; value <= 3; value++) {
    const before = flushes
    await database.query(insert, [value])
    expect(flushes).toBeGreaterThan(before)
  }
  const afterWrites = flushes
  expect(await database.query(count)).toEqual([{ count: 3 }])
  expect(flushes).toBe(afterWrites)
  await database.close()

  const again = await openFolder(folder, { flush })
  expect(await again.query(count)).toEqual([{ count: 3 }])
  // Housekeeping: a checkpoint brings the pages themselves to disk.
  const before = flushes
  await again.maintain()
  expect(flushes).toBeGreaterThan(before)
  expect(await again.query(count)).toEqual([{ count: 3 }])
  await again.close()
})

it('a flush that fails is no commit: nothing more is answered, and a new start has the rest', async () => {
  let isBroken = false
  const failures: unknown[] = []
  const database = await openFolder(folder, {
    onFailure: (cause) => failures.push(cause),
    flush: (descriptor) => {
      if (isBroken) throw new Error('EIO: i/o error, fdatasync')
      fdatasyncSync(descriptor)
    },
  })
  await database.script('create table kept (value integer)')
  await database.query(insert, [1])
  isBroken = true
  await expect(database.query(insert, [2])).rejects.toBeInstanceOf(DatabaseUnavailable)
  isBroken = false
  await expect(database.query(count)).rejects.toBeInstanceOf(DatabaseUnavailable)
  await expect(database.transaction((t) => t.query(count))).rejects.toBeInstanceOf(DatabaseUnavailable)
  expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining('EIO') })])
  await database.close()

  const again = await openFolder(folder)
  // 1 was acknowledged. 2 was written and not flushed, so a real disk may or may not have it.
  expect((await again.query(count))[0]?.count).toBeGreaterThanOrEqual(1)
  await again.query(insert, [3])
  await again.close()
})
