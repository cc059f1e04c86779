// Payments as rows: how they are read and written, and the reads of the history. Nothing here changes a payment.
import type { Instant } from '../core/instant.js'
import type { Payment, PaymentStatus, PublicPaymentStatus } from '../core/payment.js'
import type { Plan } from '../core/plan.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, instant, instantOrNull, integer, json, text, textOrNull } from '../database/rows.js'

export const PAYMENT_COLUMNS = `
  p.user_id, p.id, p.plan, p.amount, p.currency, p.live, p.status, p.checkout_id, p.checkout_url,
  p.payment_method, p.created_at, p.expires_at, p.attempt_ends_at, p.next_check_at, p.paid_at,
  p.period_start, p.period_end, p.second_of, p.review`

export function parsePayment(row: Row): Payment {
  return {
    id: text(row, 'id'),
    userId: text(row, 'user_id'),
    plan: json<Plan>(row, 'plan'),
    price: { amount: integer(row, 'amount'), currency: text(row, 'currency') },
    live: flag(row, 'live'),
    // The check constraint of the column holds the same list.
    status: text(row, 'status') as PaymentStatus,
    checkoutId: textOrNull(row, 'checkout_id'),
    checkoutUrl: textOrNull(row, 'checkout_url'),
    paymentMethod: textOrNull(row, 'payment_method'),
    createdAt: instant(row, 'created_at'),
    expiresAt: instant(row, 'expires_at'),
    attemptEndsAt: instant(row, 'attempt_ends_at'),
    nextCheckAt: instantOrNull(row, 'next_check_at'),
    paidAt: instantOrNull(row, 'paid_at'),
    periodStart: instantOrNull(row, 'period_start'),
    periodEnd: instantOrNull(row, 'period_end'),
    secondOf: textOrNull(row, 'second_of'),
    review: json<Payment['review']>(row, 'review'),
  }
}

/** What moves in the life of a payment, for a statement that reads JSON. */
export function paymentStateToColumns(payment: Payment) {
  return {
    id: payment.id,
    status: payment.status,
    checkout_id: payment.checkoutId,
    checkout_url: payment.checkoutUrl,
    payment_method: payment.paymentMethod,
    expires_at: at(payment.expiresAt),
    next_check_at: at(payment.nextCheckAt),
    paid_at: at(payment.paidAt),
    period_start: at(payment.periodStart),
    period_end: at(payment.periodEnd),
    review: payment.review,
  }
}

/** What it is born with, and keeps. */
export function paymentOriginToColumns(payment: Payment) {
  return {
    plan: payment.plan,
    amount: payment.price.amount,
    currency: payment.price.currency,
    live: payment.live,
    created_at: at(payment.createdAt),
    attempt_ends_at: at(payment.attemptEndsAt),
    second_of: payment.secondOf,
  }
}

/** Where a page of the history goes on: after this payment, going back in time. */
export interface HistoryPosition {
  readonly createdAt: Instant
  readonly id: string
}

const selectHistory = statement(
  'payments.history',
  `select ${PAYMENT_COLUMNS}
     from payments p
    where p.user_id = $1
      and ($2::timestamptz is null or (p.created_at, p.id) < ($2::timestamptz, $3::text))
      and ($4::text is null or $4 = case
            when p.status not in ('requested', 'pending') then p.status
            when p.expires_at > $5::timestamptz then 'pending'
            else 'expired' end)
    order by p.created_at desc, p.id desc
    limit $6::int`,
)

/** Payments of one user, newest first. `status` is the public one, which depends on `now` for open payments. */
export async function listPayments(
  database: Queryable,
  userId: string,
  page: {
    readonly after: HistoryPosition | null
    readonly status: PublicPaymentStatus | null
    readonly limit: number
  },
  now: Instant,
): Promise<readonly Payment[]> {
  const rows = await database.query(selectHistory, [
    userId,
    at(page.after?.createdAt ?? null),
    page.after?.id ?? null,
    page.status,
    at(now),
    page.limit,
  ])
  return rows.map(parsePayment)
}

const selectPayment = statement(
  'payments.one',
  `select ${PAYMENT_COLUMNS} from payments p where p.user_id = $1 and p.id = $2`,
)

/** Null when there is none, or it is somebody else's: to the outside the two are the same. */
export async function findPayment(database: Queryable, userId: string, id: string): Promise<Payment | null> {
  const [row] = await database.query(selectPayment, [userId, id])
  return row ? parsePayment(row) : null
}

const selectPaymentById = statement(
  'payments.by_id',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = $1`,
)

/** For the page that a payer returns to, who carries no token: the id, 80 random bits, is what he proves himself with. */
export async function findPaymentById(database: Queryable, id: string): Promise<Payment | null> {
  const [row] = await database.query(selectPaymentById, [id])
  return row ? parsePayment(row) : null
}
