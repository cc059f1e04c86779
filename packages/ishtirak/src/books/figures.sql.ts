// The sums of a month, added up from its documents at each reading. A payment belongs to the month in which
// it was paid, a refund to the month in which it was recorded. A closed month has the documents up to the
// numbers that its closing stored. Documents of later numbers stand in the next open month.
import type { Instant } from '../core/instant.js'
import type { DocumentSnapshot, Tax } from '../core/receipt.js'
import {
  type Database,
  type Parameter,
  type Queryable,
  type Row,
  type Statement,
  statement,
  type Transaction,
} from '../database/database.js'
import { at, integer, integerOrNull, json, rowOf, text, textOrNull, word } from '../database/rows.js'
import type { WallClock } from '../runtime/calendar.js'
import type { Figures } from './figures.js'

/**
 * An advance is owed to the user and no sale: a top-up, or a plan change that was paid when no time was left
 * to change. It becomes a sale when the balance buys something.
 */
export const IS_SALE = `r.snapshot->'tax'->>'kind' <> 'advance'`
/** What went to the user's balance: an advance, or what a plan change did not use of its payment. */
const ADVANCE = `(case when ${IS_SALE} then coalesce((r.snapshot->'change'->>'surplus')::bigint, 0)
                 else p.amount end)`
const AMOUNT = `(p.amount - ${ADVANCE}) * 100::bigint`
const ASKED = `${AMOUNT} + (coalesce(p.amount_asked, p.amount) - p.amount) * 100::bigint`
const NET = `r.net_centimes - ${ADVANCE} * 100`

/** Reads `payments p` and their first `documents r`. */
export const SUMS = `${AMOUNT} as ttc, ${ASKED} as asked, ${NET} as ht, r.duty_centimes as stamp_duty,
          r.discount_centimes as discount, r.fee_centimes as fees, ${ADVANCE} * 100::bigint as advance`
/** The same for a refund, which gives back no duty and no fees. */
export const REFUNDED_SUMS = `${AMOUNT} as ttc, ${ASKED} as asked, ${NET} as ht, 0::bigint as stamp_duty,
          r.discount_centimes as discount, 0::bigint as fees, 0::bigint as advance`

const readMoney = rowOf({
  ...{ ttc: integer, asked: integer, ht: integer, stamp_duty: integer, discount: integer },
  /** Null: the provider did not say. */
  fees: integerOrNull,
  advance: integer,
})

/** The figures of a row, which sums up `count` documents. */
export function figuresIn(
  row: Row,
  { count, fees_unknown }: Pick<Figures, 'count' | 'fees_unknown'>,
): Figures {
  const { fees: known, ...money } = readMoney(row)
  const [fees, total] = [known ?? 0, money.ttc + money.stamp_duty]
  return { ...money, ...{ count, fees, fees_unknown, total, tva: money.ttc - money.ht, net: total - fees } }
}

/** By series, the last document number that a closed month has. */
export type Counted = Readonly<Record<string, number>>

// Parameters of all queries of a month: $1: whether the money is real; $2 and $3: the month; $4: `Counted` of
// its closing (null: it is open); $5: `Counted` of the closing before it (null: nothing is late).

export const SALES = `
     from payments p
     join documents r on r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
    where p.live = $1::boolean and p.paid_at >= $2::timestamptz and p.paid_at < $3::timestamptz
      and ($4::jsonb is null or r.number <= coalesce(($4::jsonb->>r.series)::int, 0))`

/** Payments of closed months that became known after the month before this one was closed. */
export const LATE = `
     from document_series s
     join documents r on r.series = s.series and r.number > coalesce(($5::jsonb->>s.series)::int, 0)
      and ($4::jsonb is null or r.number <= coalesce(($4::jsonb->>s.series)::int, 0))
     join payments p on p.user_id = r.user_id and p.id = r.payment_id and r.place = p.receipt_place
     join (select distinct on (month) month, act, counted
             from month_closings order by month, place desc) c
       on c.act = 'close' and c.month = left(r.snapshot->>'paidOn', 7)
      and r.number > coalesce((c.counted->>r.series)::int, 0)
    where $5::jsonb is not null and p.live = $1::boolean`

/** Sales that were refunded in the month, with the figures of the sale. */
export const REFUNDS = `
     from audit a
     join payments p on p.user_id = a.user_id and p.id = a.payment_id
     join documents r on r.user_id = a.user_id and r.payment_id = a.payment_id and r.place = p.receipt_place
    where a.act = 'payment.refund' and p.live = $1::boolean and ${IS_SALE}
      and a.acted_at >= $2::timestamptz and a.acted_at < $3::timestamptz`

export interface Span {
  readonly from: Instant
  readonly to: Instant
}

export interface ClosedSpan extends Span {
  readonly live: boolean
  /** What the closing of the month stored. Null: the month is open. */
  readonly until: Counted | null
  /** What the closing of the month before stored. Null: it is open, and nothing is late. */
  readonly since: Counted | null
}

export const spanValues = ({ live, from, to, until, since }: ClosedSpan) => [
  ...[live, at(from), at(to)],
  ...[until && JSON.stringify(until), since && JSON.stringify(since)],
]

const readSums = rowOf({
  /** `late`: the payment belongs to a closed month. */
  part: word<'sale' | 'late' | 'refund'>,
  /** The day of the payment, or of the recording of the refund: `YYYY-MM-DD`. */
  day: text,
  method: text,
  /** Null: unknown. */
  payment_method: textOrNull,
  /** The tax that the documents show; `advance`: nothing was sold. */
  tax: json<DocumentSnapshot['tax']>,
  count: integer,
  fees_unknown: integer,
})
/** The sums of the documents of one day, method and tax. */
export type Sums = Figures & ReturnType<typeof readSums>

