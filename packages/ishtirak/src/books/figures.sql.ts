// The figures of a month as rows. Receipts are added to the sums of their day as they come; refunds are read
// from the trail.
import type { Figures } from '../core/figures.js'
import type { Instant } from '../core/instant.js'
import type { PaymentKind } from '../core/payment.js'
import { BY_BALANCE } from '../core/subscription.js'
import { type Database, type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  column,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import { isOfKind } from '../ledger/payments.sql.js'

const ensureSeries = statement(
  'figures.ensure_series',
  'insert into counted_receipts (series, last_number) select series, 0 from receipt_series on ' +
    'conflict do nothing',
)

// Locked in one order, so that two processes wait for each other and count nothing twice.
const lockSeries = statement(
  'figures.lock_series',
  `select c.series, c.last_number
     from counted_receipts c join receipt_series s on s.series = c.series and s.last_number > c.last_number
    order by c.series
      for update of c`,
)

/** What was said with the report that was booked, in whole dinars. What a balance pays costs none. */
const FEES = `case when p.method = '${BY_BALANCE}' then 0
            else (jsonb_path_query_first(p.reports, '$[*] ? (@.outcome starts with "booked")')
              ->>'fees')::bigint
       end`

/** What went to the user's balance of a change of plan: it counts when it is spent. */
const SURPLUS = `coalesce((r.snapshot->'change'->>'surplus')::bigint, 0)`
const AMOUNT = `(p.amount - ${SURPLUS}) * 100::bigint`
const NET = `(r.snapshot->'split'->>'netCentimes')::bigint - ${SURPLUS} * 100`
/** A top-up is owed to the user. It counts when it is spent, as what it buys. */
const IS_SALE = `p.kind <> 'top_up'`

/** Of `payments p` and `receipts r`. */
const SUMS = `${AMOUNT} as amount_centimes, ${NET} as net_centimes,
          (r.snapshot->>'stampDutyCentimes')::bigint as duty_centimes,
          p.discount * 100::bigint as discount_centimes, ${FEES} * 100 as fees_centimes`

/** On what stands in the row `d`. */
const added = (columns: string) =>
  columns
    .split(' ')
    .map((name) => `${name} = d.${name} + excluded.${name}`)
    .join(', ')

const count = statement(
  'figures.count',
  `with next as (
     select r.number, r.snapshot->>'paidOn' as day, p.live, p.method,
            coalesce(p.instrument, '') as instrument, ${IS_SALE} as is_sale, ${SUMS},
            p.user_id, p.id, r.issued_at, p.entry_of is not null or p.kind = 'change' as has_entry,
            not exists (select from payments e where e.user_id = p.user_id and e.paid_at is not null
                           and e.kind <> 'top_up' and (e.paid_at, e.id) < (p.paid_at, p.id)) as is_first
       from receipts r join payments p on p.user_id = r.user_id and p.id = r.payment_id
      where r.series = $1 and r.number > $2::int
      order by r.number limit $3::int
   ), summed as (
     insert into daily_figures as d
     select day, live, method, instrument, count(*), count(*) filter (where is_first), sum(amount_centimes),
            sum(net_centimes), sum(duty_centimes), sum(discount_centimes), coalesce(sum(fees_centimes), 0),
            count(*) filter (where fees_centimes is null)
       from next where is_sale group by day, live, method, instrument order by day, live, method, instrument
         on conflict (day, live, method, instrument) do update
        set ${added('payments first_payments amount_centimes net_centimes duty_centimes discount_centimes')},
            ${added('fees_centimes fees_unknown')}
   ), entered as (
     select to_char(b.created_at at time zone $4, 'YYYY-MM-DD') as day, b.kind, method, instrument, b.amount,
            date_trunc('month', n.issued_at at time zone $4)
              > date_trunc('month', b.created_at at time zone $4) as is_late,
            b.kind = 'top_up' as is_top_up, duty_centimes, fees_centimes
       from next n join balance_entries b on b.user_id = n.user_id and b.payment_id = n.id
      where has_entry and b.kind in ('top_up', 'purchase', 'renewal', 'surplus')
   ), posted as (
     insert into daily_balances as d
     select day, kind, method, instrument, count(*), sum(amount), count(*) filter (where is_late),
            coalesce(sum(amount) filter (where is_late), 0),
            coalesce(sum(duty_centimes) filter (where is_top_up), 0),
            coalesce(sum(fees_centimes) filter (where is_top_up), 0),
            count(*) filter (where is_top_up and fees_centimes is null)
       from entered group by day, kind, method, instrument order by day, kind, method, instrument
         on conflict (day, kind, method, instrument) do update
        set ${added('entries amount late_entries late_amount duty_centimes fees_centimes fees_unknown')}
   )
   update counted_receipts set last_number = (select max(number) from next)
    where series = $1 and exists (select from next)
   returning last_number`,
)

/**
 * Counts up to `limit` receipts of each series that are not counted yet, with what they brought to balances
 * and took from them. Gives how many.
 */
export async function countReceipts(database: Database, limit: number, timeZone: string): Promise<number> {
  if ((await uncountedReceipts(database)) === 0) return 0
  return database.transaction(async (transaction) => {
    await transaction.query(ensureSeries)
    let counted = 0
    for (const row of await transaction.query(lockSeries)) {
      const before = integer(row, 'last_number')
      const [after] = await transaction.query(count, [text(row, 'series'), before, limit, timeZone])
      counted += after ? integer(after, 'last_number') - before : 0
    }
    return counted
  })
}

const selectUncounted = statement(
  'figures.uncounted',
  `select coalesce(sum(s.last_number - coalesce(c.last_number, 0)), 0)::bigint as receipts
     from receipt_series s left join counted_receipts c using (series)`,
)

export async function uncountedReceipts(database: Queryable): Promise<number> {
  const [row = {}] = await database.query(selectUncounted)
  return integer(row, 'receipts')
}

const parseSums = rowOf({
  method: text,
  /** Empty where it is not known. */
  instrument: text,
  count: column('payments', integer),
  ht: column('net_centimes', integer),
  tva: (row: Row) => integer(row, 'amount_centimes') - integer(row, 'net_centimes'),
  ttc: column('amount_centimes', integer),
  discount: column('discount_centimes', integer),
  stampDuty: column('duty_centimes', integer),
  fees: column('fees_centimes', integer),
  feesUnknown: integer,
}) satisfies (row: Row) => Figures

/** `day`: `YYYY-MM-DD`. */
export type DaySums = ReturnType<typeof parseSums> & { readonly day: string }

export interface PaidDaySums extends DaySums {
  /** Payments that were their user's first. */
  readonly first: number
}

const selectPaid = statement(
  'figures.paid',
  `select * from daily_figures where day >= $1 and day <= $2 and live = $3::boolean
    order by day, method, instrument`,
)

/** Both days included. */
export async function paidByDay(
  database: Queryable,
  of: { readonly first: string; readonly last: string; readonly live: boolean },
): Promise<readonly PaidDaySums[]> {
  const rows = await database.query(selectPaid, [of.first, of.last, of.live])
  return rows.map((row) => ({
    ...parseSums(row),
    day: text(row, 'day'),
    first: integer(row, 'first_payments'),
  }))
}

const REFUNDS = `
  from audit a
  join payments p on p.user_id = a.user_id and p.id = a.payment_id
  join receipts r on r.user_id = a.user_id and r.payment_id = a.payment_id
 where a.act = 'payment.refund' and p.live = $1::boolean and ${IS_SALE}`

// The days begin at the instants of $4.
const selectRefunded = statement(
  'figures.refunded',
  `select width_bucket(a.acted_at, $4::timestamptz[]) as nth_day, p.method,
          coalesce(p.instrument, '') as instrument, count(*)::int as payments,
          sum(${AMOUNT})::bigint as amount_centimes, sum(${NET})::bigint as net_centimes, 0 as duty_centimes,
          sum(p.discount * 100::bigint)::bigint as discount_centimes, 0 as fees_centimes, 0 as fees_unknown
   ${REFUNDS} and a.acted_at >= $2::timestamptz and a.acted_at < $3::timestamptz
    group by 1, 2, 3 order by 1, 2, 3`,
)

export interface Span {
  readonly from: Instant
  readonly to: Instant
}

/** By the day on which the refund was recorded. */
export async function refundedByDay(
  database: Queryable,
  { from, to, live, days }: Span & { readonly live: boolean; readonly days: readonly MonthDay[] },
): Promise<readonly DaySums[]> {
  const starts = days.map((day) => at(day.from))
  const rows = await database.query(selectRefunded, [live, at(from), at(to), starts])
  return rows.map((row) => ({ ...parseSums(row), day: days[integer(row, 'nth_day') - 1]?.day ?? '' }))
}

export interface MonthDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly from: Instant
}

