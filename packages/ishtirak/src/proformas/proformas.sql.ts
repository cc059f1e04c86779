// Proformas as rows. Each draws the next number of its series in the statement that writes it.
import type { Instant } from '../core/instant.js'
import type { Agreed } from '../core/quote.js'
import { type ReceiptSnapshot, receiptNumber } from '../core/receipt.js'
import { ConstraintViolation, type Queryable, statement } from '../database/database.js'
import { at, flag, integer, json, rowOf, text } from '../database/rows.js'
import { drawNumbers, RESTORED, seriesSince } from '../ledger/series.sql.js'

// A proforma is paid once.
const SELECT = `select f.series, f.number, f.agreed, f.snapshot, exists (
         select from payments p where p.user_id = f.user_id and p.id = f.ordered_as
            and p.status in ('paid', 'refunded')) as is_paid
     from proformas f where f.user_id = $1`

const parseRow = rowOf({
  series: text,
  number: integer,
  agreed: json<Agreed>,
  snapshot: json<ReceiptSnapshot>,
  isPaid: flag,
})

export interface Proforma {
  /** `P-2026-000003` */
  readonly number: string
  /** The same, as it is stored. */
  readonly key: { readonly series: string; readonly number: number }
  readonly agreed: Agreed
  readonly snapshot: ReceiptSnapshot
  /** What was ordered from it. */
  readonly isPaid: boolean
}

const shown = (row: ReturnType<typeof parseRow>): Proforma => {
  const { series, number } = row
  return { ...row, key: { series, number }, number: receiptNumber(series, number) }
}

const insert = statement(
  'proformas.insert',
  `with ${RESTORED}, drawn as (${drawNumbers(`
     select ${seriesSince('$3::text')}, 1, ($6::jsonb->>'issuedOn')::date from restored`)}
   )
   insert into proformas (user_id, series, number, issued_at, asked, agreed, snapshot)
   select $1, series, last_number, $4::timestamptz, $2, $5::jsonb, $6::jsonb || dated from drawn`,
)

export interface NewProforma {
  readonly userId: string
  readonly asked: string
  readonly series: string
  readonly issuedAt: Instant
  readonly agreed: Agreed
  readonly snapshot: ReceiptSnapshot
}

/** Changes nothing, and draws no number, where the same was asked for at once. */
export async function insertProforma(database: Queryable, of: NewProforma): Promise<void> {
  const { userId, asked, series, issuedAt, agreed, snapshot } = of
  const what = [userId, asked, series, at(issuedAt), JSON.stringify(agreed), JSON.stringify(snapshot)]
  try {
    await database.query(insert, what)
  } catch (error) {
    const isThere = error instanceof ConstraintViolation && error.constraint === 'proformas_once_a_day'
    if (!isThere) throw error
  }
}

const selectAsked = statement('proformas.asked', `${SELECT} and f.asked = $2`)

export async function findAsked(
  database: Queryable,
  userId: string,
  asked: string,
): Promise<Proforma | null> {
  const [row] = await database.query(selectAsked, [userId, asked])
  return row ? shown(parseRow(row)) : null
}

const selectOne = statement('proformas.one', `${SELECT} and f.series = $2 and f.number = $3`)

/** Null: there is none, or it is another user's. */
export async function findProforma(
  database: Queryable,
  userId: string,
  { series, number }: Proforma['key'],
): Promise<Proforma | null> {
  const [row] = await database.query(selectOne, [userId, series, number])
  return row ? shown(parseRow(row)) : null
}

const selectSince = statement(
  'proformas.since',
  `${SELECT} and f.issued_at > $2::timestamptz order by f.issued_at desc, f.number desc`,
)

/** Newest first. */
export async function proformasSince(
  database: Queryable,
  userId: string,
  since: Instant,
): Promise<readonly Proforma[]> {
  return (await database.query(selectSince, [userId, at(since)])).map((row) => shown(parseRow(row)))
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
