// What a move of users between two databases asks of them. Tables are found in the catalogue, so none is
// forgotten. What a move needs beside `cell_moves` lies in a schema of its own, which goes with it.
import { type Database, type Queryable, statement, type Transaction } from '../database/database.js'
import { column, flag, integer, json, rowOf, text } from '../database/rows.js'
import { MOVING_STATE } from '../http/problem.js'

/** A table with rows of users. Names are quoted, for a statement. */
export interface MovedTable {
  readonly name: string
  /** Those that are written; the database computes the rest. */
  readonly columns: string
  readonly hasFiles: boolean
}

/** Its trigger fills it where the users arrive. */
const FILLED_BY_TRIGGER = 'user_search'

// In the order of their creation: a table is made before those that refer to it.
const selectTables = statement(
  'cell_move.tables',
  `select quote_ident(relname) as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns,
          bool_or(atttypid = 'bytea'::regtype) as has_files
     from pg_class join pg_attribute on attrelid = pg_class.oid
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname <> '${FILLED_BY_TRIGGER}' and attnum > 0 and not attisdropped and attgenerated = ''
    group by pg_class.oid, relname
   having bool_or(attname = 'user_id')
    order by pg_class.oid`,
)

const readTable = rowOf({ name: text, columns: text, hasFiles: flag })

export async function movedTables(database: Queryable): Promise<readonly MovedTable[]> {
  return (await database.query(selectTables)).map(readTable)
}

const selectSchema = statement('cell_move.schema', 'select current_schema() as name')

/** Of what a move needs, beside the schema of the service. */
export async function moveSchema(database: Queryable): Promise<string> {
  const [row = {}] = await database.query(selectSchema)
  return `${text(row, 'name')}_move`
}

const readMove = rowOf({
  from: column('from_cell', text),
  to: column('to_cell', text),
  /** What is still to be moved. */
  parts: json<readonly number[]>,
  /** What moves now, together. */
  underWay: json<readonly number[]>,
  step: text,
  mover: text,
})
export type KnownMove = ReturnType<typeof readMove>

const MOVE = `from_cell, to_cell, to_jsonb(parts) as parts, to_jsonb(under_way) as under_way, step, mover`

const selectMove = statement('cell_move.known', `select ${MOVE} from cell_moves`)

export async function knownMove(database: Queryable): Promise<KnownMove | null> {
  const [row] = await database.query(selectMove)
  return row ? readMove(row) : null
}

const takeOver = statement(
  'cell_move.take_over',
  `insert into cell_moves (from_cell, to_cell, parts, mover) values ($1, $2, $3::int[], $4)
       on conflict (one) do update set mover = excluded.mover
    where cell_moves.from_cell = excluded.from_cell and cell_moves.to_cell = excluded.to_cell
   returning ${MOVE}`,
)

/** A run before this one can do nothing any more. Null: another move is under way. */
export async function takeOverMove(
  database: Queryable,
  of: Pick<KnownMove, 'from' | 'to' | 'parts' | 'mover'>,
): Promise<KnownMove | null> {
  const [row] = await database.query(takeOver, [of.from, of.to, of.parts, of.mover])
  return row ? readMove(row) : null
}

/** Taken over by another run of the command. */
class TakenOver extends Error {
  override readonly name = 'TakenOver'
  constructor() {
    super('another run of this command has taken the move over')
  }
}

const lockMove = statement('cell_move.lock', 'select step from cell_moves where mover = $1 for share')

/** Until the end of the transaction no other run takes over. Throws `TakenOver`. */
export async function holdMove(transaction: Queryable, mover: string): Promise<void> {
  if ((await transaction.query(lockMove, [mover])).length === 0) throw new TakenOver()
}

