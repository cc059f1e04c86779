// The lines of a month: one for the first document of each payment, one below zero for each refund with the
// tax of that document, and one with sums of 0 for each document that replaces another, so that no dinar
// counts twice. They add up to the sums of figures.sql.ts.
import type { Instant } from '../core/instant.js'
import type { DocumentSnapshot, IssuedKind, NamedDocument } from '../core/receipt.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  json,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import { type Figures, lessRefunds, NO_FIGURES } from './figures.js'
import {
  type ClosedSpan,
  figuresIn,
  IS_SALE,
  LATE,
  REFUNDED_SUMS,
  REFUNDS,
  SALES,
  SUMS,
  spanValues,
} from './figures.sql.js'

/** `late`: it belongs to a closed month. `document`: it replaces another. */
type Part = 'sale' | 'late' | 'refund' | 'document'

export interface LinesFilter {
  readonly parts: readonly Part[]
  /** `vat-19`, `exempt`, `not_liable`, `advance`; null: all. */
  readonly tax: string | null
  readonly withAdvances: boolean
}

const TAX = `r.snapshot->'tax'`
const TAX_KEY = `concat_ws('-', ${TAX}->>'kind', ${TAX}->>'ratePercent')`

/** A correction and the refund after it may have the same instant, so the last document decides. */
const IS_LAST = `not exists (select from documents n where n.user_id = l.user_id
              and n.payment_id = l.payment_id and n.place > l.place)`
const REPLACING = `
     from documents l
     join payments p on p.user_id = l.user_id and p.id = l.payment_id
     join documents r on r.user_id = l.user_id and r.payment_id = l.payment_id and r.place = p.receipt_place
    where l.place > 0 and p.live = $1::boolean
      and l.issued_at >= $2::timestamptz and l.issued_at < $3::timestamptz
      and not (l.kind = 'credit_note' and ${IS_LAST}
               and exists (select from audit a where a.user_id = l.user_id and a.payment_id = l.payment_id
                              and a.act = 'payment.refund' and a.acted_at = l.issued_at))`

const ISSUED = `jsonb_build_object('kind', l.kind, 'series', l.series, 'number', l.number,
         'about', l.snapshot->'about', 'buyer', l.snapshot->'buyer')`
/** The credit note of a refund, which has the same instant. Null: the payment had no invoice. */
const CREDIT_NOTE = `(select ${ISSUED} from documents l
       where l.user_id = a.user_id and l.payment_id = a.payment_id
         and l.kind = 'credit_note' and l.issued_at = a.acted_at and ${IS_LAST})`
const REFUNDED_AT = `(select max(acted_at) from audit a
       where p.status = 'refunded' and a.user_id = p.user_id and a.payment_id = p.id
         and a.act = 'payment.refund')`

const LINE = `p.id as payment_id, p.user_id, p.plan->>'id' as plan, p.months, p.method,
       p.instrument as payment_method, p.paid_at, p.method_reference as checkout_id, p.currency,
       p.period_start, p.period_end, p.status, p.second_of,
       (select (t.approvals->-1->>'receivedAt')::bigint from transfers t
         where p.method = 'transfer' and t.user_id = p.user_id and t.payment_id = p.id) as received_at,
       r.kind as document, r.series, r.number, ${TAX} as tax, r.snapshot->'buyer' as buyer`

// $6 and $7: the line to go on after; $8: how many lines; $9 to $11: the filter.
const WANTED = `and ($10::text is null or ${TAX_KEY} = $10) and (${IS_SALE} or $11::boolean)`

