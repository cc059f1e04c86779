// The commands that copy everything in the database into a file, and fill an empty database from one.
import path from 'node:path'
import type { Command } from 'commander'
import { backUpTo, restoreFrom } from './backup-file.js'
import { toTimestamp } from './domain/instant.js'
import { systemClock } from './runtime/clock.js'
import { type Config, readConfig } from './runtime/config.js'
import type { BackupContents } from './store/backup.js'
import type { Database } from './store/database.js'
import { openDatabase } from './store/open-database.js'

export function addBackupCommands(program: Command): void {
  program
    .command('backup [file]')
    .description('copy everything in the database into a file, while the service runs on a database server')
    .action(async (given: string | undefined) => {
      const now = systemClock().now()
      const file = given ?? `ishtirak-${toTimestamp(now).replaceAll(/[-:]/g, '')}.backup.gz`
      const contents = await onDatabase((database) => backUpTo(file, database, now))
      say(`${file}\n${describe(contents)}`)
    })
  program
    .command('restore <file>')
    .description('fill an empty database from a backup, of either kind of database')
    .action(async (file: string) => {
      const contents = await onDatabase((database) => restoreFrom(file, database))
      const day = contents.takenAt.slice(0, 10)
      say(
        `${describe(contents)}\nstart the service, then book what came since: ishtirak reconcile --since ${day}`,
      )
    })
}

async function onDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const config: Config = readConfig(process.env)
  const dataDir = path.join(config.database.dataDir, 'database')
  const { url } = config.database
  const database = await openDatabase(url === undefined ? { dataDir } : { url, dataDir })
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