const beginTogether = statement(
  'cell_move.begin_together',
  `update cell_moves set under_way = $2::int[], refuses_from = null, fenced_until = null
    where mover = $1 and step = 'copying' returning step`,
)
const finishTogether = statement(
  'cell_move.finish_together',
  `update cell_moves set step = 'copying', under_way = '{}', refuses_from = null, fenced_until = null,
          parts = array(select part from unnest(parts) part where part <> all ($2::int[]) order by 1)
    where mover = $1 returning step`,
)
const announceFence = statement(
  'cell_move.announce_fence',
  `update cell_moves set refuses_from = clock_timestamp() + $2::int * interval '1 ms',
          fenced_until = clock_timestamp() + $3::int * interval '1 ms'
    where mover = $1 and step = 'copying' returning step`,
)
const liftFence = statement(
  'cell_move.lift_fence',
  `update cell_moves set refuses_from = null, fenced_until = null
    where mover = $1 and step = 'copying' returning step`,
)
const decide = statement(
  'cell_move.decide',
  `update cell_moves set step = 'switched'
    where mover = $1 and step = 'copying' and under_way = $2::int[] and fenced_until > clock_timestamp()
   returning step`,
)
const noteCompared = statement(
  'cell_move.note_compared',
  `update cell_moves set step = 'compared' where mover = $1 and step in ('switched', 'compared')
   returning step`,
)
const arrive = statement(
  'cell_move.arrive',
  `update cell_moves set step = 'switched', under_way = $2::int[] where mover = $1 returning step`,
)

async function changeMove(
  database: Queryable,
  change: typeof decide,
  values: readonly (string | number | readonly number[])[],
): Promise<void> {
  if ((await database.query(change, values)).length === 0) throw new TakenOver()
}

/** The parts that move together from now on. */
export const beginParts = (database: Queryable, mover: string, parts: readonly number[]) =>
  changeMove(database, beginTogether, [mover, parts])
export const finishParts = (database: Queryable, mover: string, parts: readonly number[]) =>
  changeMove(database, finishTogether, [mover, parts])
/** In milliseconds from now: when changes begin to be refused, and when none is refused any more. */
export const announce = (database: Queryable, mover: string, from: number, until: number) =>
  changeMove(database, announceFence, [mover, from, until])
export const noteComparison = (database: Queryable, mover: string) =>
  changeMove(database, noteCompared, [mover])
export const lift = (database: Queryable, mover: string) => changeMove(database, liftFence, [mover])
/** The one decision. False: the fence was over. */
export async function decideSwitch(s: Queryable, mover: string, parts: readonly number[]): Promise<boolean> {
  return (await s.query(decide, [mover, parts])).length === 1
}

const deleteMove = statement('cell_move.forget', 'delete from cell_moves')

/** With all that it needed, the triggers table by table: each waits for those who write to it. */
export async function forgetMove(
  database: Database,
  { schema, tables }: { readonly schema: string; readonly tables: readonly MovedTable[] },
): Promise<void> {
  for (const { name } of tables)
    await withoutWaiting(database, (transaction) =>
      transaction.script(`drop trigger if exists user_moves on ${name}`),
    )
  await database.script(`drop schema if exists "${schema}" cascade`)
  await database.query(deleteMove)
}

/** Waits for a lock no longer than this, since all who come behind wait too. */
const LOCK_MS = 100

/** What takes a lock of a whole table: tried again until the lock is free. */
async function withoutWaiting(
  database: Database,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await database.transaction(async (transaction) => {
        await transaction.script(`set local lock_timeout = ${LOCK_MS}`)
        await work(transaction)
      })
    } catch (error) {
      if (!isLockTaken(error)) throw error
    }
  }
}

/** 55P03: lock not available. */
function isLockTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes('(55P03)')
}

/** Where rows arrive before they are anybody's, and where the departed lie: tables without keys. */
const besideTables = (schema: string, tables: readonly MovedTable[]) =>
  tables
    .map(
      ({ name, columns }) => `
  create table if not exists "${schema}".${name} as select ${columns} from ${name} with no data;
  create index if not exists ${indexOf(name)} on "${schema}".${name} (user_id);`,
    )
    .join('')

