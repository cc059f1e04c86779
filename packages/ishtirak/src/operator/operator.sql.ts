// What the operator reads across users: payments, everything known of one, a user, and the search. What changes a payment goes
// the way of all changes, through payments/settle.sql.ts.
import { type Instant, toTimestamp } from '../core/instant.js'
import type { KeptReport } from '../core/kept-report.js'
import { PAYMENT_WAYS, type Payment, type PaymentWay, type PublicPaymentStatus } from '../core/payment.js'
import { type ReceiptSnapshot, readReceiptNumber, receiptNumber, totalOf } from '../core/receipt.js'
import { readReference } from '../core/reference.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, integer, json, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment, publicStatusSql } from '../payments/payments.sql.js'
import { viewRows } from '../payments/schemas.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from '../payments/users.sql.js'
import { ActSchema, FoundUserSchema, ReceivedSchema, SentSchema } from './schemas.js'

/** `wayOf` of core, of `payments p`. */
const isWay = (way: string) =>
  `(${way}::text is null or ${way} = case when p.method in (${PAYMENT_WAYS.map((name) => `'${name}'`).join(', ')})
                                          then p.method else 'card' end)`

const newest = (name: string, isWanted: string) =>
  statement(
    `operator.${name}`,
    `select ${PAYMENT_COLUMNS}
       from payments p
      where ($1::text is null or p.user_id = $1) and ${isWay('$3')} and ${isWanted}
      order by p.created_at desc, p.id desc
      limit $2::int`,
  )
const selectNewest = newest('newest', `($4::text is null or $4 = ${publicStatusSql('$5')})`)
const selectInReview = newest('in_review', "p.status = 'review'")
// Rides on payments_without_page.
const selectNewestWithoutPage = newest(
  'newest_without_page',
  `p.checkout_url is null and p.checkout_id is not null and ($4::text is null or $4 = ${publicStatusSql('$5')})`,
)

/** Of all users, newest first. Those in review, and those without a page, have indexes of their own: they are few among many. */
export async function newestPayments(
  database: Queryable,
  wanted: {
    readonly userId: string | null
    readonly status: PublicPaymentStatus | null
    readonly way: PaymentWay | null
    readonly limit: number
  },
  now: Instant,
): Promise<readonly Payment[]> {
  const { userId, status, way, limit } = wanted
  const rows =
    status === 'review'
      ? await database.query(selectInReview, [userId, limit, way])
      : await database.query(way === null || way === 'card' ? selectNewest : selectNewestWithoutPage, [
          userId,
          limit,
          way,
          status,
          at(now),
        ])
  return rows.map(parsePayment)
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
  `select ${ACT_COLUMNS} from audit where user_id = $1 and payment_id = $2 order by id`,
)

/** What came in about a payment, what it keeps of it, what went out, its receipt, and what was done by hand. */
export async function tracesOf(database: Queryable, { userId, id, checkoutId }: Payment) {
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
    audit: viewRows(ActSchema, await database.query(selectActs, of)),
  }
}

/** In dinars, which have centimes where the duty has. */
function describeTotal(snapshot: ReceiptSnapshot) {
  return { stamp_duty: snapshot.stampDutyCentimes / 100, total: totalOf(snapshot) / 100 }
}

const selectActsOfUser = statement(
  'operator.acts_on_user',
  `select ${ACT_COLUMNS} from audit where user_id = $1 order by id desc limit $2::int`,
)

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
    where p.paid_at >= $1::timestamptz and p.paid_at < $2::timestamptz and ${isWay('$6')}
      and ($3::timestamptz is null or (p.paid_at, p.id) > ($3::timestamptz, $4::text))
    order by p.paid_at, p.id
    limit $5::int`,
)

/** Paid in `[from, to)`, refunded ones as well, oldest first, after the given one. */
export async function takenPayments(
  database: Queryable,
  span: { readonly from: Instant; readonly to: Instant; readonly way: PaymentWay | null },
  after: Payment | null,
  limit: number,
): Promise<readonly TakenPayment[]> {
  const rows = await database.query(selectTaken, [
    at(span.from),
    at(span.to),
    at(after?.paidAt ?? null),
    after?.id ?? null,
    limit,
    span.way,
  ])
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

/**
 * One word, looked up wherever an operator may have it from: a user's id or e-mail, a payment's id, the provider's checkout
 * id, a transfer's reference, a receipt's number. Exact hits only, each through an index. White space around it comes from copying it.
 */
export async function search({ database }: { readonly database: Queryable }, typed: string) {
  const word = typed.trim()
  const [users, payments] = await Promise.all([
    findUsersByWord(database, word),
    findPaymentsByWord(database, readReference(word) ?? word, readReceiptNumber(word)),
  ])
  return { users, payments }
}

/** Several users may share an address, and one checkout may be reported for several users. */
const HITS_MAX = 20

const selectUsers = statement(
  'operator_search.users',
  `select user_id, email, name from users where user_id = $1
    union all
   (select user_id, email, name from users
     where lower(email) = lower($1) and user_id <> $1 order by user_id limit ${HITS_MAX})`,
)

export async function findUsersByWord(database: Queryable, word: string) {
  return viewRows(FoundUserSchema, await database.query(selectUsers, [word]))
}

const selectPayments = statement(
  'operator_search.payments',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = $1
    union all
   (select ${PAYMENT_COLUMNS} from payments p where p.checkout_id = $1 and p.id <> $1 limit ${HITS_MAX})
    union all
   select ${PAYMENT_COLUMNS}
     from receipts r join payments p on p.user_id = r.user_id and p.id = r.payment_id
    where r.series = $2 and r.number = $3::int`,
)

export async function findPaymentsByWord(
  database: Queryable,
  word: string,
  receipt: { readonly series: string; readonly number: number } | null,
): Promise<readonly Payment[]> {
  const found = [word, receipt?.series ?? null, receipt?.number ?? null]
  return (await database.query(selectPayments, found)).map(parsePayment)
}
