// Brings the schema to what this code expects: numbered files, forward only, each in one transaction with its
// record. Each states the oldest code that runs on the schema it leaves. A newer schema that does not allow
// this code is refused, and so is a database to which another file was applied under the same number.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type Database,
  DatabaseError,
  DatabaseUnavailable,
  type Queryable,
  statement,
  type Transaction,
} from './database.js'
import { integer } from './rows.js'

/** The schema does not fit the code, so the service must not start. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}

interface MigrateOptions {
  /** The folder of `0001_name.sql`, …; by default the package's own `migrations`. */
  readonly directory?: string
  /** The last migration to apply. A backup is restored into the schema that it was made from. */
  readonly upTo?: number
}

type Migration = Awaited<ReturnType<typeof readMigrations>>[number]

/** Two levels up from this file, in src/database as in dist/database. */
const packageMigrations = fileURLToPath(new URL('../../migrations/', import.meta.url))

/** Returns the files applied, and the newest migration. Throws `SchemaMismatch`. */
export async function migrate(
  database: Database,
  options: MigrateOptions = {},
): Promise<{ readonly applied: readonly string[]; readonly version: number }> {
  const migrations = (await readMigrations(options.directory)).slice(0, options.upTo)
  const applied: string[] = []
  for (;;) {
    // Another process may be migrating, and a migration may take long.
    const name = await database.transaction(
      (transaction) => applyNext(transaction, migrations),
      Number.POSITIVE_INFINITY,
    )
    if (name === undefined) return { applied, version: (await schemaFit(database, options)).current }
    applied.push(name)
  }
}

/** Whether this code runs on the database's schema: what `/readyz` answers. */
export async function schemaFit(database: Queryable, options: MigrateOptions = {}) {
  const migrations = await readMigrations(options.directory)
  try {
    return await readFit(database, migrations)
  } catch (error) {
    // 42P01 is undefined_table: no migration was ever applied.
    if (error instanceof DatabaseError && error.code === '42P01')
      return { current: 0, expected: migrations.length, oldestCode: 0, runs: false, refusal: null }
    throw error
  }
}

async function readFit(database: Queryable, migrations: readonly Migration[]) {
  const expected = migrations.length
  const [row = {}] = await database.query(selectVersion, [expected, migrations.map((one) => one.checksum)])
  const [current, oldestCode] = [integer(row, 'version'), integer(row, 'oldest_code')]
  const refusal = row.other
    ? `the migration ${row.other} of the database is not the file of this program: another build applied ` +
      'it, or the file was changed afterwards'
    : null
  return {
    /** The newest migration in the database; 0: none. */
    current,
    /** The newest migration that this code brings along. */
    expected,
    /** The migration that code must know to run on what is newer than this code; 0: nothing is newer. */
    oldestCode,
    /** Whether the schema is the code's own, or a newer one that allows this code. */
    runs: refusal === null && current >= expected && oldestCode <= expected,
    refusal,
  }
}

/**
 * An advisory transaction lock works through a pooler too. The number is ours: "ishtirak" in base 36, cut.
 * One lock serves all schemas of the database, because older programs know no other.
 * If the search path names no existing schema, its only schema has yet to be created.
 */
const lockAndPrepare = `
  select pg_advisory_xact_lock(1132374928);
  do $$ begin
    if current_schema() is null then
      execute format('create schema %I', (parse_ident(current_setting('search_path')))[1]);
    end if;
  end $$;
  create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    oldest_code integer not null,
    applied_at timestamptz not null default now()
  )`

const selectVersion = statement(
  'migrate.version',
  `select coalesce(max(version), 0) as version,
          coalesce(max(oldest_code) filter (where version > $1::integer), 0) as oldest_code,
          min(name) filter (where checksum <> ($2::text[])[version]) as other
     from schema_migrations`,
)
const insertApplied = statement(
  'migrate.insert',
  'insert into schema_migrations (version, name, checksum, oldest_code) values ($1, $2, $3, $4)',
)

/** Applies the first missing migration under the lock; undefined: none is missing. */
async function applyNext(
  transaction: Transaction,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  await transaction.script(lockAndPrepare)
  const { current, expected, oldestCode, refusal } = await readFit(transaction, migrations)
  if (refusal !== null) throw new SchemaMismatch(refusal)
  if (oldestCode > expected)
    throw new SchemaMismatch(
      `the database is at migration ${current} and newer than this code, which knows ${expected}; ` +
        `code that knows ${oldestCode} or later runs on it`,
    )
  const next = migrations[current]
  if (next === undefined) return undefined
  await transaction.script(next.sql).catch((cause: unknown) => {
    if (cause instanceof DatabaseUnavailable) throw cause
    // The files before it stay applied.
    throw new Error(`the migration ${next.name} failed, and nothing of it was kept: ${cause}`, { cause })
  })
  await transaction.query(insertApplied, [next.version, next.name, next.checksum, next.oldestCode])
  return next.name
}

async function readMigrations(directory = packageMigrations) {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
  return await Promise.all(
    names.map(async (name, index) => {
      const version = index + 1
      // A gap or a repeated number comes from a merge of two branches, so the order is unknown.
      if (!/^\d{4}_/.test(name) || Number(name.slice(0, 4)) !== version) {
        throw new SchemaMismatch(`expected migration ${version}, found ${name}`)
      }
      // Line ends may differ between checkouts of the same file.
      const sql = (await readFile(`${directory}/${name}`, 'utf8')).replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(sql).digest('hex')
      // The newest migration that code must know to run on the schema after this one.
      const [, oldestCode = version] = /^-- oldest-code: (\d+)$/m.exec(sql) ?? []
      return { version, name, sql, checksum, oldestCode: Number(oldestCode) }
    }),
  )
}
