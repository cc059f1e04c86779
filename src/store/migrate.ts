// Brings the schema to what this code expects: numbered files, forward only, each in one transaction with its record.
// Any number of processes may start at once. It refuses a database that is newer than the code, and a file that was
// changed after it was applied.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Database, DatabaseError, type Queryable, statement, type Transaction } from './database.js'

/** The schema and the code have parted ways; a person must decide. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}

export interface MigrateOptions {
  /** The folder of `0001_name.sql`, …; the package's own `migrations` by default. */
  readonly directory?: string
}

export interface Migrated {
  /** The files that this call applied, in order. */
  readonly applied: string[]
  /** The number of the newest migration in the database. */
  readonly version: number
}

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/** Two levels up from this file, in src/store as in dist/store. */
const packageMigrations = fileURLToPath(new URL('../../migrations/', import.meta.url))

/** Applies what is missing. Throws `SchemaMismatch`, or what the database says about a faulty file. */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<Migrated> {
  const migrations = await readMigrations(options.directory)
  const applied: string[] = []
  for (;;) {
    const name = await database.transaction((transaction) => applyNext(transaction, migrations))
    if (name === undefined) return { applied, version: migrations.length }
    applied.push(name)
  }
}

/** The newest migration in the database, 0 for none: `/readyz` compares it with `expectedVersion()`. */
export async function schemaVersion(database: Queryable): Promise<number> {
  try {
    const rows = await database.query(selectVersion)
    return Number(rows[0]?.version)
  } catch (error) {
    // 42P01 is undefined_table: nothing was ever applied.
    if (error instanceof DatabaseError && error.code === '42P01') return 0
    throw error
  }
}

/** The number of the newest migration that this code brings along. */
export async function expectedVersion(options: MigrateOptions = {}): Promise<number> {
  return (await readMigrations(options.directory)).length
}

/** An advisory transaction lock works through a pooler too. The number is ours alone: "ishtirak" in base 36, cut. */
const lockAndPrepare = `
  select pg_advisory_xact_lock(1132374928);
  create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`

const selectVersion = statement(
  'migrate.version',
  'select coalesce(max(version), 0) as version from schema_migrations',
)
const selectApplied = statement(
  'migrate.applied',
  'select version, name, checksum from schema_migrations order by version',
)
const insertApplied = statement(
  'migrate.insert',
  'insert into schema_migrations (version, name, checksum) values ($1, $2, $3)',
)

/** Applies the first migration that is missing, under the lock; undefined when there is none. */
async function applyNext(
  transaction: Transaction,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  await transaction.script(lockAndPrepare)
  const applied = await transaction.query(selectApplied)
  for (const row of applied) refuseMismatch(row, migrations)
  const next = migrations[applied.length]
  if (next === undefined) return undefined
  await transaction.script(next.sql)
  await transaction.query(insertApplied, [next.version, next.name, next.checksum])
  return next.name
}

function refuseMismatch(row: Readonly<Record<string, unknown>>, migrations: readonly Migration[]): void {
  const migration = migrations.find(({ version }) => version === row.version)
  if (migration === undefined) {
    throw new SchemaMismatch(
      `the database is at migration ${row.version} and newer than this code, which knows ${migrations.length}`,
    )
  }
  if (migration.checksum !== row.checksum) {
    throw new SchemaMismatch(
      `${migration.name} was changed after it was applied; write a new migration instead`,
    )
  }
}

async function readMigrations(directory = packageMigrations): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  return await Promise.all(
    names.map(async (name, index) => {
      const version = index + 1
      // A gap or a number used twice means that two branches met: the order is not ours to guess.
      if (!/^\d{4}_/.test(name) || Number(name.slice(0, 4)) !== version) {
        throw new SchemaMismatch(`expected migration ${version}, found ${name}`)
      }
      // Line ends may differ between checkouts of the same file.
      const sql = (await readFile(`${directory}/${name}`, 'utf8')).replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version, name, sql, checksum }
    }),
  )
}
