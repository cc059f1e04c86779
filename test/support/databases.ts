// Databases for tests. Every test of the store runs on both kinds, and each test file has its own, freshly migrated.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, dropDatabase, withDatabaseName } from './admin.js'

export type DatabaseKind = Database['kind']

export interface DatabaseContext {
  readonly kind: DatabaseKind
  /** The migrated database of this file; empty at the start of each test. To be asked inside tests and hooks. */
  database(): Database
  /** Empties all tables but the record of the migrations. Runs before each test anyway. */
  reset(): Promise<void>
}

/** Describes the same promises twice, once per kind of database. */
export function describeOnBothDatabases(name: string, body: (context: DatabaseContext) => void): void {
  describe.each<DatabaseKind>(['pglite', 'postgres'])(`${name} (%s)`, (kind) => {
    let database: Database | undefined
    const context: DatabaseContext = {
      kind,
      database: () => {
        if (database === undefined) throw new Error('the database exists inside tests and hooks only')
        return database
      },
      reset: () => empty(context.database()),
    }
    beforeAll(async () => {
      database = await freshDatabase(kind)
    })
    afterAll(async () => {
      await database?.close()
    })
    beforeEach(() => context.reset())
    body(context)
  })
}

/** A migrated, empty database of one's own. Whoever asks closes it. */
export async function freshDatabase(kind: DatabaseKind): Promise<Database> {
  if (kind === 'pglite') return await openMemory(readDump('dumpPath'))
  const url = await postgresUrl()
  const database = openPostgres({ url })
  return {
    kind: 'postgres',
    query: (...given) => database.query(...given),
    transaction: (...given) => database.transaction(...given),
    script: (sql) => database.script(sql),
    close: async () => {
      await database.close()
      await dropDatabase(inject('serverUrl'), new URL(url).pathname.slice(1))
    },
  }
}

/** What an embedded database begins with: loading it is several times faster than creating an empty one. */
export function readDump(name: 'dumpPath' | 'emptyDumpPath'): Blob {
  return new Blob([readFileSync(inject(name))])
}

/** The URL of a fresh, migrated database on the server: for tests that start real processes. */
export function postgresUrl(): Promise<string> {
  return createAndName(inject('templateName'))
}

/** The same without a pooler in between, if there is one: for what is promised of the server's own connections. */
export function withoutPooler(url: string): string {
  return withDatabaseName(inject('serverUrl'), new URL(url).pathname.slice(1))
}

/** The same without a schema: for tests of the migrations themselves. */
export function emptyPostgresUrl(): Promise<string> {
  return createAndName('template1')
}

async function createAndName(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await createDatabase(inject('serverUrl'), name, template)
  return withDatabaseName(inject('connectUrl'), name)
}

/** Tables that hold nothing are left alone: truncating one costs the server a flush. */
const emptyTables = `
  do $$
  declare
    one record;
    has_rows boolean;
  begin
    for one in
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = 'public' and tablename <> 'schema_migrations'
    loop
      execute 'select exists (select from ' || one.name || ')' into has_rows;
      if has_rows then execute 'truncate ' || one.name || ' restart identity cascade'; end if;
    end loop;
  end $$`

async function empty(database: Database): Promise<void> {
  await database.script(emptyTables)
}
