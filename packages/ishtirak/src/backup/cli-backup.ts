// The commands that copy everything in the database into a file, and fill an empty database from one.
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import {
  CommandFailed,
  type CommandHost,
  chunksOf,
  fetchFromOperator,
  refusal,
} from '../acts/operator-client.js'
import { HOUR, toTimestamp } from '../core/instant.js'
import { systemClock } from '../runtime/clock.js'
import { backUpTo, readBackupHeader, receiveBackup, restoreFrom } from './backup.js'
import type { BackupContents } from './backup-lines.js'

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
      const { withProgress } = await import('../runtime/progress.js')
      const contents = running
        ? await withProgress('MB', async ({ at }) => receiveBackup(file, await askForBackup(running, at)))
        : await withProgress('rows', ({ at }) =>
            host.onDatabase((database) => backUpTo(file, database, now, at)),
          )
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
      const { withProgress } = await import('../runtime/progress.js')
      const contents = await withProgress('MB', ({ at }) =>
        host.onDatabase((database) => restoreFrom(file, database, restoredAt, at), {
          mayCreate: true,
          onLocked: refuseLocked,
        }),
      )
      const next =
        'start the service, then book what came since: ' +
        `ishtirak reconcile --since ${contents.takenAt.slice(0, 10)} --unknown book\n`
      process.stdout.write(`${describe(contents)}\n${complete ? '' : next}`)
    })
}

async function askForBackup(
  service: { readonly url: string; readonly key: string },
  onBytes: (done: number) => void,
): Promise<Readable> {
  const answer = await fetchFromOperator(service, { method: 'GET', path: '/backup' }, ANSWER_MS)
  if (answer.ok && answer.body) return Readable.from(chunksOf(answer.body, onBytes))
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
