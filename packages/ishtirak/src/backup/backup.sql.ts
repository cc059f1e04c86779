// Writes everything in the database as lines of text, and reads it back, from either kind of database to
// either. A backup is one snapshot. A restore is one transaction, and refuses a database that is not empty.
import { createHash } from 'node:crypto'
import { type Instant, toTimestamp } from '../core/instant.js'
import { type Database, type Queryable, statement, type Transaction } from '../database/database.js'
import { migrate, schemaFit } from '../database/migrate.js'
import { column, flag, rowOf, text } from '../database/rows.js'

/** There is nothing to copy, the file already exists, or the backup is not whole or does not fit. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused'
}

/** The first line has the format, rows are `table<tab>json`, the last line has counts and a checksum. */
const FORMAT = 2

export interface BackupContents {
  readonly takenAt: string
  /** The newest migration of the database that was backed up. */
  readonly schema: number
  /** The number of rows by table; tables without rows are left out. */
  readonly rows: Readonly<Record<string, number>>
}

/** Awaited, because the disk may be slower than the database. */
type WriteLine = (line: string) => Promise<void> | void

const ROWS_A_FETCH = 500
/** Fewer for tables with files: a part of a file has 200,000 characters as text. */
const PARTS_A_FETCH = 10
const CHARACTERS_A_BATCH = 1_000_000

/**
 * Writes the lines of a backup as `FORMAT` says. The transaction stays open until the last one is written, so
 * lines must go to a local disk and never to a network.
 */
export async function writeBackup(database: Database, now: Instant, write: WriteLine) {
  let isBegun = false
  return database.transaction(async (transaction) => {
    // A standby ends long reads (40001). Another run would write after the lines of this one.
    if (isBegun) throw new BackupRefused('the database ended the backup before it was whole: start it again')
    isBegun = true
    await transaction.script(`set transaction isolation level repeatable read, read only; ${EVERY_ROW}`)
    const { current: schema, refusal } = await schemaFit(transaction)
    if (refusal) throw new BackupRefused(refusal)
    if (schema === 0)
      throw new BackupRefused('the database is empty and was never used: check DATABASE_URL and DATA_DIR')
    const hash = createHash('sha256')
    const put = (line: string) => {
      hash.update(`${line}\n`)
      return write(line)
    }
    const takenAt = toTimestamp(now)
    await put(JSON.stringify({ ishtirak_backup: FORMAT, schema, taken_at: takenAt }))
    const rows: Record<string, number> = {}
    for (const table of await tablesOf(transaction)) {
      const count = await writeTable(transaction, table, put)
      if (count > 0) rows[table.table] = count
    }
    await write(`end\t${JSON.stringify({ rows, sha256: hash.digest('hex') })}`)
    return { takenAt, schema, rows }
    // A backup has no deadline.
  }, Number.POSITIVE_INFINITY)
}

/**
 * Migrates an empty database to the schema of the backup, fills it, and migrates it to the schema of this
 * program. Throws `BackupRefused`, after which no row was written. Each call of `lines` reads from the
 * beginning.
 */
export async function restoreBackup(
  database: Database,
  lines: () => AsyncIterable<string>,
  /** The instant of the restore; null: nothing was issued after the backup, so receipt numbers continue. */
  restoredAt: Instant | null,
): Promise<BackupContents> {
  const { schema } = await readHeader(lines())
  const { current, expected, refusal } = await schemaFit(database)
  if (refusal) throw new BackupRefused(refusal)
  if (schema > expected) {
    throw new BackupRefused(
      `the backup has schema ${schema}, and this program knows only up to ${expected}: use the newer program`,
    )
  }
  if (current > schema) {
    throw new BackupRefused(
      `the database already has schema ${current}, and the backup has ${schema}: create a new database`,
    )
  }
  if (current > 0) await refuseRows(database)
  await migrate(database, { upTo: schema })
  const restored = await database.transaction(async (transaction) => {
    const filled = await fill(transaction, lines())
    if (restoredAt !== null) await transaction.query(insertRestore, [toTimestamp(restoredAt)])
    return filled
  }, Number.POSITIVE_INFINITY)
  await migrate(database)
  return restored
}

/** Passes each row to `take` and returns the contents. Throws `BackupRefused` unless it is complete. */
export async function checkBackup(
  lines: AsyncIterable<string>,
  take: (table: string, row: string) => Promise<void> | void = () => undefined,
): Promise<BackupContents> {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  let header: Header | null = null
  let sha256: unknown
  for await (const line of lines) {
    const [table, row] = splitAtTab(line)
    if (table === 'end') {
      sha256 = parse(row).sha256
      continue
    }
    hash.update(`${line}\n`)
    if (header === null) header = parseHeader(line)
    else if (row === '') throw notWhole()
    else {
      rows[table] = (rows[table] ?? 0) + 1
      await take(table, row)
    }
  }
  if (!header || sha256 !== hash.digest('hex')) throw notWhole()
  return { ...header, rows }
}

type Header = Pick<BackupContents, 'schema' | 'takenAt'>

