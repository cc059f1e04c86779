// Proformas as rows. Each draws the next number of its series in the query that writes it.
import type { Instant } from '../core/instant.js'
import type { Agreed } from '../core/quote.js'
import { type DocumentSnapshot, receiptNumber } from '../core/receipt.js'
import { ConstraintViolation, type Queryable, type Row, statement } from '../database/database.js'
import { at, firstOf, flag, integer, json, rowOf, text } from '../database/rows.js'

const SELECT = `select f.series, f.number, f.agreed, f.snapshot, exists (
         select from payments p where p.user_id = f.user_id and p.id = f.ordered_as
            and p.status in ('paid', 'refunded')) as is_paid
     from proformas f where f.user_id = $1`

const parseRow = rowOf({
  series: text,
  number: integer,
  agreed: json<Agreed>,
  snapshot: json<DocumentSnapshot>,
  isPaid: flag,
})

const parseProforma = (row: Row) => {
  const { series, number, ...stored } = parseRow(row)
  return {
    ...stored,
    /** `P-2026-000003` */
    number: receiptNumber(series, number),
    key: { series, number },
  }
}
export type Proforma = ReturnType<typeof parseProforma>

const insert = statement(
  'proformas.insert',
  `with guard as (
     -- The version is raised, so that an erasure that runs meanwhile starts again and finds the proforma.
     update users set version = version + 1 where user_id = $1 and version = $7::int returning user_id
   ), restored as (
     -- As for receipts: a restored database does not know the numbers that were drawn after the backup.
     select to_char(max(restored_at) at time zone 'UTC', '"-R"YYYYMMDDHH24MISS') as mark,
            to_char(max(restored_at) at time zone 'UTC' + interval '1 day', 'YYYY') as last_year
       from restores
   ), drawn as (
     insert into document_series as s (series, last_number, last_issued_on)
     select $3::text || case when right($3::text, 4) <= last_year then mark else '' end, 1,
            ($6::jsonb->>'issuedOn')::date
       from restored, guard
         on conflict (series) do update
        set last_number = s.last_number + 1,
            last_issued_on = greatest(s.last_issued_on, excluded.last_issued_on)
     returning series, last_number, jsonb_build_object('issuedOn', last_issued_on) as dated
   )
   insert into proformas (user_id, series, number, issued_at, request_digest, agreed, snapshot)
   select $1, series, last_number, $4::timestamptz, $2, $5::jsonb, $6::jsonb || dated from drawn`,
)

/** Does nothing if the same proforma was made at the same time, or the user has changed. */
export async function insertProforma(
  database: Queryable,
  of: {
    readonly userId: string
    /** The version of the user at which the buyer was read. */
    readonly version: number
    readonly requestDigest: string
    readonly series: string
    readonly issuedAt: Instant
    readonly agreed: Agreed
    readonly snapshot: DocumentSnapshot
  },
): Promise<void> {
  const texts = [JSON.stringify(of.agreed), JSON.stringify(of.snapshot)]
  try {
    const drawn = [of.userId, of.requestDigest, of.series, at(of.issuedAt)]
    await database.query(insert, [...drawn, ...texts, of.version])
  } catch (error) {
    const isThere = error instanceof ConstraintViolation && error.constraint === 'proformas_once_a_day'
    if (!isThere) throw error
  }
}

const selectRequested = statement('proformas.requested', `${SELECT} and f.request_digest = $2`)

export function findRequested(database: Queryable, userId: string, requestDigest: string) {
  return firstOf(database.query(selectRequested, [userId, requestDigest]), parseProforma)
}

const selectOne = statement('proformas.one', `${SELECT} and f.series = $2 and f.number = $3`)

/** Null: there is none, or it belongs to another user. */
export function findProforma(database: Queryable, userId: string, { series, number }: Proforma['key']) {
  return firstOf(database.query(selectOne, [userId, series, number]), parseProforma)
}

/** Nothing else bounds the proformas of a user, who may ask for one with any number of a purchase order. */
const LISTED_MAX = 100

const selectSince = statement(
  'proformas.since',
  `${SELECT} and f.issued_at > $2::timestamptz
    order by f.issued_at desc, f.number desc limit ${LISTED_MAX}`,
)

/** Newest first, at most `LISTED_MAX`. */
export async function proformasSince(database: Queryable, userId: string, since: Instant) {
  return (await database.query(selectSince, [userId, at(since)])).map(parseProforma)
}

const noteOrder = statement(
  'proformas.ordered',
  'update proformas set ordered_as = $4 where user_id = $1 and series = $2 and number = $3',
)

export async function noteOrdered(
  database: Queryable,
  userId: string,
  { series, number }: Proforma['key'],
  paymentId: string,
): Promise<void> {
  await database.query(noteOrder, [userId, series, number, paymentId])
}
