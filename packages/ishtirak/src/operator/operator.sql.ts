// What the operator reads across users: payments, everything known of one, a user, and the search. What changes a payment goes
// the way of all changes, through payments/settle.sql.ts.
import { type Instant, toTimestamp } from '../core/instant.js'
import type { KeptReport } from '../core/kept-report.js'
import { PAYMENT_WAYS, type Payment, type PaymentWay, type PublicPaymentStatus } from '../core/payment.js'
import { type ReceiptSnapshot, receiptNumber, totalOf } from '../core/receipt.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, integer, json, text } from '../database/rows.js'
import {
  type HistoryPosition,
  PAYMENT_COLUMNS,
  parsePayment,
  publicStatusSql,
} from '../payments/payments.sql.js'
import { viewRows } from '../payments/schemas.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from '../payments/users.sql.js'
import { ActSchema, ReceivedSchema, SentSchema } from './schemas.js'

/** `wayOf` of core, of `payments p`. */
const isWay = (way: string) =>
  `(${way}::text is null or ${way} = case when p.method in (${PAYMENT_WAYS.map((name) => `'${name}'`).join(', ')})
                                          then p.method else 'card' end)`

const newest = (name: string, isWanted: string) =>
  statement(
    `operator.${name}`,
    `select ${PAYMENT_COLUMNS}
       from payments p
      where ${isWay('$2')} and ${isWanted}
      order by p.created_at desc, p.id desc
      limit $1::int`,
  )
const isOfStatus = `($3::text is null or $3 = ${publicStatusSql('$4')})`
const isAfter = (at: string, id: string) => `(p.created_at, p.id) < (${at}::timestamptz, ${id})`
// Apart from the further pages: planned while the table is empty, a bound would make this one read all payments later.
const selectNewest = newest('newest', isOfStatus)
const selectNewestAfter = newest('newest_after', `${isOfStatus} and ${isAfter('$5', '$6')}`)
// Apart: a plan that does not know whether there is a user would look through the payments of all.
const selectNewestOfUser = newest(
  'newest_of_user',
  `${isOfStatus} and ${isAfter('$5', '$6')} and p.user_id = $7`,
)
const selectInReview = newest('in_review', `p.status = 'review' and ${isAfter('$3', '$4')}`)
const selectOpen = newest(
  'open',
  `p.status in ('requested', 'pending') and p.expires_at > $3::timestamptz and ${isAfter('$4', '$5')}`,
)
// Rides on payments_without_page.
const selectNewestWithoutPage = newest(
  'newest_without_page',
  `p.checkout_url is null and p.checkout_id is not null and ${isOfStatus} and ${isAfter('$5', '$6')}`,
)

/** Newest first. Of all users, those in review, the open ones, and those without a page have indexes: they are few among many. */
export async function newestPayments(
  database: Queryable,
  wanted: {
    /** Null: of all users. */
    readonly userId: string | null
    readonly status: PublicPaymentStatus | null
    readonly way: PaymentWay | null
    readonly after: HistoryPosition | null
    readonly limit: number
  },
  now: Instant,
): Promise<readonly Payment[]> {
  const { userId, status, way, after, limit } = wanted
  const page = [limit, way]
  const position = after ? [at(after.createdAt), after.id] : ['infinity', '']
  const ofStatus = [...page, status, at(now)]
  const find = () => {
    if (userId !== null) return database.query(selectNewestOfUser, [...ofStatus, ...position, userId])
    if (status === 'review') return database.query(selectInReview, [...page, ...position])
    if (status === 'pending') return database.query(selectOpen, [...page, at(now), ...position])
    if (way !== null && way !== 'card')
      return database.query(selectNewestWithoutPage, [...ofStatus, ...position])
    return after
      ? database.query(selectNewestAfter, [...ofStatus, ...position])
      : database.query(selectNewest, ofStatus)
  }
  return (await find()).map(parsePayment)
}

const selectWithUser = statement(
  'operator.payment',
  `select ${PAYMENT_COLUMNS}, ${FACT_COLUMNS} from payments p join users u using (user_id) where p.id = $1`,
)

export async function findPaymentWithUser(
  database: Queryable,
  paymentId: string,
): Promise<{ readonly payment: Payment; readonly user: UserRecord } | null> {
  const [row] = await database.query(selectWithUser, [paymentId])
  return row ? { payment: parsePayment(row), user: parseUser(row) } : null
}

const selectReceived = statement(
  'operator.received',
  `select id, type, outcome, received_at as at, report->'amount' as amount from provider_events
    where user_id = $1 and (payment_id = $2 or checkout_id = $3)
    order by received_at, id`,
)

