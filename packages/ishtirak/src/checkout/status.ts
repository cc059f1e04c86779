// What users read: their status and their payments. The status is computed from stored facts and the clock at each read; no
// job has to have run. Before reading, one bounded question to the provider about an open payment, so that no user waits
// for a late webhook; its failure fails no read. The history comes in pages, newest first, that skip and repeat nothing.

import { findRefundInstant } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { type Instant, LAST_INSTANT, SECOND } from '../core/instant.js'
import { isOpen, isPayable, type Payment, type PublicPaymentStatus } from '../core/payment.js'
import { renewabilityAt } from '../core/quote.js'
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import {
  findPayment,
  findPaymentById,
  type HistoryPosition,
  type ListPayments,
} from '../ledger/payments.sql.js'
import type { SettleDeps } from '../ledger/settle.js'
import type { LoadUser } from '../ledger/users.sql.js'
import type { SingleFlight } from '../runtime/async.js'
import { lookUpPayment } from './sweep.js'
import { claimLookAtProvider } from './sweep.sql.js'

export interface RefreshDeps extends SettleDeps {
  /** Readers who ask about one payment at once share one question. */
  readonly looks: SingleFlight<boolean>
  readonly wait: (ms: number) => Promise<void>
}

export interface StatusDeps extends RefreshDeps {
  readonly loadUser: LoadUser
}

/** A page that polls once a second should not cost the provider (about 60 calls a minute) a call a second. */
const PAUSE_BETWEEN_LOOKS = 10 * SECOND
/** What a reader is made to wait at most: `spec.md` section 1, GET /status. */
const LOOK_MS = 1_500

/** `requestId` is for the log, here and below: what a look at the provider books is found by it. */
export async function readStatus(
  deps: StatusDeps,
  userId: string,
  requestId?: string,
): Promise<Subscription> {
  let loaded = await deps.loadUser(userId)
  if (loaded && (await refreshOpen(deps, loaded.open, requestId))) loaded = await deps.loadUser(userId)
  return statusAt(loaded?.user.subscription ?? NEVER_PAID, deps.clock.now(), deps.rules)
}

/** Asks the provider about an open payment. Gives true when something may have changed, so that the caller reads again. */
export async function refreshOpen(
  deps: RefreshDeps,
  open: Payment | null,
  requestId?: string,
): Promise<boolean> {
  if (!open || !isOpen(open) || open.checkoutId === null) return false
  if (deps.methods.of(open.method).settledBy === 'operator') return false
  return deps.looks(open.id, () =>
    Promise.race([look(deps, open, requestId), deps.wait(LOOK_MS).then(() => false)]),
  )
}

async function look(deps: RefreshDeps, payment: Payment, requestId?: string): Promise<boolean> {
  const now = deps.clock.now()
  try {
    const when = { now, unlessSince: now - PAUSE_BETWEEN_LOOKS }
    if (!(await claimLookAtProvider(deps.database, payment, when))) return false
    const lookup = await lookUpPayment(deps, payment, { source: 'read', requestId })
    return lookup.ok && lookup.value.length > 0
  } catch (error) {
    // The reader gets what is stored; the sweep asks again.
    deps.log.warn(
      { request_id: requestId, err: error, payment_id: payment.id },
      'the look at the provider failed',
    )
    return false
  }
}

export interface HistoryDeps extends StatusDeps {
  readonly listPayments: ListPayments
}

export interface HistoryRequest {
  readonly userId: string
  readonly limit: number
  readonly cursor: string | null
  readonly status: PublicPaymentStatus | null
  readonly requestId?: string
}

export async function readHistory(deps: HistoryDeps, request: HistoryRequest) {
  const { userId, limit, status } = request
  const after = request.cursor === null ? null : decodeCursor(request.cursor)
  let now = deps.clock.now()
  // One more than asked for: whether there is a further page costs no count.
  const list = () => deps.listPayments({ userId, after, status, now, limit: limit + 1 })
  let found = await list()
  // The news of an open payment can change this page only where it is on it, or its new status is the one asked for.
  const mayChange = after === null && (status !== null || found.some(isOpen))
  const loaded = mayChange ? await deps.loadUser(userId) : null
  if (await refreshOpen(deps, loaded?.open ?? null, request.requestId)) {
    now = deps.clock.now()
    found = await list()
  }
  const payments = found.slice(0, limit)
  const last = found.length > limit ? payments.at(-1) : undefined
  // `nextCursor` is null on the last page; the statuses are those of `now`.
  return { payments, nextCursor: last ? encodeCursor(last) : null, now }
}

/** Another user's payment is the same `not_found` as none. */
export async function readPayment(
  deps: StatusDeps,
  of: { readonly userId: string; readonly paymentId: string; readonly requestId?: string },
): Promise<{ readonly payment: Payment; readonly now: Instant }> {
  return refreshed(deps, () => findPayment(deps.database, of.userId, of.paymentId), of.requestId)
}

export type ReturnedPayment = Awaited<ReturnType<typeof readReturnedPayment>>

/** For the page that the provider sends the payer back to: nothing is known there but the payment. */
export async function readReturnedPayment(deps: StatusDeps, paymentId: string, requestId?: string) {
  const find = () => findPaymentById(deps.database, paymentId)
  const { payment, now } = await refreshed(deps, find, requestId)
  const { userId, status } = payment
  const [loaded, refundedAt] = await Promise.all([
    deps.loadUser(userId),
    status === 'refunded' ? findRefundInstant(deps.database, { userId, paymentId }) : null,
  ])
  // What the payer is now, which a later payment, the end of the time or the operator may have changed.
  const facts = loaded?.user.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, deps.rules)
  const mayRenew = renewabilityAt(facts, now, deps.rules).allowed
  const other = loaded?.open ?? null
  const awaited = other && other.id !== paymentId && other.checkoutUrl === null && isPayable(other, now)
  return { payment, subscription, mayRenew, refundedAt, now, alsoAwaits: awaited ? other : null }
}

async function refreshed(deps: StatusDeps, find: () => Promise<Payment | null>, requestId?: string) {
  let payment = await find()
  if (payment && (await refreshOpen(deps, payment, requestId))) payment = await find()
  if (!payment) throw new BillingError('not_found')
  return { payment, now: deps.clock.now() }
}

function encodeCursor(payment: HistoryPosition): string {
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
