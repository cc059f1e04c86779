// Backups as a capability: the commands that copy everything in the database into a file and fill an empty
// database from one, and the backup that a running service sends.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Command } from 'commander'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import type { Capability } from '../acts/capability.js'
import { GZIP, sendFile } from '../acts/files.js'
import { CommandFailed, type CommandHost, fetchFromOperator, refusal } from '../acts/operator-client.js'
import { reading } from '../acts/reading.js'
import { HOUR, toTimestamp } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { systemClock } from '../runtime/clock.js'
import { backUpTo, backupContent, readBackupHeader, receiveBackup, restoreFrom } from './backup.js'
import type { BackupContents } from './backup.sql.js'

export interface BackupDeps extends AuditDeps {
  readonly database: Database
}

const downloadBackup = reading<BackupDeps>()({
  name: 'database.backup',
  roles: [],
  path: '/backup',
  operationId: 'downloadBackup',
  summary: 'Everything in the database, as a file for `ishtirak restore`',
  answer: GZIP,
  // The command also works on a database without a running service.
  command: null,
  read: async (deps, { operator, reply }) => {
    await recordAct(deps, { operator, act: 'database.backup', reason: null })
    const content = backupContent(deps.database, deps.clock.now())
    return sendFile(reply, { type: 'application/gzip', name: 'ishtirak.backup.gz', content })
  },
})

export const backup: Capability<BackupDeps> = {
  name: 'backup',
  readings: [downloadBackup],
  commands: addBackupCommands,
}

/** A backup of many gigabytes takes long. */
const ANSWER_MS = HOUR

export function addBackupCommands(program: Command, host: CommandHost): void {
  program
    .command('backup [file]')
    .description('Copy everything in the database into a file, also while the service runs')
    .option(
      '--url <address>',
      'ask this running service, with the key in OPERATOR_KEY (default: ISHTIRAK_URL)',
    )
    .action(async (given: string | undefined, options: { readonly url?: string }) => {
      const now = systemClock().now()
      const file = given ?? `ishtirak-${toTimestamp(now).replaceAll(/[-:]/g, '')}.backup.gz`
      const running = await host.runningService(options)
      const contents = running
        ? await receiveBackup(file, () => askForBackup(running))
        : await host.onDatabase((database) => backUpTo(file, database, now))
      process.stdout.write(`${file}\n${describe(contents)}\n`)
    })
  program
    .command('restore <file>')
    .description('Fill an empty database from a backup, of either kind of database')
    .option('--complete', 'the service wrote nothing after this backup: the numbers of receipts go on')
    .action(async (file: string, { complete }: { readonly complete?: boolean }) => {
      // The file is checked before a database is made for it.
      await readBackupHeader(file)
      const restoredAt = complete ? null : systemClock().now()
      const contents = await host.onDatabase((database) => restoreFrom(file, database, restoredAt), {
        mayCreate: true,
        onLocked: refuseLocked,
      })
      const next =
        'start the service, then book what came since: ' +
        `ishtirak reconcile --since ${contents.takenAt.slice(0, 10)} --unknown book\n`
      process.stdout.write(`${describe(contents)}\n${complete ? '' : next}`)
    })
}

async function askForBackup(service: { readonly url: string; readonly key: string }): Promise<Readable> {
  const answer = await fetchFromOperator(service, { method: 'GET', path: '/backup' }, ANSWER_MS)
  if (answer.ok && answer.body) return Readable.fromWeb(answer.body as ReadableStream)
  throw refusal(answer.status, await answer.text())
}

/** A running service has no call that restores, so it must be stopped. */
function refuseLocked(error: Error): never {
  throw new CommandFailed(`${error.message}: a restore needs a database that no service uses.
Stop the service, or set DATA_DIR to an empty folder.`)
}

function describe({ takenAt, schema, rows }: BackupContents): string {
  const listed = Object.entries(rows).map(([table, count]) => `  ${table}: ${count}`)
  return [`taken at ${takenAt}, schema ${schema}`, ...listed].join('\n')
}
