// A backup as a compressed file that only its owner may read. A file that was not finished keeps its working name; one that
// is there already is never overwritten.
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Instant } from './domain/instant.js'
import { type BackupContents, RestoreRefused, restoreBackup, writeBackup } from './store/backup.js'
import type { Database } from './store/database.js'
import { flushPath } from './store/durable-files.js'

/** There is a file of this name. */
export class BackupExists extends Error {
  override readonly name = 'BackupExists'
}

export async function backUpTo(path: string, database: Database, now: Instant): Promise<BackupContents> {
  if (existsSync(path)) throw new BackupExists(`${path} is there already: name another file`)
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { force: true })
  const gzip = createGzip()
  const file = pipeline(gzip, createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }), () => undefined)
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
    flushPath(unfinished)
    renameSync(unfinished, path)
    return contents
  } catch (error) {
    gzip.destroy()
    rmSync(unfinished, { force: true })
    throw error
  }
}

export function restoreFrom(path: string, database: Database): Promise<BackupContents> {
  return restoreBackup(database, () => linesOf(path))
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
