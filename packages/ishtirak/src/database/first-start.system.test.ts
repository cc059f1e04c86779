// An embedded database created from nothing, as at a first start: seconds of computing each.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { statement } from './database.js'
import { DataFolderLocked } from './embedded/folder-lock.js'
import { openDatabase } from './open-database.js'

const version = statement(
  'test.first.version',
  `select current_setting('server_version_num')::int8 as version`,
)

it('memory: is embedded and leaves no file', async () => {
  const database = await openDatabase({ url: 'memory:' })
  expect(database.kind).toBe('pglite')
  expect((await database.query(version))[0]?.version).toBeGreaterThanOrEqual(150_000)
  await database.close()
})

it('without a URL it is the folder, which is created, and locked until it is closed', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'ishtirak-open-'))
  const dataDir = join(parent, 'a', 'b')
  const database = await openDatabase({ dataDir })
  expect(database.kind).toBe('pglite')
  expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true)
  await expect(openDatabase({ dataDir })).rejects.toBeInstanceOf(DataFolderLocked)
  await database.close()
  await (await openDatabase({ dataDir })).close()
  rmSync(parent, { recursive: true, force: true })
})
