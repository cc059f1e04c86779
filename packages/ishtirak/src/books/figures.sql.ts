// The figures of a month as rows. Receipts are added to the sums of their day as they come; refunds are read
// from the trail. A series may have numbers of documents that are no receipts: they are passed over.
import type { Instant } from '../core/instant.js'
import type { PaymentKind } from '../core/payment.js'
import { type Database, type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  column,
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
import { isOfKind } from '../ledger/payments.sql.js'
import type { Figures } from './figures.js'
import { markUsers } from './paid-months.sql.js'

const ensureSeries = statement(
  'figures.ensure_series',
  'insert into counted_receipts (series, last_number) select series, 0 from document_series on ' +
    'conflict do nothing',
)

// Locked in one order, so that two processes wait for each other and count nothing twice.
const lockSeries = statement(
  'figures.lock_series',
  `select c.series, c.last_number
     from counted_receipts c join document_series s on s.series = c.series and s.last_number > c.last_number
    order by c.series
      for update of c`,
)

/** A top-up is owed to the user. It counts when it is spent, as what it buys. */
const IS_SALE = `p.kind <> 'top_up'`
/** What went to the user's balance: a top-up, and what is left of a change of plan. */
export const ADVANCE = `(case when ${IS_SALE} then coalesce((r.snapshot->'change'->>'surplus')::bigint, 0)
                 else p.amount end)`
export const AMOUNT = `(p.amount - ${ADVANCE}) * 100::bigint`
const ASKED = `${AMOUNT} + (coalesce(p.amount_asked, p.amount) - p.amount) * 100::bigint`
export const NET = `r.net_centimes - ${ADVANCE} * 100`
/** Empty: no tax. */
const TAX_RATE = `coalesce(r.snapshot->'tax'->>'ratePercent', '')`

/** Of `payments p` and their first `documents r`. */
const SUMS = `${AMOUNT} as amount_centimes, ${ASKED} as asked_centimes, ${NET} as net_centimes,
          r.duty_centimes, r.discount_centimes, r.fee_centimes as fees_centimes`

/** Up to which number a closed month has the receipts of a series. */
export const countedIn = (counted: string, series: string) => `coalesce((${counted}->>${series})::int, 0)`

/** Several `payments p` with their first `documents r`. */
export const SUMS_OF_MANY = `count(*)::int as payments, sum(${AMOUNT})::bigint as amount_centimes,
          sum(${ASKED})::bigint as asked_centimes, sum(${NET})::bigint as net_centimes,
          sum(r.duty_centimes)::bigint as duty_centimes,
          sum(r.discount_centimes)::bigint as discount_centimes,
          coalesce(sum(r.fee_centimes), 0)::bigint as fees_centimes,
          count(*) filter (where r.fee_centimes is null)::int as fees_unknown`

/** Receipts of closed months that came after one closing and, where there is another, before it. */
export const LATE = (of: { readonly live: string; readonly since: string; readonly until: string }) => `
     from late_receipts l
     join payments p on p.user_id = l.user_id and p.id = l.payment_id
     join documents r on r.user_id = l.user_id and r.payment_id = l.payment_id and r.place = p.receipt_place
    where p.live = ${of.live}::boolean and l.number > ${countedIn(`${of.since}::jsonb`, 'l.series')}
      and (${of.until}::jsonb is null or l.number <= ${countedIn(`${of.until}::jsonb`, 'l.series')})`

/** Up to which number the receipts of each series stand in a closed month. */
export type Counted = Readonly<Record<string, number>>

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
            coalesce(p.instrument, '') as instrument, ${TAX_RATE} as tax_rate, ${IS_SALE} as is_sale,
            ${SUMS},
            p.user_id, p.id, r.issued_at, p.entry_of is not null or p.kind = 'change' as has_entry,
            not exists (select from payments e where e.user_id = p.user_id and e.live = p.live
                           and e.paid_at is not null and e.kind <> 'top_up'
                           and (e.paid_at, e.id) < (p.paid_at, p.id)) as is_first
       from documents r join payments p on p.user_id = r.user_id and p.id = r.payment_id
      where r.series = $1::text and r.number > $2::int and r.place = p.receipt_place
      order by r.number limit $3::int
   ), summed as (
     insert into daily_figures as d
     select day, live, method, instrument, tax_rate, count(*), count(*) filter (where is_first),
            sum(amount_centimes), sum(asked_centimes), sum(net_centimes), sum(duty_centimes),
            sum(discount_centimes), coalesce(sum(fees_centimes), 0),
            count(*) filter (where fees_centimes is null)
       from next where is_sale
      group by day, live, method, instrument, tax_rate order by day, live, method, instrument, tax_rate
         on conflict (day, live, method, instrument, tax_rate) do update
        set ${added('payments first_payments amount_centimes asked_centimes net_centimes duty_centimes')},
            ${added('discount_centimes fees_centimes fees_unknown')}
   ), late as (
     insert into late_receipts (user_id, payment_id, series, number, month)
     select n.user_id, n.id, $1::text, n.number, c.month
       from next n join closed_months c on c.month = left(n.day, 7) and c.reopened_at is null
      where n.number > ${countedIn('c.counted', '$1::text')}
         on conflict (user_id, payment_id) do nothing
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
   update counted_receipts c
      set last_number = case when (select count(*) from next) = $3::int then (select max(number) from next)
                             else s.last_number end
     from document_series s
    where c.series = $1 and s.series = $1
   returning c.last_number, coalesce((select json_agg(distinct user_id) from next), '[]')::jsonb as users`,
)

/**
 * Counts up to `limit` receipts of each series that are not counted yet, with what they brought to balances
 * and took from them. Gives how many.
 */
export async function countReceipts(database: Database, limit: number, timeZone: string): Promise<number> {
  if ((await uncountedReceipts(database)) === 0) return 0
  return database.transaction((transaction) => countReceiptsIn(transaction, limit, timeZone))
}

/** The same inside a transaction: nobody else counts until it ends. */
export async function countReceiptsIn(
  transaction: Queryable,
  limit: number,
  timeZone: string,
): Promise<number> {
  await transaction.query(ensureSeries)
  let counted = 0
  for (const row of await transaction.query(lockSeries)) {
    const before = integer(row, 'last_number')
    const [after] = await transaction.query(count, [text(row, 'series'), before, limit, timeZone])
    if (!after) continue
    counted += integer(after, 'last_number') - before
    await markUsers(transaction, json<readonly string[]>(after, 'users'), timeZone)
  }
  return counted
}

const selectUncounted = statement(
  'figures.uncounted',
  `select coalesce(sum(s.last_number - coalesce(c.last_number, 0)), 0)::bigint as receipts
     from document_series s left join counted_receipts c using (series)`,
)

export async function uncountedReceipts(database: Queryable): Promise<number> {
  const [row = {}] = await database.query(selectUncounted)
  return integer(row, 'receipts')
}

export const parseSums = rowOf({
  method: text,
  /** Empty where it is not known. */
  instrument: text,
  taxRate: column('tax_rate', (row, name) => (row[name] === '' ? null : Number(row[name]))),
  count: column('payments', integer),
  ht: column('net_centimes', integer),
  tva: (row: Row) => integer(row, 'amount_centimes') - integer(row, 'net_centimes'),
  ttc: column('amount_centimes', integer),
  asked: column('asked_centimes', integer),
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
    order by day, method, instrument, tax_rate`,
)

