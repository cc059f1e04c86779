// A data folder that exists is opened or refused. Nothing is ever created over what is left of a database.

import * as fs from 'node:fs'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeEmbeddedFolder } from '../../../../../test/support/embedded-folder.js'
import { sql } from '../../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { clusterPaths, markIfNew } from './cluster-folder.js'
import { openFolder } from './pglite.js'

const kept = sql('select value from kept')

const parent = temporaryFolder()
let folder = ''
let copies = 0
beforeAll(async () => {
  await makeEmbeddedFolder(parent)
  renameSync(join(parent, 'database'), join(parent, 'whole'))
  const database = await openFolder(join(parent, 'whole'))
  await database.script('create table kept (value integer); insert into kept values (7)')
  await database.close()
  // The name of the lock stays behind; it is a socket, which cannot be copied.
  for (const name of readdirSync(join(parent, 'whole'))) {
    if (name !== 'postgres') rmSync(join(parent, 'whole', name))
  }
  cpSync(join(parent, 'whole'), join(parent, 'names'), { recursive: true })
  for (const file of readdirSync(join(parent, 'names'), { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (file.isFile() && fs.statSync(path).size > 8_192) fs.truncateSync(path, 0)
  }
})

/** `names` leaves out files that are longer than a page, which keeps a hundredth of the bytes. */
function copyOf(original: 'whole' | 'names'): void {
  copies += 1
  folder = join(parent, `copy-${copies}`)
  cpSync(join(parent, original), folder, { recursive: true })
  writeFileSync(join(folder, 'lock.1'), '')
}

const inside = (name: string) => join(folder, 'postgres', name)
const remove = (name: string) => rmSync(inside(name), { recursive: true })

function contents(): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const others = files.filter((file) => !file.name.startsWith('lock.'))
  const paths = others.map((file) => ({ path: join(file.parentPath, file.name), isFile: file.isFile() }))
  return new Map(paths.map(({ path, isFile }) => [path, isFile ? fs.readFileSync(path, 'latin1') : 'folder']))
}

describe('a damaged folder is refused, names what is missing, and stays as it is', () => {
  beforeEach(() => copyOf('names'))

  const empty = (name: string) => {
    remove(name)
    mkdirSync(inside(name))
  }
  const replaceBy = (name: string) => {
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    writeFileSync(join(folder, name), '')
  }
  it.each<[string, () => void, string]>([
    ['PG_VERSION is gone', () => remove('PG_VERSION'), 'PG_VERSION is missing'],
    ['PG_VERSION is empty', () => writeFileSync(inside('PG_VERSION'), ''), 'PG_VERSION is empty'],
    ['postgres/ is empty', () => empty(''), 'PG_VERSION is missing'],
    ['postgres/ is gone', () => remove(''), 'postgres/ is missing; found: only the lock'],
    ['it is of another version', () => writeFileSync(inside('PG_VERSION'), '17\n'), 'is PostgreSQL 17'],
    [
      'only files of others are there',
      () => replaceBy('notes.txt'),
      'postgres/ is missing; found: notes.txt',
    ],
    ['a database lies one level too high', () => replaceBy('PG_VERSION'), 'is missing; found: PG_VERSION'],
  ])('%s', async (_, damage, sentence) => {
    damage()
    const before = contents()
    const refused = openFolder(folder)
    await expect(refused).rejects.toMatchObject({ name: 'DataFolderDamaged' })
    await expect(refused).rejects.toThrow(sentence)
    await expect(refused).rejects.toThrow('backup')
    expect(contents()).toEqual(before)
  })
})

describe('a database that lacks a part does not start, and is not replaced', () => {
  beforeEach(() => copyOf('whole'))

  it.each(['base', 'pg_wal', 'global/pg_control', 'pg_xact'])('%s', async (name) => {
    remove(name)
    const refused = openFolder(folder)
    await expect(refused).rejects.toMatchObject({ name: 'DataFolderDamaged' })
    await expect(refused).rejects.toThrow('PostgreSQL does not start on it')
    expect(existsSync(inside('PG_VERSION'))).toBe(true)
  })
})

it('what was missing is put back: all is there, whatever files of others lie beside it', async () => {
  copyOf('whole')
  renameSync(inside('PG_VERSION'), join(parent, 'PG_VERSION'))
  await expect(openFolder(folder)).rejects.toThrow('PG_VERSION')
  renameSync(join(parent, 'PG_VERSION'), inside('PG_VERSION'))
  writeFileSync(join(folder, 'notes.txt'), 'not ours')
  const database = await openFolder(folder)
  expect(await database.query(kept)).toEqual([{ value: 7 }])
  await database.close()
})

describe('a first start that was cut off is no damage: the next one creates the database', () => {
  beforeEach(() => copyOf('names'))

  it.each<[string, () => void]>([
    [
      'before the lock, or between the lock and the first file',
      () => {
        rmSync(folder, { recursive: true })
        mkdirSync(join(folder, 'lost+found'), { recursive: true })
        markIfNew(folder)
        writeFileSync(join(folder, 'lock.1'), '')
      },
    ],
    [
      'in the middle of it',
      () => {
        renameSync(inside(''), clusterPaths(folder).unfinished)
        rmSync(join(clusterPaths(folder).unfinished, 'PG_VERSION'))
      },
    ],
  ])('%s', async (_, cutOff) => {
    cutOff()
    const database = await openFolder(folder)
    await database.close()
    expect(existsSync(inside('PG_VERSION'))).toBe(true)
    expect(existsSync(clusterPaths(folder).unfinished)).toBe(false)
  })
})