const indexOf = (table: string) => `"${table.replaceAll('"', '')}_of_user"`

export async function prepareTarget(
  database: Database,
  schema: string,
  tables: readonly MovedTable[],
): Promise<void> {
  await database.script(`
    create schema if not exists "${schema}";
    ${besideTables(schema, tables)}`)
}

/** Of the advisory locks, each of one part. */
const LOCKS = 33_000_000

/**
 * From here on each change of a user who moves is noted in its transaction. Notes are only added and only
 * read by the mover, so no one waits for them.
 */
export async function prepareSource(
  database: Database,
  schema: string,
  tables: readonly MovedTable[],
): Promise<void> {
  await database.script(`
    create schema if not exists "${schema}";
    create table if not exists "${schema}".moving_users (
      user_id text primary key, part integer not null, is_copied boolean not null default false);
    create index if not exists moving_users_of_part on "${schema}".moving_users (part, user_id)
      where not is_copied;
    create table if not exists "${schema}".moving_changes (
      part integer not null, user_id text not null, ticket xid8 not null default pg_current_xact_id(),
      primary key (part, user_id, ticket));
    ${besideTables(schema, tables)}
    ${noteChange(schema)}`)
  for (const { name } of tables) {
    await withoutWaiting(database, (transaction) =>
      transaction.script(`create or replace trigger user_moves after insert or update or delete on ${name}
        for each row execute function "${schema}".note_change()`),
    )
  }
}

// The fence is looked at before and after the lock: who waited for the lock may find it fenced, and who is
// refused holds up no one. `ishtirak.moves` is set by the mover for its own transaction.
const noteChange = (schema: string) => `
  create or replace function "${schema}".note_change() returns trigger language plpgsql as $$
  declare
    whose constant text := case tg_op when 'DELETE' then old.user_id else new.user_id end;
    its integer;
    who constant text := coalesce(current_setting('ishtirak.moves', true), '');
  begin
    if who = 'away' or whose = '' then return null; end if;
    its := part_of(whose);
    if not exists (select from cell_moves where its = any (parts)) then return null; end if;
    for turn in 1 .. 2 loop
      exit when who = 'own';
      if exists (select from cell_moves where its = any (under_way)
                    and (step = 'switched' or clock_timestamp() between refuses_from and fenced_until)) then
        raise exception 'the user moves to another cell' using errcode = '${MOVING_STATE}';
      end if;
      if turn = 1 then perform pg_advisory_xact_lock_shared(${LOCKS}, its); end if;
    end loop;
    insert into "${schema}".moving_changes (part, user_id) values (its, whose) on conflict do nothing;
    return null;
  end $$;`

/** All users of the parts, whichever table has rows of them. Reads all of them. */
export async function findUsers(
  database: Database,
  schema: string,
  of: { readonly tables: readonly MovedTable[]; readonly parts: readonly number[] },
): Promise<void> {
  for (const { name } of of.tables) {
    const find = {
      isChange: true,
      name: `cell_move.find.${name}`,
      text: `insert into "${schema}".moving_users (user_id, part)
             select user_id, part from (select distinct user_id from ${name} where user_id <> '') u,
                    lateral (select part_of(user_id) as part offset 0) p
              where part = any ($1::int[]) on conflict do nothing`,
    }
    await database.transaction(async (transaction) => {
      await transaction.script(WHOLE_TABLES)
      await transaction.query(find, [of.parts])
    }, Number.POSITIVE_INFINITY)
  }
}

/** Sessions of the service keep lookups on their indexes; these statements are about many rows. */
const WHOLE_TABLES =
  'set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on; ' +
  'set local plan_cache_mode = force_custom_plan'

/** How many users each part has, by part. */
export async function usersOfParts(
  database: Queryable,
  schema: string,
): Promise<readonly { readonly part: number; readonly users: number }[]> {
  const count = {
    isChange: false,
    name: 'cell_move.count_users',
    text: `select part, count(*)::int as users from "${schema}".moving_users group by part order by part`,
  }
  const rows = await database.query(count)
  return rows.map((row) => ({ part: integer(row, 'part'), users: integer(row, 'users') }))
}

