// The chain of seals: what is not sealed yet, what is appended, the heads that others are told, and what does
// not fit the chain.
import {
  ConstraintViolation,
  type Database,
  type Queryable,
  statement,
  type Transaction,
} from '../database/database.js'
import {
  at,
  columnsOf,
  flag,
  instantOrNull,
  integer,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import { ACT, BALANCE_ENTRY, DOCUMENT, FORM, SEALED_CONTENT } from './content.sql.js'

/** An entry is named by its own key. */
const ENTRY = {
  kind: word<'document' | 'balance_entry' | 'act'>,
  series: text,
  number: integer,
  actId: text,
}
const parseNew = rowOf({ ...ENTRY, content: text })
type Unsealed = ReturnType<typeof parseNew>

const parseHead = rowOf({ position: integer, hash: text })
export type SealHead = ReturnType<typeof parseHead>

/** The head of an empty chain. */
export const NO_HEAD: SealHead = { position: 0, hash: '' }

// A number of a series is committed before the next one is drawn, and so is a sequence of a user. So no lower
// number can appear after a sealed one. A balance changes together with a document or an act, so only their
// users have new entries. Uses the indexes documents_number_once and seals_once.
const selectNew = statement(
  'seals.new',
  `with head as (
     select position, hash from seals order by position desc limit 1
   ), issued as (
     select d.* from document_series s, lateral (
       select * from documents d
        where d.series = s.series and d.number <= s.last_number and d.number > coalesce(
          (select max(number) from seals where kind = 'document' and series = s.series), 0)
        order by d.number limit $1::int) d
   ), acted as (
     select a.* from (select * from unsealed_acts order by id, user_id limit $1::int) u
       join audit a using (user_id, id)
   ), touched as (
     select user_id from issued union select user_id from acted
   )
   select n.*, coalesce(head.position, 0) as position, coalesce(head.hash, '') as hash
     from (
       select 'document' as kind, series, number, '' as act_id, null::timestamptz as acted_at,
              ${DOCUMENT} as content
         from issued d
        union all
       select 'balance_entry', b.user_id, b.sequence, '', null, ${BALANCE_ENTRY}
         from touched join users u using (user_id), lateral (
           select * from balance_entries b
            where b.user_id = u.user_id and b.sequence <= u.balance_entry and b.sequence > coalesce(
              (select max(number) from seals where kind = 'balance_entry' and series = u.user_id), 0)) b
        union all
       select 'act', user_id, 0, id, acted_at, ${ACT} from acted a
     ) n left join head on true
    order by n.kind desc, n.acted_at, n.series, n.number, n.act_id`,
)

/** About `limit` new entries of each kind, with the head of the chain from the same snapshot. */
export async function newEntries(
  database: Queryable,
  limit: number,
): Promise<{ readonly head: SealHead; readonly entries: readonly Unsealed[] }> {
  const rows = await database.query(selectNew, [limit])
  const [first] = rows
  return { head: first ? parseHead(first) : NO_HEAD, entries: rows.map(parseNew) }
}

const insert = statement(
  'seals.insert',
  `with new as (
     select * from jsonb_to_recordset($1::jsonb) as n(
       position bigint, kind text, series text, number int, act_id text, hash text)
   ), sealed as (
     delete from unsealed_acts u using new n
      where n.kind = 'act' and u.user_id = n.series and u.id = n.act_id
   )
   insert into seals (position, kind, series, number, act_id, form, hash)
   select position, kind, series, number, act_id, ${FORM}, hash from new`,
)

export type NewSeal = Omit<Unsealed, 'content'> & SealHead

/** Appends all or none. False: another process has sealed meanwhile. */
export async function appendSeals(database: Queryable, seals: readonly NewSeal[]): Promise<boolean> {
  const rows = seals.map(({ actId, ...seal }) => ({ ...seal, act_id: actId }))
  try {
    await database.query(insert, [JSON.stringify(rows)])
    return true
  } catch (error) {
    if (error instanceof ConstraintViolation && error.constraint === 'seals_in_order') return false
    throw error
  }
}

const insertDay = statement(
  'seals.insert_day',
  `insert into seal_heads (day, position, hash)
   select $1, position, hash from seals order by position desc limit 1
       on conflict do nothing`,
)

/** Stores the head of the day once. Without a seal there is none. */
export async function noteDay(database: Queryable, day: string): Promise<void> {
  await database.query(insertDay, [day])
}

const parseDay = rowOf({
  day: text,
  position: integer,
  hash: text,
  mailedAt: instantOrNull,
  toldAt: instantOrNull,
})
export type DayHead = ReturnType<typeof parseDay>

const selectLastDay = statement(
  'seals.last_day',
  `select ${columnsOf(parseDay)} from seal_heads order by position desc, day desc limit 1`,
)

/**
 * The newest head; null: there is none yet. It is the one of the last position, not of the last day, because
 * a clock that ran ahead stored a later day.
 */
export async function lastDay(database: Queryable): Promise<DayHead | null> {
  const [row] = await database.query(selectLastDay)
  return row ? parseDay(row) : null
}

const saveDay = statement(
  'seals.save_day',
  'update seal_heads set mailed_at = $2::timestamptz, told_at = $3::timestamptz where day = $1',
)

export async function saveTold(
  database: Queryable,
  { day, mailedAt, toldAt }: Pick<DayHead, 'day' | 'mailedAt' | 'toldAt'>,
): Promise<void> {
  await database.query(saveDay, [day, at(mailedAt), at(toldAt)])
}

const selectSeals = statement(
  'seals.contents',
  `select s.position, s.hash, s.kind, s.series, s.number, s.act_id, ${SEALED_CONTENT} as content
     from seals s where s.position > $1::bigint order by s.position limit $2::int`,
)
/** `content` is null if the entry is gone. */
const parseSeal = rowOf({ position: integer, hash: text, ...ENTRY, content: textOrNull })
export type Seal = ReturnType<typeof parseSeal>

/** The seals after a position, with the content that their entries have now. */
export async function sealsBehind(
  database: Queryable,
  position: number,
  limit: number,
): Promise<readonly Seal[]> {
  return (await database.query(selectSeals, [position, limit])).map(parseSeal)
}

// `(select …) is null` makes the planner use the index; with `not exists` it joins while the table seems
// small. Entries that the job will still seal are left out: numbers after the last sealed one, and unsealed
// acts.
const selectInserted = statement(
  'seals.inserted',
  `select * from (
     select 'document' as kind, d.series, d.number, '' as act_id from documents d
      where (select s.position from seals s
              where s.kind = 'document' and s.series = d.series and s.number = d.number
                and s.act_id = '') is null
        and not exists (
          select from document_series n
           where n.series = d.series and d.number <= n.last_number and d.number > coalesce(
             (select max(number) from seals where kind = 'document' and series = d.series), 0))
      union all
     select 'balance_entry', b.user_id, b.sequence, '' from balance_entries b
      where (select s.position from seals s
              where s.kind = 'balance_entry' and s.series = b.user_id and s.number = b.sequence
                and s.act_id = '') is null
        and not exists (
          select from users u
           where u.user_id = b.user_id and b.sequence <= u.balance_entry and b.sequence > coalesce(
             (select max(number) from seals where kind = 'balance_entry' and series = b.user_id), 0))
      union all
     select 'act', a.user_id, 0, a.id from audit a
      where (select s.position from seals s
              where s.kind = 'act' and s.series = a.user_id and s.number = 0 and s.act_id = a.id) is null
        and not exists (select from unsealed_acts u where u.user_id = a.user_id and u.id = a.id)
   ) n order by kind desc, series, number, act_id limit 1`,
)
const parseEntry = rowOf(ENTRY)
export type Entry = ReturnType<typeof parseEntry>

/**
 * An entry that has no seal and should have one; null: there is none. Reads all entries, without a limit of
 * time.
 */
export async function findInserted(database: Database): Promise<Entry | null> {
  const read = (transaction: Transaction) => transaction.query(selectInserted)
  const [row] = await database.transaction(read, Number.POSITIVE_INFINITY)
  return row ? parseEntry(row) : null
}

const selectOtherHead = statement(
  'seals.other_head',
  `select h.position, h.hash, s.hash is null as is_missing
     from (select position, hash from seal_heads
            union all
           select position, hash from jsonb_to_recordset($1::jsonb) as g(position bigint, hash text)) h
     left join seals s on s.position = h.position
    where s.hash is distinct from h.hash
    order by h.position limit 1`,
)
const parseOtherHead = rowOf({ position: integer, hash: text, isMissing: flag })

/** The first of the noted heads and of `heads` that the chain does not have; null: it has all of them. */
export async function findOtherHead(database: Queryable, heads: readonly SealHead[]) {
  const [row] = await database.query(selectOtherHead, [JSON.stringify(heads)])
  return row ? parseOtherHead(row) : null
}