/** False: the money is an advance. */
export const isSale = (sums: Sums): sums is Sums & { readonly tax: Tax } => sums.tax.kind !== 'advance'

/** The tax in percent; null: there is none. */
export const rateOf = (tax: Sums['tax']) => (tax.kind === 'vat' ? tax.ratePercent : null)

/** The receipt's French sentence why there is no tax. Null: there is one, or nothing is sold. */
export const groundOf = (tax: Sums['tax']) =>
  tax.kind === 'exempt' || tax.kind === 'not_liable' ? tax.mention.fr : null

const GROUP = `p.method, p.instrument as payment_method, r.snapshot->'tax' as tax`

// Month, year and declaration read their sums by this query, so they cannot disagree. Of few sales among many
// it reads payments by payments_by_paid_at; late documents by documents_number_once, refunds by audit_by_act.
const selectSums = statement(
  'books.sums',
  `select part, day, method, payment_method, tax, count(*)::int as count,
          sum(ttc)::bigint as ttc, sum(asked)::bigint as asked, sum(ht)::bigint as ht,
          sum(stamp_duty)::bigint as stamp_duty, sum(discount)::bigint as discount,
          sum(fees)::bigint as fees, count(*) filter (where fees is null)::int as fees_unknown,
          sum(advance)::bigint as advance
     from (
       select 'sale' as part, r.snapshot->>'paidOn' as day, ${GROUP}, ${SUMS}
       ${SALES}
        union all
       select 'late', r.snapshot->>'paidOn', ${GROUP}, ${SUMS}
       ${LATE}
        union all
       select 'refund', to_char(a.acted_at at time zone $6, 'YYYY-MM-DD'), ${GROUP}, ${REFUNDED_SUMS}
       ${REFUNDS}) l
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
)

export type Readable = Database | Transaction

// Sessions read each table through an index (session.ts). 300,000 sales read like that take 2.3 s, and joined
// as whole tables 0.8 s.
const joinWholeTables = statement(
  'figures.join_whole_tables',
  `select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
          set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '16MB', true),
          set_config('max_parallel_workers_per_gather', '2', true)`,
)

/** Runs a query that adds up whole months. A transaction keeps these settings until its end. */
export function queryWholeTables(database: Readable, asked: Statement, values: readonly Parameter[]) {
  const run = async (transaction: Queryable) => {
    await transaction.query(joinWholeTables)
    return transaction.query(asked, values)
  }
  return 'transaction' in database ? database.transaction(run) : run(database)
}

export async function sumsOf(
  database: Readable,
  span: ClosedSpan,
  timeZone: string,
): Promise<readonly Sums[]> {
  const rows = await queryWholeTables(database, selectSums, [...spanValues(span), timeZone])
  return rows.map((row) => {
    const sums = readSums(row)
    return { ...sums, ...figuresIn(row, sums) }
  })
}

// A query of its own, so that earlier payments are joined and not looked up one by one.
const countFirsts = statement(
  'figures.firsts',
  `select count(*)::int as firsts
   ${SALES} and ${IS_SALE} and not exists (
        select from payments e
         where e.user_id = p.user_id and e.live = p.live and e.paid_at is not null
           and e.period_start is not null and (e.paid_at, e.id) < (p.paid_at, p.id))`,
)

/** How many sales of the month are the first payment of their user that bought time. */
export async function countFirstSales(database: Readable, span: ClosedSpan) {
  const [row = {}] = await queryWholeTables(database, countFirsts, spanValues(span).slice(0, -1))
  return integer(row, 'firsts')
}

const countEnds = statement(
  'figures.ends',
  `select (select count(*) from users where ended_at is null and paid_until >= $1::timestamptz
    and paid_until < $2::timestamptz)
        + (select count(*) from users where ended_at >= $1::timestamptz
          and ended_at < $2::timestamptz) as lapsed,
          (select count(*) from users where ended_at is null and paid_until >= $3::timestamptz
            and paid_until < $4::timestamptz)
            as ends_in_7_days`,
)

/** Users whose time ended in `lapsed` and did not go on, and users whose time ends in `ending`. */
export async function countEndings(database: Queryable, lapsed: Span, ending: Span) {
  const values = [lapsed.from, lapsed.to, ending.from, ending.to].map((instant) => at(instant))
  const [row = {}] = await database.query(countEnds, values)
  return { lapsed: integer(row, 'lapsed'), ends_in_7_days: integer(row, 'ends_in_7_days') }
}

// Uses the index bank_lines_decided.
const selectPaidOut = statement(
  'figures.paid_out',
  `select to_char(day, 'YYYY-MM') as month, count(*)::int as count, sum(amount_centimes)::int8 as amount
     from bank_lines where state = 'payout' and day between $1::date and $2::date group by 1`,
)
const readPayouts = rowOf({ month: text, count: integer, amount: integer })
/** What the provider of cards paid out in a month, in centimes, by the bank statements. */
export type Payouts = ReturnType<typeof readPayouts>

/** Months without a payout are left out. */
export async function payoutsByMonth(
  { database, wallClock }: { readonly database: Queryable; readonly wallClock: WallClock },
  { from, to }: Span,
): Promise<readonly Payouts[]> {
  const days = [wallClock.dayAt(from), wallClock.dayAt(to - 1)]
  return (await database.query(selectPaidOut, days)).map(readPayouts)
}