// Uses the index documents_by_issue for documents that replace another; the other parts are read as
// books.sums reads them.
const selectLines = statement(
  'books.lines',
  `select * from (
     (select 'sale' as part, p.id, p.paid_at as at, null::jsonb as issued, ${REFUNDED_AT} as refunded_at,
             ${LINE}, ${SUMS}
      ${SALES} ${WANTED} and 'sale' = any($9::text[])
         and (p.paid_at, p.id) > ($6::timestamptz, $7::text)
       order by p.paid_at, p.id limit $8::int)
      union all
     (select 'late', p.id, p.paid_at, null, ${REFUNDED_AT}, ${LINE}, ${SUMS}
      ${LATE} ${WANTED} and 'late' = any($9::text[])
         and (p.paid_at, p.id) > ($6::timestamptz, $7::text)
       order by p.paid_at, p.id limit $8::int)
      union all
     (select 'refund', a.id, a.acted_at, ${CREDIT_NOTE}, a.acted_at, ${LINE}, ${REFUNDED_SUMS}
      ${REFUNDS} ${WANTED} and 'refund' = any($9::text[])
         and (a.acted_at, a.id) > ($6::timestamptz, $7::text)
       order by a.acted_at, a.id limit $8::int)
      union all
     (select 'document', l.payment_id || '/' || l.place, l.issued_at, ${ISSUED}, null, ${LINE}, ${SUMS}
      ${REPLACING} ${WANTED} and 'document' = any($9::text[])
         and (l.issued_at, l.payment_id || '/' || l.place) > ($6::timestamptz, $7::text)
       order by l.issued_at, l.payment_id || '/' || l.place limit $8::int)) l
    order by at, id limit $8::int`,
)

const readLine = rowOf({
  part: word<Part>,
  id: text,
  /** The instant of the payment, of the recording of the refund, or of the issue. */
  at: instant,
  payment_id: text,
  user_id: text,
  /** Plan, months and period are null for a top-up. */
  plan: textOrNull,
  months: integerOrNull,
  method: text,
  /** Null: unknown. */
  payment_method: textOrNull,
  paid_at: instant,
  /** When the payment was refunded, also in another month; null: it was not. */
  refunded_at: instantOrNull,
  /** The provider's id, the reference of a transfer or the number of a slip. */
  checkout_id: textOrNull,
  currency: text,
  period_start: instantOrNull,
  period_end: instantOrNull,
  status: word<'paid' | 'refunded'>,
  /** The payment of the same order that was paid before; null: this is the only one. */
  second_of: textOrNull,
  /** When the money of a transfer came to the account, by its last approval. */
  received_at: integerOrNull,
  /** The first document of the payment. */
  document: word<'receipt' | 'invoice'>,
  series: text,
  number: integer,
  /** The later document that the line stands for; null: it stands for the first one. */
  issued: json<Issued | null>,
  tax: json<DocumentSnapshot['tax']>,
  /** The buyer on the first document. */
  buyer: json<DocumentSnapshot['buyer']>,
})

interface Issued {
  readonly kind: IssuedKind
  readonly series: string
  readonly number: number
  readonly about: NamedDocument
  readonly buyer: DocumentSnapshot['buyer']
}

/** In centimes. A refund is negative, and returns neither duty nor fees. */
export type Line = Figures & ReturnType<typeof readLine>

/** Oldest first, so late lines come before the others. */
export async function linesOf(
  database: Queryable,
  of: ClosedSpan & { readonly filter: LinesFilter },
  after: { readonly at: Instant; readonly id: string } | null,
  limit: number,
): Promise<readonly Line[]> {
  const { parts, tax, withAdvances } = of.filter
  const start = after ?? { at: 0, id: '' }
  const rows = await database.query(selectLines, [
    ...spanValues(of),
    ...[at(start.at), start.id, limit, [...parts], tax, withAdvances],
  ])
  return rows.map((row) => ({ ...readLine(row), ...moneyOf(row) }))
}

function moneyOf(row: Row): Figures {
  if (row.part === 'document') return { ...NO_FIGURES, count: 1 }
  const money = figuresIn(row, { count: 1, fees_unknown: row.fees === null ? 1 : 0 })
  return row.part === 'refund' ? { ...lessRefunds(NO_FIGURES, money), count: 1 } : money
}