const selectPaidByMonth = statement(
  'figures.paid_by_month',
  `select left(day, 7) as day, method, '' as instrument, '' as tax_rate, sum(payments)::int as payments,
          sum(amount_centimes)::bigint as amount_centimes,
          sum(asked_centimes)::bigint as asked_centimes, sum(net_centimes)::bigint as net_centimes,
          sum(duty_centimes)::bigint as duty_centimes, sum(discount_centimes)::bigint as discount_centimes,
          sum(fees_centimes)::bigint as fees_centimes, sum(fees_unknown)::int as fees_unknown
     from daily_figures where day >= $1 and day < $2 || '-32' and live = $3::boolean
    group by 1, 2`,
)

/** By method; both months included. The day is a month. */
export async function paidByMonth(
  database: Queryable,
  of: { readonly first: string; readonly last: string; readonly live: boolean },
): Promise<readonly DaySums[]> {
  const rows = await database.query(selectPaidByMonth, [of.first, of.last, of.live])
  return rows.map((row) => ({ ...parseSums(row), day: text(row, 'day') }))
}

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

/** `$1`: of real money. */
export const REFUNDS = `
  from audit a
  join payments p on p.user_id = a.user_id and p.id = a.payment_id
  join documents r on r.user_id = a.user_id and r.payment_id = a.payment_id and r.place = p.receipt_place
 where a.act = 'payment.refund' and p.live = $1::boolean and ${IS_SALE}`

