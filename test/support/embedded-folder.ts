// Creating a migrated embedded database costs seconds of computing, so it is copied.
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { readDump } from './databases.js'

export async function makeEmbeddedFolder(folder: string): Promise<void> {
  await cp(await original(), path.join(folder, 'database'), { recursive: true })
}

/** Kept beside the dump that it was made from, for every file and every run. */
async function original(): Promise<string> {
  const made = `${inject('dumpPath')}.folder`
  if (existsSync(made)) return made
  const unfinished = await mkdtemp(`${made}.`)
  const dataDir = path.join(unfinished, 'postgres')
  await (await PGlite.create({ dataDir, loadDataDir: readDump('dumpPath') })).close()
  // Another worker may have been faster.
  await rename(unfinished, made).catch(() => rm(unfinished, { recursive: true }))
  return made
}
