// What keeps a command from its work, in one sentence for the person who typed it: what, where, what to do. A bug keeps its
// stack: only its author can do anything about it.
import path from 'node:path'
import { DatabaseError } from '../database/database.js'
import { DataFolderLocked, DataFolderUnusable } from '../database/embedded/folder-lock.js'

/** Thrown by the language itself, so not written for a reader. */
const BUGS: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError, SyntaxError]

/** PostgreSQL's data_corrupted, index_corrupted and undefined_file: what is on the disk is not what was written. */
const DAMAGE = ['XX001', 'XX002', '58P01']

export function explainFailure(
  error: unknown,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof DatabaseError && DAMAGE.includes(error.code)) return explainDamage(error, variables)
  if (error instanceof DataFolderLocked) {
    return `${error.message}. Use that one or end it; a second service needs a DATA_DIR of its own, not only another PORT.`
  }
  if (error instanceof DataFolderUnusable) {
    return `${error.message}. Give it to this user, on a disk of this machine, or set DATA_DIR to another folder.`
  }
  const ofSystem = [error, error.cause].find(isSystemError)
  if (ofSystem) return explainSystem(ofSystem)
  return BUGS.includes(error.constructor) ? (error.stack ?? error.message) : error.message
}

function explainDamage(error: Error, { DATABASE_URL: url, DATA_DIR: folder }: NodeJS.Dict<string>): string {
  const where = url ? 'on the server of DATABASE_URL' : `in ${path.resolve(folder || 'data', 'database')}`
  return `the database ${where} is damaged: ${error.message}. Stop, and restore it from a backup (docs/backup.md).`
}

/** What Node throws for a refused call of the operating system. */
interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function explainSystem(error: SystemError): string {
  const { code, syscall, address, port } = error
  if (syscall === 'listen' && port !== undefined) {
    const remedy = LISTENING[code] ?? 'set HOST and PORT to where this process may listen'
    return `cannot listen on ${address}:${port} (${code}): ${remedy}`
  }
  const remedy = FILES[code]
  return error.path !== undefined && remedy !== undefined
    ? `${error.path}: ${remedy} (${code})`
    : error.message
}

const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program has it. End that, or set PORT (for the sandbox’s emulator SANDBOX_PORT) to another',
  EADDRNOTAVAIL: 'it is no address of this machine. Set HOST to one that is',
  EACCES: 'this user may not. Set PORT to 1024 or above',
}

const ANOTHER = 'or set DATA_DIR to another folder'
const FILES: Readonly<Record<string, string>> = {
  EACCES: `this user may not write there. Give it the folder, ${ANOTHER}`,
  EPERM: `this user may not write there. Give it the folder, ${ANOTHER}`,
  EROFS: `the disk is mounted read-only. Mount it writable, ${ANOTHER}`,
  ENOSPC: `the disk is full. Make room, ${ANOTHER}`,
  ENOTDIR: `a file stands where a folder is needed. Remove it, ${ANOTHER}`,
  EEXIST: `a file stands where a folder is needed. Remove it, ${ANOTHER}`,
}
