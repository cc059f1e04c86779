// The history of one user, newest first, in pages that skip and repeat nothing while payments arrive.
import { BillingError } from '../core/error.js'
import { type Instant, LAST_INSTANT } from '../core/instant.js'
import type { Payment, PublicPaymentStatus } from '../core/payment.js'
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import { findRefundInstant } from './audit.sql.js'
import type { Parts } from './parts.js'
import { findPayment, findPaymentById, type HistoryPosition, listPayments } from './payments.sql.js'
import type { RefreshOpen } from './refresh-open.js'
import type { LoadUser } from './users.sql.js'

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

export async function readHistory(
  parts: Parts,
  { loadUser, refreshOpen }: { readonly loadUser: LoadUser; readonly refreshOpen: RefreshOpen },
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { userId, limit, status } = request
  const after = request.cursor === null ? null : decodeCursor(request.cursor)
  if (after === null) {
    const loaded = await loadUser(userId)
    await refreshOpen(loaded?.open ?? null, request.requestId)
  }
  const now = parts.clock.now()
  // One more than asked for: whether there is a further page costs no count.
  const found = await listPayments(parts.database, userId, { after, status, limit: limit + 1 }, now)
  const payments = found.slice(0, limit)
  const last = found.length > limit ? payments.at(-1) : undefined
  return { payments, nextCursor: last ? encodeCursor(last) : null, now }
}

/** Somebody else's payment is the same `not_found` as none. */
export async function readPayment(
  parts: Parts,
  refreshOpen: RefreshOpen,
  of: { readonly userId: string; readonly paymentId: string; readonly requestId?: string },
): Promise<{ readonly payment: Payment; readonly now: Instant }> {
  const look: RefreshOpen = (open) => refreshOpen(open, of.requestId)
  return refreshed(parts, look, () => findPayment(parts.database, of.userId, of.paymentId))
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
  parts: Parts,
  { loadUser, refreshOpen }: { readonly loadUser: LoadUser; readonly refreshOpen: RefreshOpen },
  paymentId: string,
  requestId?: string,
): Promise<ReturnedPayment> {
  const look: RefreshOpen = (open) => refreshOpen(open, requestId)
  const { payment, now } = await refreshed(parts, look, () => findPaymentById(parts.database, paymentId))
  const { userId, status } = payment
  const [loaded, refundedAt] = await Promise.all([
    loadUser(userId),
    status === 'refunded' ? findRefundInstant(parts.database, { userId, paymentId }) : null,
  ])
  const subscription = statusAt(loaded?.user.subscription ?? NEVER_PAID, now, parts.terms)
  return { payment, subscription, refundedAt, now }
}

async function refreshed(parts: Parts, refreshOpen: RefreshOpen, find: () => Promise<Payment | null>) {
  let payment = await find()
  if (payment && (await refreshOpen(payment))) payment = await find()
  if (!payment) throw new BillingError('not_found')
  return { payment, now: parts.clock.now() }
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
