// Creating a migrated embedded database costs seconds of computing, so it is copied.
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { readDump } from './databases.js'

export async function makeEmbeddedFolder(folder: string): Promise<void> {
  await cp(await original(), path.join(folder, 'database'), { recursive: true })
}

/** Kept beside the dump that it was made from, for every file and every run. */
async function original(): Promise<string> {
  const made = `${inject('dumpPath')}.folder`
  if (existsSync(made)) return made
  const unfinished = await mkdtemp(`${made}.`)
  const database = await openFolder(unfinished, { from: readDump('dumpPath') })
  await database.close()
  // The name of the lock stays behind; it is a socket, which cannot be copied.
  for (const name of await readdir(unfinished)) {
    if (name.startsWith('lock.')) await rm(path.join(unfinished, name))
  }
  // Another worker may have been faster.
  await rename(unfinished, made).catch(() => rm(unfinished, { recursive: true }))
  return made
}
