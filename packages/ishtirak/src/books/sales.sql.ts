// The sales of a month as rows, for the accountant: a line for the first document of each payment and,
// below zero, for each refund, with the tax as that document has it; and their sums by tax. Any other
// document only replaces one: it is a line of nothing, so that no dinar counts twice.
import type { Instant } from '../core/instant.js'
import type { DocumentSnapshot, IssuedKind, NamedDocument } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { at, column, instant, integer, json, rowOf, text, word } from '../database/rows.js'
import { ADVANCE, AMOUNT, type Counted, countedIn, LATE, NET, REFUNDS, type Span } from './figures.sql.js'

/** `late`: of a closed month, known since the month before was closed. `document`: it replaces another. */
type Part = 'sale' | 'late' | 'refund' | 'document'
type SaleTax = DocumentSnapshot['tax']

export interface SalesSpan extends Span {
  readonly live: boolean
  /** As of `Entries`. */
  readonly until: Counted | null
  readonly since: Counted | null
}

/** Which lines of it; null: all. */
export interface SalesFilter {
  /** `vat-19`, `exempt`, `not_liable`, `advance`. */
  readonly tax: string | null
  readonly side: Side | null
}
export const SIDES = ['sales', 'credits'] as const
type Side = (typeof SIDES)[number]

const TAX = `r.snapshot->'tax'`
const TAX_KEY = `concat_ws('-', ${TAX}->>'kind', ${TAX}->>'ratePercent')`

const SUMS = `${NET} as net_centimes, ${AMOUNT} as amount_centimes,
       ${ADVANCE} * 100::bigint as advance_centimes,
       r.duty_centimes`

// $1: of real money; $2 and $3: the month; $4 and $5: what its closing and the one before have counted.
const SALES = `
  from payments p
  join documents r on r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
 where p.live = $1::boolean and p.paid_at >= $2::timestamptz and p.paid_at < $3::timestamptz
   and ($4::jsonb is null or r.number <= ${countedIn('$4::jsonb', 'r.series')})`
const SALES_LATE = `${LATE({ live: '$1', since: '$5', until: '$4' })}
   and $5::jsonb is not null and p.paid_at < $2::timestamptz`
const CREDITS = `${REFUNDS} and a.acted_at >= $2::timestamptz and a.acted_at < $3::timestamptz`
/** A correction may bear the same instant as the refund that comes after it. */
const IS_LAST = `not exists (select from documents n where n.user_id = l.user_id
              and n.payment_id = l.payment_id and n.place > l.place)`
const REPLACING = `
  from documents l
  join payments p on p.user_id = l.user_id and p.id = l.payment_id
  join documents r on r.user_id = l.user_id and r.payment_id = l.payment_id and r.place = p.receipt_place
 where l.place > 0 and p.live = $1::boolean
   and l.issued_at >= $2::timestamptz and l.issued_at < $3::timestamptz
   and $10::text is null
   and not (l.kind = 'credit_note' and ${IS_LAST}
            and exists (select from audit a where a.user_id = l.user_id and a.payment_id = l.payment_id
                           and a.act = 'payment.refund' and a.acted_at = l.issued_at))`

/** A document that was issued later, in the form that a line has it in. */
const ISSUED = `jsonb_build_object('kind', l.kind, 'series', l.series, 'number', l.number,
         'about', l.snapshot->'about', 'buyer', l.snapshot->'buyer')`
/** The credit note of a refund: it bears the same instant. Null: no invoice was to be taken back. */
const CREDIT_NOTE = `(select ${ISSUED} from documents l
       where l.user_id = a.user_id and l.payment_id = a.payment_id
         and l.kind = 'credit_note' and l.issued_at = a.acted_at and ${IS_LAST})`

const spanValues = ({ live, from, to, until, since }: SalesSpan) => [
  ...[live, at(from), at(to)],
  ...[until && JSON.stringify(until), since && JSON.stringify(since)],
]

const LINE = `p.id as payment_id, p.user_id, p.method, coalesce(p.instrument, '') as instrument,
       r.kind as document, r.series, r.number, ${TAX} as tax,
       r.snapshot->'buyer' as buyer, ${SUMS}`