/** All users of the parts are to be copied. */
export async function copyAnew(
  queryable: Queryable,
  schema: string,
  parts: readonly number[],
): Promise<void> {
  const anew = {
    isChange: true,
    name: 'cell_move.copy_anew',
    text: `update "${schema}".moving_users set is_copied = false where part = any ($1::int[]) and is_copied`,
  }
  await queryable.query(anew, [parts])
}

/** Of those who arrived, some behind one, by id. */
export async function arrivedUsers(
  queryable: Queryable,
  schema: string,
  after: string,
): Promise<readonly string[]> {
  const arrived = {
    isChange: false,
    name: 'cell_move.arrived',
    text: `select user_id from "${schema}".users where user_id > $1 order by user_id limit 500`,
  }
  return (await queryable.query(arrived, [after])).map((row) => text(row, 'user_id'))
}

/** The users that are to be copied, or copied again, of the parts. */
export async function nextUsers(
  queryable: Queryable,
  schema: string,
  of: { readonly parts: readonly number[]; readonly most: number },
): Promise<readonly string[]> {
  const next = {
    isChange: false,
    name: 'cell_move.next_users',
    text: `select user_id from (
             (select user_id from "${schema}".moving_users where part = any ($1::int[]) and not is_copied
               limit $2::int)
              union
             (select user_id from "${schema}".moving_changes where part = any ($1::int[]) limit $2::int)) u
            order by user_id limit $2::int`,
  }
  return (await queryable.query(next, [of.parts, of.most])).map((row) => text(row, 'user_id'))
}

/** In the transaction that has read their rows: notes that it did not see stay. */
export async function noteCopied(
  transaction: Queryable,
  schema: string,
  userIds: readonly string[],
): Promise<void> {
  const copied = {
    isChange: true,
    name: 'cell_move.copied',
    text: `with noted as (
             delete from "${schema}".moving_changes
              where part = any (select part_of(u) from unnest($1::text[]) u) and user_id = any ($1::text[]))
           insert into "${schema}".moving_users (user_id, part, is_copied)
           select u, part_of(u), true from unnest($1::text[]) u
               on conflict (user_id) do update set is_copied = true`,
  }
  await transaction.query(copied, [userIds])
}

const ROWS_A_FETCH = 500
/** As text a part of a file has 200,000 characters. */
const FILES_A_FETCH = 10
const fetchRows = statement('cell_move.fetch', `fetch ${ROWS_A_FETCH} from moving_rows`)
const fetchFiles = statement('cell_move.fetch_files', `fetch ${FILES_A_FETCH} from moving_rows`)

/** The rows of these users, as JSON, in parts. */
export async function* movedRows(
  transaction: Transaction,
  { name, columns, hasFiles }: MovedTable,
  userIds: readonly string[],
): AsyncGenerator<readonly string[]> {
  const declare = {
    isChange: false,
    name: `cell_move.read.${name}`,
    text: `declare moving_rows no scroll cursor for select row_to_json(moving)::text as row
             from (select ${columns} from ${name} where user_id = any ($1::text[])) moving`,
  }
  await transaction.query(declare, [userIds])
  for (;;) {
    const rows = await transaction.query(hasFiles ? fetchFiles : fetchRows)
    if (rows.length === 0) break
    yield rows.map((row) => text(row, 'row'))
  }
  await transaction.script('close moving_rows')
}

export async function forgetArrivals(
  transaction: Queryable,
  { schema, table: { name } }: Beside,
  userIds: readonly string[],
): Promise<void> {
  const forget = {
    isChange: true,
    name: `cell_move.forget.${name}`,
    text: `delete from "${schema}".${name} where user_id = any ($1::text[])`,
  }
  await transaction.query(forget, [userIds])
}

