// A data folder with a migrated embedded database in it, to be copied: creating one costs seconds of computing.
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { readDump } from './databases.js'

/** `folder` is what DATA_DIR names. */
export async function makeEmbeddedFolder(folder: string): Promise<void> {
  const inside = path.join(folder, 'database')
  const database = await openFolder(inside, { from: readDump('dumpPath') })
  await database.close()
  // The name of the lock stays behind; it is a socket, which cannot be copied.
  for (const name of await readdir(inside)) {
    if (name.startsWith('lock.')) await rm(path.join(inside, name))
  }
}
