import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { statement } from '../../../src/store/database.js'
import { openFolder } from '../../../src/store/pglite.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ishtirak-folder-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const insert = statement('test.folder.insert', 'insert into kept (value) values ($1)')
const count = statement('test.folder.count', 'select count(*) as count from kept')

it('flushes a commit to disk before it answers, and reads flush nothing', async () => {
  const database = await openFolder(folder)
  await database.script('create table kept (value integer)')
  for (let value = 1; value <= 3; value++) {
    const before = database.flushes
    await database.query(insert, [value])
    expect(database.flushes).toBeGreaterThan(before)
  }
  const before = database.flushes
  expect(await database.query(count)).toEqual([{ count: 3 }])
  expect(database.flushes).toBe(before)
  await database.close()

  const again = await openFolder(folder)
  expect(await again.query(count)).toEqual([{ count: 3 }])
  await again.close()
})
