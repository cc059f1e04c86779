// The chain of seals: entries without a seal, new seals, and the daily heads that others are told.
import type { Instant } from '../core/instant.js'
import { ConstraintViolation, type Queryable, statement } from '../database/database.js'
import {
  at,
  columnsOf,
  firstOf,
  instantOrNull,
  integer,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import { ACT, BALANCE_ENTRY, DOCUMENT, FORM, SEALED_CONTENT } from './content.sql.js'

/** The entry of a seal, by the entry's own key. */
export const ENTRY = {
  kind: word<'document' | 'balance_entry' | 'act'>,
  series: text,
  number: integer,
  actId: text,
}
const parseNew = rowOf({ ...ENTRY, content: text })
type Unsealed = ReturnType<typeof parseNew>

const parseHead = rowOf({ position: integer, hash: text })
export type SealHead = ReturnType<typeof parseHead>

export const NO_HEAD: SealHead = { position: 0, hash: '' }

/**
 * The trail is open from one day before the last sealed act: an act with an earlier instant that has no seal
 * was inserted, and `books verify` names it. `$1` is now: a sealed act of a clock that ran ahead must not
 * close the trail to those that follow.
 */
export const TRAIL_OPEN_SINCE = `
  coalesce(
    (select least($1::timestamptz, a.acted_at) - interval '1 day'
       from seals s join audit a on a.user_id = s.series and a.id = s.act_id
      where s.kind = 'act' order by s.position desc limit 1),
    '-infinity')`

// Documents and balance entries are sealed in the order of their numbers. The row lock on the series or the
// user is held until the commit, so no lower number can appear later. A balance changes together with a
// document or an act, so only users of new documents and acts have new entries. Uses the indexes
// documents_number_once, audit_newest and seals_once.
const selectNew = statement(
  'seals.new',
  `with head as (
     select position, hash from seals order by position desc limit 1
   ), issued as (
     select d.* from document_series s, lateral (
       select * from documents d
        where d.series = s.series and d.number <= s.last_number and d.number > coalesce(
          (select max(number) from seals where kind = 'document' and series = s.series), 0)
        order by d.number limit $2::int) d
   ), acted as (
     select a.* from audit a
      where a.acted_at >= ${TRAIL_OPEN_SINCE}
        and (select s.position from seals s
              where s.kind = 'act' and s.series = a.user_id and s.number = 0 and s.act_id = a.id) is null
      order by a.acted_at, a.id limit $2::int
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

/** About `limit` entries of each kind, and the head to append to. Both are from one snapshot. */
export async function newEntries(database: Queryable, of: { readonly now: Instant; readonly limit: number }) {
  const rows = await database.query(selectNew, [at(of.now), of.limit])
  const [first] = rows
  return { head: first ? parseHead(first) : NO_HEAD, entries: rows.map(parseNew) }
}

const insert = statement(
  'seals.insert',
  `insert into seals (position, kind, series, number, act_id, form, hash)
   select position, kind, series, number, act_id, ${FORM}, hash
     from jsonb_to_recordset($1::jsonb) as n(
       position bigint, kind text, series text, number int, act_id text, hash text)`,
)

/** Appends all or none. False: another process has appended meanwhile. */
export async function appendSeals(
  database: Queryable,
  seals: readonly (Omit<Unsealed, 'content'> & SealHead)[],
): Promise<boolean> {
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

/** Stores the head of a day, once. Does nothing if there is no seal yet. */
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

/** The head with the highest position, whatever its day: a clock may have run ahead. Null: there is none. */
export const lastDay = (database: Queryable) => firstOf(database.query(selectLastDay), parseDay)

const saveDay = statement(
  'seals.save_day',
  'update seal_heads set mailed_at = $2::timestamptz, told_at = $3::timestamptz where day = $1',
)

export async function saveTold(database: Queryable, { day, mailedAt, toldAt }: DayHead): Promise<void> {
  await database.query(saveDay, [day, at(mailedAt), at(toldAt)])
}

const selectLines = statement(
  'seals.lines',
  `select s.position, s.hash, ${SEALED_CONTENT} as content
     from seals s where s.position > $1::bigint order by s.position limit $2::int`,
)
const parseLine = rowOf({ position: integer, hash: text, content: textOrNull })

/** The seals after a position, each with the content of its entry; null: the entry is gone. */
export async function sealedLines(database: Queryable, after: number, limit: number) {
  return (await database.query(selectLines, [after, limit])).map(parseLine)
}
