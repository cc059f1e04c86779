// The files of the embedded database's folder. PGlite would create an empty database over a damaged one, so a
// folder that is neither new nor holds a database is refused.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** The major version of the PostgreSQL that PGlite brings along: it reads no other version's files. */
const POSTGRES_MAJOR = '18'

/** The folder holds something that is not a whole database. Nothing in it was changed. */
export class DataFolderDamaged extends Error {
  override readonly name = 'DataFolderDamaged'
  constructor(what: string, options?: ErrorOptions) {
    const remedy = 'Restore the whole folder from a copy, or a backup into an empty folder (docs/backup.md).'
    super(`${what}. Nothing was changed. ${remedy}`, options)
  }
}

/** The data folder cannot be made, written to or locked. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable'
  constructor(folder: string, cause: unknown) {
    super(
      `the data folder ${folder} cannot be used: ${cause}. ` +
        'Give it to this user, on a disk of this machine, or set DATA_DIR to another folder.',
      { cause },
    )
  }
}

/** Measured, after a first start. */
const NEW_DATABASE_MB = 26

export function diskFull(folder: string): string {
  const { bavail, bsize } = statfsSync(folder)
  return (
    `the disk of ${folder} is full: ${Math.floor((bavail * bsize) / 2 ** 20)} MB are free, and a new ` +
    `database takes ${NEW_DATABASE_MB}. Make room, or set DATA_DIR to another folder.`
  )
}

/** The names in a data folder: the database, and the database while it is being created. */
export function clusterPaths(folder: string): { readonly cluster: string; readonly unfinished: string } {
  const cluster = join(folder, 'postgres')
  return { cluster, unfinished: `${cluster}.unfinished` }
}

/** Marks an empty folder as new, to tell an interrupted creation from a removed database. */
export function markIfNew(folder: string): void {
  // A volume that is mounted here has a `lost+found` folder.
  if (readdirSync(folder).every((name) => name === 'lost+found'))
    mkdirSync(clusterPaths(folder).unfinished, { recursive: true })
}

/** Whether the database has yet to be created. Throws `DataFolderDamaged`. */
export function isNew(folder: string): boolean {
  const { cluster, unfinished } = clusterPaths(folder)
  if (!existsSync(cluster)) {
    if (existsSync(unfinished)) return true
    throw new DataFolderDamaged(
      `the data folder ${folder} has no database in it, postgres/ is missing; found: ${namesIn(folder)}`,
    )
  }
  const versionFile = join(cluster, 'PG_VERSION')
  if (!existsSync(versionFile))
    throw new DataFolderDamaged(`the database in ${cluster} is not whole: PG_VERSION is missing`)
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version !== POSTGRES_MAJOR)
    throw new DataFolderDamaged(
      `the database in ${cluster} is PostgreSQL ${version || '(PG_VERSION is empty)'}, this program needs ` +
        `${POSTGRES_MAJOR}: start the version of ishtirak that wrote it`,
    )
  rmSync(unfinished, { recursive: true, force: true })
  return false
}

function namesIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => !name.startsWith('lock.'))
  return names.length === 0 ? 'only the lock of an earlier start' : names.slice(0, 5).join(', ')
}
