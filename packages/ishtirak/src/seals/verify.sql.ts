// Checks the chain of seals against the entries. The database computes the hashes, so the entries are not
// sent.
import type { Instant } from '../core/instant.js'
import {
  type Database,
  type Parameter,
  type Queryable,
  type Statement,
  statement,
} from '../database/database.js'
import { at, column, firstOf, flag, integer, rowOf, text, textOrNull } from '../database/rows.js'
import { SEALED_CONTENT } from './content.sql.js'
import { ENTRY, type SealHead, TRAIL_OPEN_SINCE } from './seals.sql.js'

const parseEntry = rowOf(ENTRY)
export type Entry = ReturnType<typeof parseEntry>

const parseSeal = rowOf({
  ...ENTRY,
  position: integer,
  hash: text,
  /** Null: the entry is gone. */
  content: textOrNull,
  /** The seal before this one. */
  before: rowOf({ position: column('before_position', integer), hash: column('before_hash', text) }),
  isBroken: flag,
})
export type Seal = ReturnType<typeof parseSeal>

/** The seals that one query checks. Other calls of the embedded database wait for it. */
const SEALS_A_PAGE = 2_000

const selectPage = statement(
  'seals.page',
  `with page as (
     select s.position, s.kind, s.series, s.number, s.act_id, s.hash, ${SEALED_CONTENT} as content,
            lag(s.position, 1, $1::bigint) over (order by s.position) as before_position,
            lag(s.hash, 1, $2) over (order by s.position) as before_hash
       from (select * from seals where position > $1::bigint order by position limit ${SEALS_A_PAGE}) s
   ), judged as (
     select page.*, position <> before_position + 1 or content is null
                    or hash <> encode(sha256(convert_to(before_hash || content, 'UTF8')), 'hex') as is_broken
       from page
   )
   (select * from judged where is_broken order by position limit 1)
    union all
   (select * from judged where not exists (select from judged where is_broken)
     order by position desc limit 1)`,
)

/** The first broken seal of the page after `head`, or else its last seal; null: there are none after it. */
export function checkPage(database: Queryable, { position, hash }: SealHead) {
  return firstOf(database.query(selectPage, [position, hash]), parseSeal)
}

const selectFollows = statement(
  'seals.follows',
  `select s.hash = encode(sha256(convert_to($2 || (${SEALED_CONTENT}), 'UTF8')), 'hex') as follows
     from seals s where s.position > $1::bigint order by s.position limit 1`,
)

/** Whether the seal after this position was made from this hash. */
export async function nextFollowsOn(database: Queryable, { position, hash }: SealHead): Promise<boolean> {
  const [row] = await database.query(selectFollows, [position, hash])
  return row?.follows === true
}

const selectSealBefore = statement(
  'seals.before',
  `select position
     from (select 0 as position, '' as hash union all select position, hash from seals) s
    where encode(sha256(convert_to(s.hash || $1, 'UTF8')), 'hex') = $2
    order by position limit 1`,
)

/** The position whose hash, with this content, gives `hash`; null: none does. It reads all seals. */
export function sealBefore(database: Database, content: string, hash: string) {
  return firstOf(scan(database, selectSealBefore, [content, hash]), (row) => integer(row, 'position'))
}

const selectAt = statement(
  'seals.at',
  'select kind, series, number, act_id from seals where position = $1::bigint',
)

export function entryAt(database: Queryable, position: number) {
  return firstOf(database.query(selectAt, [position]), parseEntry)
}

const selectNumber = statement(
  'seals.number',
  'select kind, series, number, act_id from seals where kind = $1 and series = $2 and number = $3::int',
)

/** Null: no such number is sealed. */
export function entryNumbered(database: Queryable, { kind, series, number }: Entry) {
  return firstOf(database.query(selectNumber, [kind, series, number]), parseEntry)
}

// `not exists` would be joined without the index while the planner takes the table for a small one, so the
// seal is looked up as a scalar. Entries that the job will still seal are left out: numbers after the last
// sealed one, and acts while the trail is open.
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
      where a.acted_at < ${TRAIL_OPEN_SINCE}
        and (select s.position from seals s
              where s.kind = 'act' and s.series = a.user_id and s.number = 0 and s.act_id = a.id) is null
   ) n order by kind desc, series, number, act_id limit 1`,
)

/** The first entry that should have a seal and has none; null: all have one. */
export function findInserted(database: Database, now: Instant) {
  return firstOf(scan(database, selectInserted, [at(now)]), parseEntry)
}

const selectRemovedEarly = statement(
  'seals.removed_early',
  `select s.kind, s.series, s.number, s.act_id, s.position
     from documents d join seals s
       on s.kind = 'document' and s.series = d.series and s.number = d.number and s.act_id = ''
    where d.issued_on >= $1::date and d.snapshot ? 'removed'
    order by s.position limit 1`,
)
const parseSealed = rowOf({ ...ENTRY, position: integer })

/** The first document that has lost its buyer although it must be kept; null: none has. */
export function findRemovedEarly(database: Database, keptSince: string) {
  return firstOf(scan(database, selectRemovedEarly, [keptSince]), parseSealed)
}

const selectOtherHead = statement(
  'seals.other_head',
  `select h.position, s.hash is null as is_missing
     from (select position, hash from seal_heads
            union all
           select position, hash from jsonb_to_recordset($1::jsonb) as g(position bigint, hash text)) h
     left join seals s on s.position = h.position
    where s.hash is distinct from h.hash
    order by h.position limit 1`,
)

const parseOther = rowOf({ position: integer, isMissing: flag })

/** The first stored or given head that is not in the chain; null: all are. */
export function findOtherHead(database: Queryable, heads: readonly SealHead[]) {
  return firstOf(database.query(selectOtherHead, [JSON.stringify(heads)]), parseOther)
}

/** Reads whole tables, so it has no time limit. */
function scan(database: Database, query: Statement, parameters: readonly Parameter[]) {
  return database.transaction((transaction) => transaction.query(query, parameters), Number.POSITIVE_INFINITY)
}