// The days begin at the instants of $4.
const selectRefunded = statement(
  'figures.refunded',
  `select width_bucket(a.acted_at, $4::timestamptz[]) as nth_day, p.method,
          coalesce(p.instrument, '') as instrument, ${TAX_RATE} as tax_rate, count(*)::int as payments,
          sum(${AMOUNT})::bigint as amount_centimes, sum(${ASKED})::bigint as asked_centimes,
          sum(${NET})::bigint as net_centimes, 0 as duty_centimes,
          sum(r.discount_centimes)::bigint as discount_centimes, 0 as fees_centimes, 0 as fees_unknown
   ${REFUNDS} and a.acted_at >= $2::timestamptz and a.acted_at < $3::timestamptz
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
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
  /** As it stands on the receipt. */
  name: textOrNull,
  /** What went to the user's balance instead of buying something, in centimes. */
  advance: column('advance_centimes', integer),
})
/** A payment or a refund as a line of the accountant's file. */
export type Entry = Figures & ReturnType<typeof readEntry>

const ENTRY = `p.id as payment_id, p.user_id, p.plan->>'id' as plan_id, p.months, p.method, p.instrument,
          p.paid_at, p.method_reference, p.currency, p.period_start, p.period_end, p.status,
          p.second_of,
          (select (t.approvals->-1->>'receivedAt')::bigint from transfers t
            where t.user_id = p.user_id and t.payment_id = p.id) as received_at,
          r.series, r.number, (r.snapshot->'tax'->>'ratePercent')::int as tax_rate,
          r.snapshot->'buyer'->>'name' as name, ${ADVANCE} * 100::bigint as advance_centimes, ${SUMS}`

const REFUNDED_AT = `(select max(acted_at) from audit a
            where p.status = 'refunded' and a.user_id = p.user_id and a.payment_id = p.id
              and a.act = 'payment.refund')`

// $7: without what came after the closing; $8: top-ups too.
const selectPayments = statement(
  'figures.payments',
  `select p.id as id, p.paid_at as at, ${ENTRY}, ${REFUNDED_AT} as refunded_at
     from payments p
     join documents r on r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
    where p.live = $1::boolean and (p.paid_at, p.id) > ($2::timestamptz, $3::text)
      and p.paid_at < $4::timestamptz and (${IS_SALE} or $8::boolean) and ${isOfKind('$6')}
      and ($7::jsonb is null or r.number <= ${countedIn('$7::jsonb', 'r.series')})
    order by p.paid_at, p.id limit $5::int`,
)

const selectLate = statement(
  'figures.late',
  `select p.id as id, p.paid_at as at, ${ENTRY}, ${REFUNDED_AT} as refunded_at
   ${LATE({ live: '$1', since: '$9', until: '$7' })}
      and (p.paid_at, p.id) > ($2::timestamptz, $3::text) and p.paid_at < $4::timestamptz
      and (${IS_SALE} or $8::boolean) and ${isOfKind('$6')}
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

export interface Entries extends Span {
  readonly live: boolean
  /** Null: all. */
  readonly kind: PaymentKind | null
  /** Of the closing of the month. Null: it is open. */
  readonly until: Counted | null
  /** Of the closing of the month before. Null: it is open, and nothing is late. */
  readonly since: Counted | null
  /** Top-ups too. */
  readonly withTopUps?: boolean
}

/** Oldest first, after the given one. `late`: those of closed months that came in this one. */
export async function entriesOf(
  database: Queryable,
  kind: 'payment' | 'refund' | 'late',
  of: Entries,
  after: Pick<Entry, 'at' | 'id'> | null,
  limit: number,
): Promise<readonly Entry[]> {
  const { from, to, live, kind: paidBy, until, since, withTopUps = false } = of
  // No id is empty: all of that instant are after it.
  const start = after ?? { at: kind === 'late' ? 0 : from, id: '' }
  const values = [live, at(start.at), start.id, at(kind === 'late' ? from : to), limit, paidBy]
  if (kind === 'refund') return (await database.query(selectRefunds, values)).map(parseRefund)
  const counted = [until && JSON.stringify(until), withTopUps]
  if (kind === 'payment')
    return (await database.query(selectPayments, [...values, ...counted])).map(parsePaid)
  if (since === null) return []
  const late = await database.query(selectLate, [...values, ...counted, JSON.stringify(since)])
  return late.map(parsePaid)
}

const parsePaid = (row: Row) => parseEntry(row, false)
const parseRefund = (row: Row) => parseEntry(row, true)

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
