// A data folder with a migrated embedded database in it, to be copied: creating one costs seconds of computing.
import path from 'node:path'
import { openFolder } from '../../src/store/pglite.js'
import { readDump } from './databases.js'

/** `folder` is what DATA_DIR names. */
export async function makeEmbeddedFolder(folder: string): Promise<void> {
  const database = await openFolder(path.join(folder, 'database'), { from: readDump('dumpPath') })
  await database.close()
}