const selectSent = statement(
  'operator.sent',
  `select id, type, sequence, created_at as at from outbox
    where user_id = $1 and payload->'data'->'payment'->>'id' = $2
    order by sequence`,
)

const selectKept = statement(
  'operator.kept',
  `select p.reports, r.series, r.number, r.issued_at, r.snapshot
     from payments p left join receipts r on r.user_id = p.user_id and r.payment_id = p.id
    where p.user_id = $1 and p.id = $2`,
)

const ACT_COLUMNS = 'id, acted_at as at, actor, act, reason as why, payment_id, before, after'

const selectActs = statement(
  'operator.acts_on_payment',
  `select * from (select ${ACT_COLUMNS} from audit where user_id = $1 and payment_id = $2 order by id desc limit $3::int) newest
    order by id`,
)

/**
 * What came in about a payment, what it keeps of it, what went out, its receipt, and what was done by hand: the newest `acts`,
 * oldest first.
 */
export async function tracesOf(database: Queryable, { userId, id, checkoutId }: Payment, acts: number) {
  const of = [userId, id]
  const [kept = {}] = await database.query(selectKept, of)
  const receipt = receiptIn(kept)
  return {
    receipt: receipt && {
      number: receiptNumber(receipt.series, receipt.number),
      issued_at: toTimestamp(instant(kept, 'issued_at')),
      ...describeTotal(json<ReceiptSnapshot>(kept, 'snapshot')),
    },
    reports: json<readonly KeptReport[]>(kept, 'reports'),
    received: viewRows(ReceivedSchema, await database.query(selectReceived, [...of, checkoutId])),
    sent: viewRows(SentSchema, await database.query(selectSent, of)),
    audit: viewRows(ActSchema, await database.query(selectActs, [...of, acts])),
  }
}

/** What a booked payment cost, by its receipt. */
export async function readTotal(database: Queryable, { userId, id }: Payment) {
  const [kept = {}] = await database.query(selectKept, [userId, id])
  return describeTotal(json<ReceiptSnapshot>(kept, 'snapshot'))
}

/** In dinars, which have centimes where the duty has. */
function describeTotal(snapshot: ReceiptSnapshot) {
  return { stamp_duty: snapshot.stampDutyCentimes / 100, total: totalOf(snapshot) / 100 }
}

const selectActsOfUser = statement(
  'operator.acts_on_user',
  `select ${ACT_COLUMNS} from audit where user_id = $1 order by id desc limit $2::int`,
)

/** In the audit trail: of an act that is about no single user. */
export const NO_USER = ''

/** Newest first. */
export async function actsOnUser(database: Queryable, userId: string, limit: number) {
  return viewRows(ActSchema, await database.query(selectActsOfUser, [userId, limit]))
}

/** A payment with what the accountant wants beside it. */
export interface TakenPayment {
  readonly payment: Payment
  readonly receipt: { readonly series: string; readonly number: number } | null
  /** Null: there is no receipt. */
  readonly stampDutyCentimes: number | null
  /** When a transfer came to the account, as it was approved. */
  readonly receivedAt: Instant | null
}

const selectTaken = statement(
  'operator.taken',
  `select ${PAYMENT_COLUMNS}, r.series, r.number, (r.snapshot->>'stampDutyCentimes')::int as stamp_duty,
          (t.approvals->-1->>'receivedAt')::bigint as received_at
     from payments p
     left join receipts r on r.user_id = p.user_id and r.payment_id = p.id
     left join transfers t on t.user_id = p.user_id and t.payment_id = p.id
    where (p.paid_at, p.id) > ($1::timestamptz, $2::text) and p.paid_at < $3::timestamptz and ${isWay('$5')}
    order by p.paid_at, p.id
    limit $4::int`,
)

/** Paid in `[from, to)`, refunded ones as well, oldest first, after the given one. */
export async function takenPayments(
  database: Queryable,
  span: { readonly from: Instant; readonly to: Instant; readonly way: PaymentWay | null },
  after: Payment | null,
  limit: number,
): Promise<readonly TakenPayment[]> {
  // No id is empty: all of that instant are after it.
  const start = [at(after?.paidAt ?? span.from), after?.id ?? '']
  const rows = await database.query(selectTaken, [...start, at(span.to), limit, span.way])
  return rows.map((row) => ({
    payment: parsePayment(row),
    receipt: receiptIn(row),
    stampDutyCentimes: row.stamp_duty === null ? null : integer(row, 'stamp_duty'),
    receivedAt: row.received_at === null ? null : integer(row, 'received_at'),
  }))
}

/** Of a row that receipts are joined to. */
function receiptIn(row: Row): TakenPayment['receipt'] {
  return row.number === null ? null : { series: text(row, 'series'), number: integer(row, 'number') }
}