export async function readHeader(lines: AsyncIterable<string>): Promise<Header> {
  for await (const line of lines) return parseHeader(line)
  return parseHeader('')
}

function parseHeader(line: string): Header {
  if (!line.startsWith('{"ishtirak_backup"')) throw new BackupRefused('the file is not a backup of ishtirak')
  const header = parse(line)
  if (header.ishtirak_backup !== FORMAT) {
    const format = `the backup has format ${header.ishtirak_backup}`
    throw new BackupRefused(`${format}, and this program reads only ${FORMAT}`)
  }
  return { schema: Number(header.schema), takenAt: String(header.taken_at) }
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line))
  } catch {
    throw notWhole()
  }
}

function notWhole(): BackupRefused {
  return new BackupRefused('the backup is incomplete or was changed: its counts or its checksum differ')
}

function splitAtTab(line: string): readonly [string, string] {
  const at = line.indexOf('\t')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

async function writeTable(transaction: Transaction, { table, hasFiles }: Table, put: WriteLine) {
  const fetch = hasFiles ? fetchParts : fetchRows
  // The cursor's only column has the same name and type for every table, so its query is prepared once.
  await transaction.script(
    `declare backup_rows no scroll cursor for select row_to_json(backed_up)::text as row
      from ${quoted(table)} backed_up`,
  )
  let count = 0
  for (;;) {
    const rows = await transaction.query(fetch)
    for (const { row } of rows) await put(`${table}\t${row}`)
    count += rows.length
    if (rows.length === 0) break
  }
  await transaction.script('close backup_rows')
  return count
}

/** All or nothing: a missing or changed line rolls everything back. */
async function fill(transaction: Transaction, lines: AsyncIterable<string>): Promise<BackupContents> {
  await refuseRows(transaction)
  const tables = new Map((await tablesOf(transaction)).map((one) => [one.table, one]))
  // A trigger would write again what the backup already contains.
  await transaction.script(alterAll(tables.keys(), 'disable trigger user'))
  let batch = { table: '', rows: [] as string[], characters: 0 }
  const flush = async (table: string) => {
    const full = tables.get(batch.table)
    if (full) await insertRows(transaction, full, batch.rows)
    batch = { table, rows: [], characters: 0 }
  }
  const contents = await checkBackup(lines, async (table, row) => {
    if (!tables.has(table)) throw new BackupRefused(`the backup has the unknown table ${table}`)
    if (table !== batch.table || batch.characters > CHARACTERS_A_BATCH) await flush(table)
    batch.rows.push(row)
    batch.characters += row.length
  })
  await flush('')
  // Deferred constraints are checked now: a table with pending checks cannot be altered.
  await transaction.script(`set constraints all immediate; ${alterAll(tables.keys(), 'enable trigger user')}`)
  return contents
}

async function insertRows(transaction: Transaction, { table, columns }: Table, rows: readonly string[]) {
  // Not declared by `statement`, because the columns are those of the backup's schema.
  const insert = {
    isChange: true,
    name: `backup.insert.${table}`,
    text: `insert into ${quoted(table)} (${columns})
     select ${columns} from json_populate_recordset(null::${quoted(table)}, $1::json)`,
  }
  await transaction.query(insert, [`[${rows.join(',')}]`])
}

async function refuseRows(queryable: Queryable): Promise<void> {
  for (const { table } of await tablesOf(queryable)) {
    const anyRow = statement(`backup.any.${table}`, `select exists (select from ${quoted(table)}) as found`)
    const [row] = await queryable.query(anyRow)
    if (row?.found) {
      throw new BackupRefused(
        `the database is not empty, ${table} has rows: restore into a new database or an empty folder`,
      )
    }
  }
}

const parseTable = rowOf({
  table: column('name', text),
  /** The stored columns, quoted for a query. The database computes the others. */
  columns: text,
  hasFiles: flag,
})
type Table = ReturnType<typeof parseTable>

async function tablesOf(queryable: Queryable): Promise<readonly Table[]> {
  return (await queryable.query(selectTables)).map(parseTable)
}

function alterAll(tables: Iterable<string>, change: string): string {
  return [...tables].map((table) => `alter table ${quoted(table)} ${change};`).join('')
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Sessions of the service make the planner prefer indexes, but this reads whole tables. */
const EVERY_ROW = 'set local enable_seqscan = on'

const insertRestore = statement('backup.restore', 'insert into restores values ($1::timestamptz)')

const fetchRows = statement('backup.fetch', `fetch ${ROWS_A_FETCH} from backup_rows`)
const fetchParts = statement('backup.fetch_parts', `fetch ${PARTS_A_FETCH} from backup_rows`)

/**
 * Tables in the order of their creation: a table is made before those that refer to it. Left out are the
 * record of migrations, which migrations write, and sessions and links: used ones must not work again.
 */
const selectTables = statement(
  'backup.tables',
  `select relname as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns,
          bool_or(atttypid = 'bytea'::regtype) as has_files
     from pg_class join pg_attribute on attrelid = pg_class.oid
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname not in ('schema_migrations', 'portal_sessions', 'operator_sessions')
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by pg_class.oid, relname
    order by pg_class.oid`,
)