const readLine = rowOf({
  part: word<Part>,
  id: text,
  /** Of the payment, or of the recording of the refund. */
  at: instant,
  paymentId: text,
  userId: text,
  method: text,
  /** Empty where it is not known. */
  instrument: text,
  /** The first document of the payment. */
  document: word<'receipt' | 'invoice'>,
  series: text,
  number: integer,
  /** What the line is of, where that is a later document. */
  issued: json<Issued | null>,
  tax: json<SaleTax>,
  /** As the receipt names them. */
  buyer: json<DocumentSnapshot['buyer']>,
  /** In centimes, also of a refund; the advance is on the balance, untaxed. */
  ht: column('net_centimes', integer),
  ttc: column('amount_centimes', integer),
  stampDuty: column('duty_centimes', integer),
  advance: column('advance_centimes', integer),
})
type Row = ReturnType<typeof readLine>

interface Issued {
  readonly kind: IssuedKind
  readonly series: string
  readonly number: number
  readonly about: NamedDocument
  readonly buyer: DocumentSnapshot['buyer']
}

/** One document of the journal. In centimes; a refund is below zero and keeps the duty, the treasury's. */
export interface SaleLine extends Row {
  readonly tva: number
}

const partOf = (
  part: Part,
  rows: string,
  [instantOf, idOf]: readonly [string, string],
  issued = 'null::jsonb',
) => `
   (select '${part}' as part, ${idOf} as id, ${instantOf} as at, ${issued} as issued, ${LINE}
    ${rows}
       and (${instantOf}, ${idOf}) > ($6::timestamptz, $7::text)
       and ($9::text is null or ${TAX_KEY} = $9)
       and ($10::text is null or $10 = '${part === 'refund' ? 'credits' : 'sales'}')
     order by ${instantOf}, ${idOf} limit $8::int)`

// Uses the index documents_by_issue; the rest rides on payments_by_paid_at and audit_by_act.
const selectLines = statement(
  'sales.lines',
  `select * from (${[
    partOf('sale', SALES, ['p.paid_at', 'p.id']),
    partOf('late', SALES_LATE, ['p.paid_at', 'p.id']),
    partOf('refund', CREDITS, ['a.acted_at', 'a.id'], CREDIT_NOTE),
    partOf('document', REPLACING, ['l.issued_at', "l.payment_id || '/' || l.place"], ISSUED),
  ].join(' union all ')}) l
    order by at, id limit $8::int`,
)

/** By the instant of each, from the oldest on, after the given one: what is late comes first. */
export async function salesLines(
  database: Queryable,
  of: SalesSpan & { readonly filter: SalesFilter },
  after: { readonly at: Instant; readonly id: string } | null,
  limit: number,
): Promise<readonly SaleLine[]> {
  const { filter } = of
  const start = after ?? { at: 0, id: '' }
  const rows = await database.query(selectLines, [
    ...spanValues(of),
    ...[at(start.at), start.id, limit, filter.tax, filter.side],
  ])
  return rows.map((row) => signed(readLine(row)))
}

function signed(line: Row): SaleLine {
  const { part, ht, ttc } = line
  const nothing = { ht: 0, tva: 0, ttc: 0, stampDuty: 0, advance: 0 }
  if (part === 'document') return { ...line, ...nothing }
  if (part !== 'refund') return { ...line, tva: ttc - ht }
  return { ...line, ht: -ht, tva: ht - ttc, ttc: -ttc, stampDuty: 0, advance: 0 }
}

const readSums = rowOf({
  part: word<Part>,
  tax: json<SaleTax>,
  count: column('payments', integer),
  ht: column('net_centimes', integer),
  ttc: column('amount_centimes', integer),
  stampDuty: column('duty_centimes', integer),
})
/** Of a part, with one tax; in centimes. Those of refunds are above zero, and have no duty to give back. */
export type TaxSums = ReturnType<typeof readSums>

const summed = (part: Part, rows: string) =>
  `select '${part}' as part, ${TAX} as tax, ${NET} as net, ${AMOUNT} as amount,
          r.duty_centimes as duty ${rows}`

// Rides on payments_by_paid_at and audit_by_act.
const sumByTax = statement(
  'sales.by_tax',
  `select part, tax, count(*)::int as payments, sum(net)::bigint as net_centimes,
          sum(amount)::bigint as amount_centimes, sum(duty)::bigint as duty_centimes
     from (${[summed('sale', SALES), summed('late', SALES_LATE), summed('refund', CREDITS)].join(
       ' union all ',
     )}) l
    group by part, tax`,
)

export async function salesByTax(database: Queryable, span: SalesSpan): Promise<readonly TaxSums[]> {
  return (await database.query(sumByTax, spanValues(span))).map(readSums)
}
