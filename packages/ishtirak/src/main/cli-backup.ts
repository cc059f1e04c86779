// The commands that copy everything in the database into a file, and fill an empty database from one.
import path from 'node:path'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { HOUR, toTimestamp } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { openDatabase } from '../database/open-database.js'
import { backUpTo, receiveBackup, restoreFrom } from '../operator/backup.js'
import type { BackupContents } from '../operator/backup.sql.js'
import { systemClock } from '../runtime/clock.js'
import { type Config, readConfig } from '../runtime/config.js'
import { CommandFailed, operatorAddress, runningService, withAdvice } from './operator-client.js'

export function addBackupCommands(program: Command): void {
  program
    .command('backup [file]')
    .description('copy everything in the database into a file, also while the service runs')
    .option(
      '--url <address>',
      'ask this running service, with the key in OPERATOR_KEY (default: ISHTIRAK_URL)',
    )
    .action(async (given: string | undefined, options: { readonly url?: string }) => {
      const now = systemClock().now()
      const file = given ?? `ishtirak-${toTimestamp(now).replaceAll(/[-:]/g, '')}.backup.gz`
      const { ISHTIRAK_URL, OPERATOR_KEY: key } = process.env
      const url = options.url ?? ISHTIRAK_URL
      const running = await runningService(readConfig(process.env), { url, key })
      const contents = running
        ? await receiveBackup(file, await askForBackup(running))
        : await onDatabase((database) => backUpTo(file, database, now))
      say(`${file}\n${describe(contents)}`)
    })
  program
    .command('restore <file>')
    .description('fill an empty database from a backup, of either kind of database')
    .option('--complete', 'the service wrote nothing after this backup: the numbers of receipts go on')
    .action(async (file: string, { complete }: { readonly complete?: boolean }) => {
      const restoredAt = complete ? null : systemClock().now()
      const contents = await onDatabase((database) => restoreFrom(file, database, restoredAt))
      if (complete) return say(describe(contents))
      const day = contents.takenAt.slice(0, 10)
      say(
        `${describe(contents)}\nstart the service, then book what came since: ishtirak reconcile --since ${day} --unknown book`,
      )
    })
}

async function askForBackup({ url, key }: { readonly url: string; readonly key: string }): Promise<Readable> {
  const address = `${operatorAddress(url)}/backup`
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
  if (response.ok && response.body) return Readable.from(chunksOf(response.body))
  throw new CommandFailed(`no backup from ${url}: it answered ${response.status}`)
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

/** A backup of many gigabytes takes its time. */
const ANSWER_MS = HOUR

async function onDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const config: Config = readConfig(process.env)
  const dataDir = path.join(config.database.dataDir, 'database')
  const { url } = config.database
  const opened = openDatabase(url === undefined ? { dataDir } : { url, dataDir })
  const database = await opened.catch((error: unknown) => {
    throw withAdvice(error)
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

function describe({ takenAt, schema, rows }: BackupContents): string {
  const counts = Object.entries(rows).filter(([, count]) => count > 0)
  const listed = counts.map(([table, count]) => `  ${table}: ${count}`).join('\n')
  return `taken at ${takenAt}, schema ${schema}\n${listed || '  no rows'}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
