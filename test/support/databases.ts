import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import { type Database, type Statement, statement } from '../../packages/ishtirak/src/database/database.js'
import { openMemory } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, dropDatabase, withDatabaseName } from './admin.js'
import {
  DATABASE_KINDS,
  type DatabaseKind,
  MOUNTED_SCHEMA,
  mountedForm,
  mountedForms,
} from './database-kinds.js'
import { databaseWith } from './database-with.js'
import { sql } from './sql.js'

export type { DatabaseKind } from './database-kinds.js'

export interface DatabaseContext {
  readonly kind: DatabaseKind
  /** A migrated database, empty at the start of each test. To be asked inside tests and hooks. */
  database(): Database
  /** Empties all tables but the record of the migrations. Runs before each test anyway. */
  reset(): Promise<void>
}

/** Describes promises on one database: the embedded one, unless the run says otherwise. */
export function describeScenario(name: string, body: (context: DatabaseContext) => void): void {
  describeOn(DATABASE_KINDS.slice(0, 1), name, body)
}

/** On each kind of database of the run: what SQL decides, and what happens at once. */
export function describeOnEach(name: string, body: (context: DatabaseContext) => void): void {
  describeOn(DATABASE_KINDS, name, body)
}

/** The server if the run has it. The nightly run looks at the plans of the embedded database too. */
export function describePlans(name: string, body: (context: DatabaseContext) => void): void {
  describeOn(DATABASE_KINDS.slice(-1), name, body)
}

function describeOn(
  kinds: readonly DatabaseKind[],
  name: string,
  body: (context: DatabaseContext) => void,
): void {
  describe.each(kinds)(`${name} (%s)`, (kind) => {
    let database: Database | undefined
    const open = async () => {
      database = await emptyDatabase(kind, name)
    }
    beforeAll(open)
    beforeEach(open)
    const opened = () => {
      if (database === undefined) throw new Error('the database exists inside tests and hooks only')
      return database
    }
    body({ kind, database: opened, reset: () => empty(opened()) })
  })
}

/** A new embedded database costs two seconds of computing, emptying one some milliseconds. */
const kept = new Map<DatabaseKind, Promise<Database>>()

/** The worker's own migrated database, emptied: one test after the other has it, and none closes it. */
export async function emptyDatabase(kind: DatabaseKind, name = ''): Promise<Database> {
  const opening = kept.get(kind) ?? freshDatabase(kind)
  kept.set(kind, opening)
  const database = await opening
  await empty(database)
  return withForm(database, name)
}

/** A migrated, empty database that no other test sees. The caller closes it. */
export async function freshDatabase(kind: DatabaseKind): Promise<Database> {
  if (kind === 'pglite' && mountedForm(kind, ''))
    return withForm(await openMemory(readDump('schemaDumpPath'), { schema: MOUNTED_SCHEMA }), '')
  if (kind === 'pglite') return await openMemory(readDump('dumpPath'))
  const url = await postgresUrl()
  const database = openPostgres({ url })
  return databaseWith(() => database, {
    ...(database.serverTime && { serverTime: database.serverTime }),
    close: async () => {
      await database.close()
      await dropPostgres(url)
    },
  })
}

function withForm(database: Database, name: string): Database {
  const form = mountedForm(database.kind, name)
  if (form) mountedForms.set(database, form)
  return database
}

/** What an embedded database begins with: loading it is several times faster than creating an empty one. */
export function readDump(name: 'dumpPath' | 'schemaDumpPath' | 'emptyDumpPath'): Blob {
  return new Blob([readFileSync(inject(name))])
}

export function postgresUrl(): Promise<string> {
  return createAndName(inject('templateName'))
}

export function dropPostgres(url: string): Promise<void> {
  return dropDatabase(inject('serverUrl'), new URL(url).pathname.slice(1))
}

/** The server's own connections, without a pooler. */
export function withoutPooler(url: string): string {
  return withDatabaseName(inject('serverUrl'), new URL(url).pathname.slice(1))
}

export function emptyPostgresUrl(): Promise<string> {
  return createAndName('template1')
}

async function createAndName(template: string): Promise<string> {
  const name = `${inject('templateName')}_${randomUUID().replaceAll('-', '')}`
  await createDatabase(inject('serverUrl'), name, template)
  return withDatabaseName(inject('connectUrl'), name)
}

const selectTables = sql(`select oid::regclass::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
    order by 1`)
const SEQUENCES = 'pg_sequence where pg_sequence_last_value(seqrelid) is not null'
const resetSequences = sql(`select setval(seqrelid, seqstart, false) from ${SEQUENCES}`)
/** Neither triggers nor foreign keys look at what is emptied. */
const ignoreReferences = sql('set local session_replication_role = replica')

const made = new Map<string, Statement>()
function makeOnce(text: string): Statement {
  const one = made.get(text) ?? statement(`test.databases.made_${made.size}`, text)
  made.set(text, one)
  return one
}

/** One prepared statement finds the tables with rows. A script would make the database forget it. */
async function empty(database: Database): Promise<void> {
  const names = (await database.query(selectTables)).map(({ name }) => String(name))
  const parts = names.map(
    (name) =>
      `select '${name}' as name, pg_relation_size('${name}') as bytes where exists (select from ${name})`,
  )
  const sequences = `select null, 0 where exists (select from ${SEQUENCES})`
  const filled = await database.query(makeOnce([...parts, sequences].join(' union all ')))
  if (filled.length === 0) return
  await database.transaction(async (transaction) => {
    await transaction.query(ignoreReferences)
    for (const { name, bytes } of filled) {
      // Truncating makes new files for a table and each of its indexes, which costs several times what a few
      // rows cost to delete; but deleted rows stay in their pages.
      const remove = Number(bytes) > 65_536 ? `truncate ${name} cascade` : `delete from ${name}`
      await transaction.query(name === null ? resetSequences : makeOnce(remove))
    }
  })
}