interface Beside {
  readonly schema: string
  readonly table: MovedTable
}

export async function writeArrivals(
  transaction: Queryable,
  { schema, table: { name, columns } }: Beside,
  rows: readonly string[],
): Promise<void> {
  const write = {
    isChange: true,
    name: `cell_move.write.${name}`,
    text: `insert into "${schema}".${name} (${columns})
           select ${columns} from json_populate_recordset(null::"${schema}".${name}, $1::json)`,
  }
  await transaction.query(write, [`[${rows.join(',')}]`])
}

const readDigest = rowOf({ rows: integer, digest: text })

/** How many rows of these users, and what they say. `userIds` null: of all. */
export async function rowsDigest(
  queryable: Queryable,
  table: { readonly columns: string; readonly name: string; readonly schema?: string },
  userIds: readonly string[] | null,
) {
  const [from, place] =
    table.schema === undefined ? [table.name, ''] : [`"${table.schema}".${table.name}`, 'beside.']
  const digest = {
    isChange: false,
    name: `cell_move.digest.${place}${table.name}${userIds ? '' : '.all'}`,
    text: `select count(*)::int as rows,
                  md5(coalesce(string_agg(one, '' order by one collate "C"), '')) as digest
             from (select md5(row_to_json(moving)::text) as one
                     from (select ${table.columns} from ${from}
                           ${userIds ? 'where user_id = any ($1::text[])' : ''}) moving) rows`,
  }
  const [row = {}] = await queryable.query(digest, userIds ? [userIds] : [])
  return readDigest(row)
}

/** Waits for those who change users of the parts; who comes later waits until the transaction ends. */
export async function lockParts(transaction: Queryable, parts: readonly number[]): Promise<void> {
  for (const part of parts) await transaction.query(lockPart, [part])
}
const lockPart = statement(
  'cell_move.lock_part',
  `select true as locked from pg_advisory_xact_lock(${LOCKS}, $1::int)`,
)

/** Its changes are noted and not refused. A mover whose machine is gone holds its locks so long at most. */
export async function actAsMover(transaction: Transaction, limitMs: number): Promise<void> {
  const limit = Math.max(1, Math.ceil(limitMs))
  await transaction.script(
    `set local ishtirak.moves = 'own'; set local statement_timeout = ${limit};
     set local idle_in_transaction_session_timeout = ${limit}; ${WHOLE_TABLES}`,
  )
}

const takeParts = statement(
  'cell_move.take_parts',
  'insert into cell_parts (part) select unnest($1::int[]) on conflict do nothing',
)
const leaveParts = statement('cell_move.leave_parts', 'delete from cell_parts where part = any ($1::int[])')
const countParts = statement(
  'cell_move.parts_here',
  'select count(*)::int as parts from cell_parts where part = any ($1::int[])',
)

/** Whether the database has all of these parts. */
export async function hasParts(database: Queryable, parts: readonly number[]): Promise<boolean> {
  const [row = {}] = await database.query(countParts, [parts])
  return integer(row, 'parts') === parts.length
}

/** By table, how many rows. */
type Counts = ReadonlyMap<string, number>

/** The users of the parts come in: all that lies beside the tables. */
export async function takeIn(
  t: Transaction,
  of: { readonly schema: string; readonly tables: readonly MovedTable[]; readonly parts: readonly number[] },
  mover: string,
): Promise<Counts> {
  await t.query(takeParts, [of.parts])
  const counts = new Map<string, number>()
  for (const { name, columns } of of.tables) {
    const take = {
      isChange: true,
      name: `cell_move.take.${name}`,
      text: `with taken as (
               insert into ${name} (${columns}) select ${columns} from "${of.schema}".${name} returning 1)
             select count(*)::int as rows from taken`,
    }
    const [row = {}] = await t.query(take)
    counts.set(name, integer(row, 'rows'))
  }
  await t.script('set constraints all immediate')
  await changeMove(t, arrive, [mover, of.parts])
  return counts
}