const countEnds = statement(
  'figures.ends',
  `select (select count(*) from users where ended_at is null and paid_until >= $1::timestamptz
    and paid_until < $2::timestamptz)
        + (select count(*) from users where ended_at >= $1::timestamptz
          and ended_at < $2::timestamptz) as lapsed,
          (select count(*) from users where ended_at is null and paid_until >= $3::timestamptz
            and paid_until < $4::timestamptz)
            as ending`,
)

/** Users whose time ended in the span and was not continued; and those whose time ends in the other. */
export async function countEndings(database: Queryable, lapsed: Span, ending: Span) {
  const values = [lapsed.from, lapsed.to, ending.from, ending.to].map((instant) => at(instant))
  const [row = {}] = await database.query(countEnds, values)
  return { lapsed: integer(row, 'lapsed'), ending: integer(row, 'ending') }
}

const readEntry = rowOf({
  id: text,
  /** Of the payment, or of the recording of the refund. */
  at: instant,
  paymentId: text,
  userId: text,
  /** Null for a top-up, as all that was bought is. */
  planId: textOrNull,
  months: integerOrNull,
  method: text,
  instrument: textOrNull,
  series: text,
  number: integer,
  paidAt: instant,
  /** Of the payment, whenever that was; null: not refunded. */
  refundedAt: instantOrNull,
  /** What was asked for, in whole dinars, where another amount came; else null. */
  amountAsked: integerOrNull,
  /** The percentage of the tax; null: none. */
  taxRate: integerOrNull,
  /** The provider's id, the reference of a transfer or the number of a slip. */
  checkoutId: column('method_reference', textOrNull),
  currency: text,
  periodStart: instantOrNull,
  periodEnd: instantOrNull,
  /** Of the payment, now. */
  status: word<'paid' | 'refunded'>,
  /** The payment whose intent was paid twice. */
  secondOf: textOrNull,
  /** When a transfer came to the account, as it was approved. */
  receivedAt: integerOrNull,
})
/** A payment or a refund as a line of the accountant's file. */
export type Entry = Figures & ReturnType<typeof readEntry>

