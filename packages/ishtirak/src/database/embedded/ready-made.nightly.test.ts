import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { packCluster, withoutChance } from '../../../../../scripts/ready-made.mjs'
import { makeEmbeddedFolder } from '../../../../../test/support/embedded-folder.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { schemaFit } from '../migrate.js'
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

it('the one that the build makes is the same every time', async () => {
  const make = async (name: string) => {
    const database = await PGlite.create(join(parent, name))
    await database.close()
    return packCluster(join(parent, name))
  }
  const one = await withoutChance(() => make('one'))
  const other = await withoutChance(() => make('other'))
  expect(one.equals(other)).toBe(true)
})
