// A backup as a compressed file that only its owner may read. A file that was not finished keeps its working name; one that
// is there already is never overwritten.
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { finished, pipeline as receive } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Instant } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { flushPath } from '../database/embedded/durable-files.js'
import { type BackupContents, checkBackup, RestoreRefused, restoreBackup, writeBackup } from './backup.sql.js'

/** There is a file of this name. */
export class BackupExists extends Error {
  override readonly name = 'BackupExists'
}

export function backUpTo(path: string, database: Database, now: Instant): Promise<BackupContents> {
  return wholeFile(path, async (unfinished) => {
    const gzip = createGzip()
    const file = pipeline(gzip, createWriteStream(unfinished, OWN_NEW_FILE), () => undefined)
    const written = finished(file)
    // Its failure is awaited below, perhaps after it happened.
    written.catch(() => undefined)
    try {
      const contents = await writeBackup(database, now, async (line) => {
        // A disk that is full ends the wait too.
        if (!gzip.write(`${line}\n`)) await Promise.race([once(gzip, 'drain'), written])
      })
      gzip.end()
      await written
      return contents
    } finally {
      gzip.destroy()
    }
  })
}

/** A backup that a running service sends; refused unless all of it came. */
export function receiveBackup(path: string, sent: Readable): Promise<BackupContents> {
  return wholeFile(path, async (unfinished) => {
    await receive(sent, createWriteStream(unfinished, OWN_NEW_FILE))
    return checkBackup(linesOf(unfinished))
  })
}

/** Flushed before it gets its name. */
async function wholeFile<Result>(
  path: string,
  write: (unfinished: string) => Promise<Result>,
): Promise<Result> {
  if (existsSync(path)) throw new BackupExists(`${path} is there already: name another file`)
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  try {
    const result = await write(unfinished)
    flushPath(unfinished)
    renameSync(unfinished, path)
    return result
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

const OWN_NEW_FILE = { flags: 'wx', mode: 0o600 }

/** `restoredAt` null: nothing was issued after the backup. */
export function restoreFrom(
  path: string,
  database: Database,
  restoredAt: Instant | null,
): Promise<BackupContents> {
  return restoreBackup(database, () => linesOf(path), restoredAt)
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const text = pipeline(createReadStream(path), createGunzip(), () => undefined)
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
      throw new RestoreRefused(`${path} cannot be unpacked, so it is no whole backup: ${error.message}`)
    throw error
  }
  if (rest !== '') yield rest
}
