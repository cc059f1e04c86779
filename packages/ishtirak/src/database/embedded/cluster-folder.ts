// The files of the embedded database's folder. PostgreSQL would create an empty database over a damaged one,
// so a folder that is neither new nor complete is refused. So is a creation for which there is too little
// memory.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** The major version of the PostgreSQL that PGlite brings along: it reads no other version's files. */
const POSTGRES_MAJOR = '18'

/** The folder holds something that is not a whole database. Nothing in it was changed. */
export class DataFolderDamaged extends Error {
  override readonly name = 'DataFolderDamaged'
}

/** Measured, after a first start. */
const NEW_DATABASE_MB = 26

export class DataFolderFull extends Error {
  override readonly name = 'DataFolderFull'
  constructor(folder: string, cause: unknown) {
    const { bavail, bsize } = statfsSync(folder)
    const free = `${Math.floor((bavail * bsize) / 2 ** 20)} MB are free`
    super(`the disk of ${folder} is full: ${free}, and a new database takes ${NEW_DATABASE_MB}`, { cause })
  }
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
      `the data folder ${folder} has no database in it, postgres/ is missing; found: ${found(folder)}. ` +
        remedy,
    )
  }
  const missing = wanted.filter((name) => !isThere(join(cluster, name)))
  if (missing.length > 0) {
    throw new DataFolderDamaged(
      `the database in ${cluster} is not whole: ` +
        `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing. ${remedy}`,
    )
  }
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (version !== POSTGRES_MAJOR) {
    throw new DataFolderDamaged(
      `the database in ${cluster} is PostgreSQL ${version || '(PG_VERSION is empty)'}, ` +
        `this program needs ${POSTGRES_MAJOR}. ` +
        'Start the version of ishtirak that wrote it, or restore a backup into an empty folder.',
    )
  }
  rmSync(unfinished, { recursive: true, force: true })
  return false
}

/** All files are there, but PostgreSQL cannot start: it cannot read a control file or a catalogue. */
export function doesNotStart(cluster: string, cause: unknown): string {
  return `the database in ${cluster} is damaged: PostgreSQL does not start on it (${cause}). ${remedy}`
}

const remedy =
  'Nothing was changed. Restore the whole folder from a copy, or a backup into an empty folder ' +
  '(docs/backup.md).'

/** The files that every database needs to start. A slash means a folder that is not empty. */
const wanted = [
  'PG_VERSION',
  'postgresql.conf',
  ...['base/5/', 'global/', 'global/pg_control', 'global/pg_filenode.map'],
  ...['pg_wal/', 'pg_xact/', 'pg_multixact/members', 'pg_multixact/offsets'],
  ...[
    'pg_commit_ts',
    'pg_dynshmem',
    'pg_logical/mappings',
    'pg_logical/snapshots',
    'pg_notify',
    'pg_replslot',
  ],
  ...['pg_serial', 'pg_snapshots', 'pg_stat', 'pg_subtrans', 'pg_tblspc', 'pg_twophase'],
]

function isThere(path: string): boolean {
  if (!existsSync(path)) return false
  return !path.endsWith('/') || readdirSync(path).length > 0
}

function found(folder: string): string {
  const names = readdirSync(folder).filter((name) => !name.startsWith('lock.'))
  if (names.length === 0) return 'only the lock of an earlier start'
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

/** The memory that this process may use. The kernel kills a process that needs more. */
interface MemoryLimits {
  /** The memory of the machine, or of the container if that is less. */
  readonly memoryMb: number
  /** The limit of `ulimit -v`; infinite if there is none. */
  readonly addressSpaceMb: number
}

/** The process would be killed in the middle. */
class NotEnoughMemory extends Error {
  override readonly name = 'NotEnoughMemory'
}

const MB = 2 ** 20

export function memoryLimits(): MemoryLimits {
  // Without a limit Node gives 0, or a number that no machine has.
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return { memoryMb: Math.floor(Math.min(os.totalmem(), container) / MB), addressSpaceMb: addressSpaceMb() }
}

/** Throws `NotEnoughMemory` with both figures. */
export function requireMemory(what: string, needed: MemoryLimits, limits: MemoryLimits): void {
  if (limits.memoryMb < needed.memoryMb) {
    throw new NotEnoughMemory(
      `${what} needs ${needed.memoryMb} MB of memory, the machine or container has ${limits.memoryMb} MB`,
    )
  }
  if (limits.addressSpaceMb < needed.addressSpaceMb) {
    throw new NotEnoughMemory(
      `${what} needs ${needed.addressSpaceMb} MB of address space (not memory), ` +
        `ulimit -v allows ${limits.addressSpaceMb} MB`,
    )
  }
}

function addressSpaceMb(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY
  const [, soft] = /^Max address space +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Math.floor(Number(soft) / MB)
}
