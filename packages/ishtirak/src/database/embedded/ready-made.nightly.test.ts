import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path, { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeReadyMade, packCluster, withoutChance } from '../../../../../scripts/ready-made.mjs'
import { makeEmbeddedFolder } from '../../../../../test/support/embedded-folder.js'
import { buildOnce } from '../../../../../test/support/process.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { migrate, schemaFit } from '../migrate.js'
import { openFolder, openMemory } from './pglite.js'
import { readyMadeDump, unpackReadyMade } from './ready-made.js'

let parent = ''
beforeEach(() => {
  parent = temporaryFolder()
})

const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((file) => {
      const path = join(file.parentPath, file.name)
      return [path.slice(folder.length), file.isFile() ? readFileSync(path, 'latin1') : 'folder']
    })
    .sort()

it('unpacked it has every file and folder, and opens, also in memory', async () => {
  await makeEmbeddedFolder(parent)
  const original = join(parent, 'database/postgres')
  const unpacked = join(parent, 'copy/postgres')
  const file = join(parent, 'cluster.tar.br')
  writeFileSync(file, packCluster(original))
  mkdirSync(unpacked, { recursive: true })
  expect(await unpackReadyMade(unpacked, file)).toBe(true)
  expect(contents(unpacked)).toEqual(contents(original))
  const inFolder = await openFolder(join(parent, 'copy'))
  const inMemory = await openMemory(await readyMadeDump(file))
  for (const database of [inFolder, inMemory]) {
    expect(await schemaFit(database)).toMatchObject({ runs: true })
    await database.close()
  }
})

it('the build makes the same one every time, with the schema in it', async () => {
  const make = () => withoutChance(() => makeReadyMade({ openFolder, migrate }))
  const file = join(parent, 'cluster.tar.br')
  writeFileSync(file, await make())
  expect((await make()).equals(readFileSync(file))).toBe(true)
  const database = await openMemory(await readyMadeDump(file))
  expect(await migrate(database)).toEqual({ applied: [], version: 1 })
  await database.close()
})

// From src/ no file is found, so the built service is asked.
it.each([
  ['has no tables when a backup is restored', { isBare: true }, ['0001_schema.sql']],
  ['has no tables when its schema has a name', { schema: 'billing' }, ['0001_schema.sql']],
  ['has the schema otherwise', {}, []],
])('a new database of the built service %s', async (_name, options, applied) => {
  buildOnce()
  const built = path.resolve(import.meta.dirname, '../../../dist/main/internal.js')
  const service: typeof import('../../main/internal.js') = await import(pathToFileURL(built).href)
  const database = await service.openDatabase({ dataDir: parent, ...options })
  expect((await service.migrate(database)).applied).toEqual(applied)
  await database.close()
})