const ENTRY = `p.id as payment_id, p.user_id, p.plan->>'id' as plan_id, p.months, p.method, p.instrument,
          p.paid_at, p.amount_asked, p.method_reference, p.currency, p.period_start, p.period_end, p.status,
          p.second_of,
          (select (t.approvals->-1->>'receivedAt')::bigint from transfers t
            where t.user_id = p.user_id and t.payment_id = p.id) as received_at,
          r.series, r.number, (r.snapshot->'tax'->>'ratePercent')::int as tax_rate, ${SUMS}`

const selectPayments = statement(
  'figures.payments',
  `select p.id as id, p.paid_at as at, ${ENTRY},
          (select max(acted_at) from audit a
            where p.status = 'refunded' and a.user_id = p.user_id and a.payment_id = p.id
              and a.act = 'payment.refund')
            as refunded_at
     from payments p join receipts r on r.user_id = p.user_id and r.payment_id = p.id
    where p.live = $1::boolean and (p.paid_at, p.id) > ($2::timestamptz, $3::text)
      and p.paid_at < $4::timestamptz and ${IS_SALE} and ${isOfKind('$6')}
    order by p.paid_at, p.id limit $5::int`,
)

const selectRefunds = statement(
  'figures.refunds',
  `select a.id as id, a.acted_at as at, ${ENTRY}, a.acted_at as refunded_at
   ${REFUNDS} and a.acted_at >= $2::timestamptz and a.acted_at < $4::timestamptz and (a.acted_at,
     a.id) > ($2::timestamptz, $3::text)
      and ${isOfKind('$6')}
    order by a.acted_at, a.id limit $5::int`,
)

/** Oldest first, after the given one. */
export async function entriesOf(
  database: Queryable,
  kind: 'payment' | 'refund',
  { from, to, live, kind: paidBy }: Span & { readonly live: boolean; readonly kind: PaymentKind | null },
  after: Pick<Entry, 'at' | 'id'> | null,
  limit: number,
): Promise<readonly Entry[]> {
  // No id is empty: all of that instant are after it.
  const start = after ?? { at: from, id: '' }
  const values = [live, at(start.at), start.id, at(to), limit, paidBy]
  const rows = await database.query(kind === 'payment' ? selectPayments : selectRefunds, values)
  return rows.map((row) => parseEntry(row, kind === 'refund'))
}

function parseEntry(row: Row, isRefund: boolean): Entry {
  const retained = { duty_centimes: 0, fees_centimes: 0 }
  const { duty_centimes, fees_centimes, ...rest } = { ...row, ...(isRefund && retained) }
  const sums = {
    ...rest,
    instrument: row.instrument ?? '',
    payments: 1,
    duty_centimes,
    fees_centimes: fees_centimes ?? 0,
    fees_unknown: fees_centimes === null ? 1 : 0,
  }
  return { ...parseSums(sums), ...readEntry(row) }
}