/** The users of the parts leave: their rows lie beside the tables from then on. */
export async function letGo(
  s: Transaction,
  of: { readonly schema: string; readonly tables: readonly MovedTable[]; readonly parts: readonly number[] },
): Promise<Counts> {
  await s.query(leaveParts, [of.parts])
  await s.script(`set local ishtirak.moves = 'away'`)
  const goWithUsers = {
    isChange: true,
    name: `cell_move.go.${FILLED_BY_TRIGGER}`,
    text: `delete from ${FILLED_BY_TRIGGER} using "${of.schema}".moving_users m
            where m.part = any ($1::int[]) and ${FILLED_BY_TRIGGER}.user_id = m.user_id`,
  }
  await s.query(goWithUsers, [of.parts])
  const counts = new Map<string, number>()
  for (const { name, columns } of of.tables.toReversed()) {
    const go = {
      isChange: true,
      name: `cell_move.go.${name}`,
      text: `with gone as (
               delete from ${name} using "${of.schema}".moving_users m
                where m.part = any ($1::int[]) and ${name}.user_id = m.user_id
               returning ${columnsOf(name, columns)}
             ), kept as (
               insert into "${of.schema}".${name} (${columns}) select ${columns} from gone returning 1)
             select count(*)::int as rows from kept`,
    }
    const [row = {}] = await s.query(go, [of.parts])
    counts.set(name, integer(row, 'rows'))
  }
  await s.script('set constraints all immediate')
  return counts
}

const columnsOf = (table: string, columns: string) =>
  columns
    .split(', ')
    .map((name) => `${table}.${name}`)
    .join(', ')

const countBulks = statement(
  'cell_move.bulks',
  'select count(*)::int as acts from bulk_acts where finished_at is null',
)

/** Acts on many that are under way: what is left of their lists may name users who move. */
export async function unfinishedActs(database: Queryable): Promise<number> {
  const [row = {}] = await database.query(countBulks)
  return integer(row, 'acts')
}

/** What lies beside the tables goes. */
export async function emptyBeside(
  database: Database,
  schema: string,
  tables: readonly MovedTable[],
): Promise<void> {
  await database.script(`truncate ${tables.map(({ name }) => `"${schema}".${name}`).join(', ')}`)
}

/** Of the parts that have moved. */
export async function forgetUsers(
  database: Queryable,
  schema: string,
  parts: readonly number[],
): Promise<void> {
  for (const table of ['moving_users', 'moving_changes']) {
    const forget = {
      isChange: true,
      name: `cell_move.forget_${table}`,
      text: `delete from "${schema}".${table} where part = any ($1::int[])`,
    }
    await database.query(forget, [parts], Number.POSITIVE_INFINITY)
  }
}

// Closed months keep up to which number each series is in them, so that what came later is shown in the next
// month. Numbers keep their series in another cell.
const selectClosed = statement(
  'cell_move.closed',
  `select coalesce(jsonb_object_agg(month, counted), '{}') as months from closed_months
    where reopened_at is null`,
)
const mergeClosed = statement(
  'cell_move.merge_closed',
  `update closed_months c set counted = (m.counted) || c.counted
     from (select key as month, value as counted from jsonb_each($1::jsonb)) m
    where c.month = m.month and c.reopened_at is null`,
)
type ClosedMonths = Readonly<Record<string, Readonly<Record<string, number>>>>

/** By month the last number of each series. */
export async function closedMonths(database: Queryable): Promise<ClosedMonths> {
  const [row = {}] = await database.query(selectClosed)
  return json<ClosedMonths>(row, 'months')
}

/** None is closed or opened again until the transaction ends. */
export async function mergeClosedMonths(t: Transaction, months: ClosedMonths): Promise<void> {
  await t.script('lock table closed_months in share row exclusive mode')
  await t.query(mergeClosed, [JSON.stringify(months)])
}
