// A backup is a compressed file that only its owner may read. It is made from the command line, or through
// the running service, which has the embedded database to itself. An unfinished file keeps its working name,
// and an existing file is never overwritten.
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { finished, pipeline as receive } from 'node:stream/promises'
import { createGunzip, createGzip, gzipSync } from 'node:zlib'
import type { Instant } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { flushPath } from '../database/embedded/flush.js'
import {
  type BackupContents,
  BackupRefused,
  checkBackup,
  readHeader,
  restoreBackup,
  writeBackup,
} from './backup.sql.js'

export function backUpTo(name: string, database: Database, now: Instant): Promise<BackupContents> {
  return wholeFile(name, async (unfinished) => {
    const gzip = createGzip()
    const file = pipeline(gzip, createWriteStream(unfinished, OWN_NEW_FILE), () => undefined)
    const written = finished(file)
    // The failure is awaited below, perhaps after it happened.
    written.catch(() => undefined)
    try {
      const put = async (line: string) => {
        // If the disk is full, the file fails and there is no `drain`.
        if (!gzip.write(`${line}\n`)) await Promise.race([once(gzip, 'drain'), written])
      }
      const contents = await writeBackup(database, now, put)
      gzip.end()
      await written
      return contents
    } finally {
      gzip.destroy()
    }
  })
}

/** `ask` gets it from a running service, unless the file exists. Refused unless all of it arrived. */
export function receiveBackup(name: string, ask: () => Promise<Readable>): Promise<BackupContents> {
  return wholeFile(name, async (unfinished) => {
    await receive(await ask(), createWriteStream(unfinished, OWN_NEW_FILE))
    return checkBackup(linesOf(unfinished))
  })
}

/** Writes a file under a working name, flushes it, and gives it its name. */
async function wholeFile<Result>(name: string, write: (unfinished: string) => Promise<Result>) {
  if (existsSync(name)) throw new BackupRefused(`${name} exists already: name another file`)
  const unfinished = `${name}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    const result = await write(unfinished)
    flushPath(unfinished)
    renameSync(unfinished, name)
    return result
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

const OWN_NEW_FILE = { flags: 'wx', mode: 0o600 }

export const readBackupHeader = (name: string) => readHeader(linesOf(name))

/** If `restoredAt` is null, nothing was issued after the backup. */
export function restoreFrom(name: string, database: Database, restoredAt: Instant | null) {
  return restoreBackup(database, () => linesOf(name), restoredAt)
}

async function* linesOf(name: string): AsyncGenerator<string> {
  const text = pipeline(createReadStream(name), createGunzip(), () => undefined)
  text.setEncoding('utf8')
  let rest = ''
  try {
    for await (const chunk of text) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new BackupRefused(`${name} cannot be unpacked, so it is not a complete backup: ${error.message}`)
    throw error
  }
  if (rest !== '') yield rest
}

/**
 * Yields a whole backup. It is written to a local file first, so that the database is not held while the
 * network is awaited. An empty part of gzip comes at once, so that the caller sees that the answer has begun.
 */
export async function* backupContent(database: Database, now: Instant): AsyncGenerator<Uint8Array> {
  yield gzipSync('')
  const file = await namelessBackup(database, now)
  yield* file.createReadStream()
}

/** The file has no name any more when it is returned, so nothing is left of it. */
async function namelessBackup(database: Database, now: Instant): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-backup-'))
  try {
    const name = path.join(folder, 'backup.gz')
    await backUpTo(name, database, now)
    return await open(name)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
