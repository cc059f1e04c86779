// The history of one user, newest first, in pages that skip and repeat nothing while payments arrive.
import { BillingError } from '../core/error.js'
import { type Instant, LAST_INSTANT } from '../core/instant.js'
import type { Payment, PublicPaymentStatus } from '../core/payment.js'
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import { findRefundInstant } from './audit.sql.js'
import { findPayment, findPaymentById, type HistoryPosition, listPayments } from './payments.sql.js'
import { refreshOpen, type StatusDeps } from './status.js'

export interface HistoryPage {
  readonly payments: readonly Payment[]
  /** Null on the last page. */
  readonly nextCursor: string | null
  /** The instant that the statuses were read at. */
  readonly now: Instant
}

export interface HistoryRequest {
  readonly userId: string
  readonly limit: number
  readonly cursor: string | null
  readonly status: PublicPaymentStatus | null
  readonly requestId?: string
}

export async function readHistory(deps: StatusDeps, request: HistoryRequest): Promise<HistoryPage> {
  const { userId, limit, status } = request
  const after = request.cursor === null ? null : decodeCursor(request.cursor)
  if (after === null) {
    const loaded = await deps.loadUser(userId)
    await refreshOpen(deps, loaded?.open ?? null, request.requestId)
  }
  const now = deps.clock.now()
  // One more than asked for: whether there is a further page costs no count.
  const found = await listPayments(deps.database, userId, { after, status, limit: limit + 1 }, now)
  const payments = found.slice(0, limit)
  const last = found.length > limit ? payments.at(-1) : undefined
  return { payments, nextCursor: last ? encodeCursor(last) : null, now }
}

/** Another user's payment is the same `not_found` as none. */
export async function readPayment(
  deps: StatusDeps,
  of: { readonly userId: string; readonly paymentId: string; readonly requestId?: string },
): Promise<{ readonly payment: Payment; readonly now: Instant }> {
  return refreshed(deps, () => findPayment(deps.database, of.userId, of.paymentId), of.requestId)
}

export interface ReturnedPayment {
  readonly payment: Payment
  /** What the payer is now, which a later payment, the end of the time or the operator may have changed. */
  readonly subscription: Subscription
  readonly refundedAt: Instant | null
  readonly now: Instant
}

/** For the page that the provider sends the payer back to: nothing is known there but the payment. */
export async function readReturnedPayment(
  deps: StatusDeps,
  paymentId: string,
  requestId?: string,
): Promise<ReturnedPayment> {
  const find = () => findPaymentById(deps.database, paymentId)
  const { payment, now } = await refreshed(deps, find, requestId)
  const { userId, status } = payment
  const [loaded, refundedAt] = await Promise.all([
    deps.loadUser(userId),
    status === 'refunded' ? findRefundInstant(deps.database, { userId, paymentId }) : null,
  ])
  const subscription = statusAt(loaded?.user.subscription ?? NEVER_PAID, now, deps.rules)
  return { payment, subscription, refundedAt, now }
}

async function refreshed(deps: StatusDeps, find: () => Promise<Payment | null>, requestId?: string) {
  let payment = await find()
  if (payment && (await refreshOpen(deps, payment, requestId))) payment = await find()
  if (!payment) throw new BillingError('not_found')
  return { payment, now: deps.clock.now() }
}

function encodeCursor(payment: Payment): string {
  return Buffer.from(`${payment.createdAt}.${payment.id}`).toString('base64url')
}

/** Opaque to the caller, so anything that we did not write is refused, not guessed at. */
function decodeCursor(cursor: string): HistoryPosition {
  const [, createdAt, id] =
    /^(\d{1,15})\.(pay_[0-9a-z]{26})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (createdAt === undefined || id === undefined || Number(createdAt) > LAST_INSTANT)
    throw new BillingError('invalid_cursor')
  return { createdAt: Number(createdAt), id }
}
