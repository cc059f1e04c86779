// What the operator does: look at a payment, ask the provider again, take what differs, record a refund; look at a user, grant
// days, end their access. Each act is one guarded change with its line in the audit trail. It moves no money: that is done by hand at
// the provider.

import { type By, type OperatorAct, orRecordRefusal, recordAct, requireUnchanged } from '../acts/audit.sql.js'
import { lookUpPayment } from '../checkout/sweep.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import type { Payment, Review } from '../core/payment.js'
import { requireRole } from '../core/role.js'
import { statusAt } from '../core/subscription.js'
import type { Proof, Transfer } from '../core/transfer.js'
import type { Queryable } from '../database/database.js'
import { grantsOfUser } from '../ledger/grants.sql.js'
import { readHeldTimes } from '../ledger/held-time.sql.js'
import { loadPayment, loadUser, refusalByStatus } from '../ledger/load.js'
import type { ProviderFailure } from '../ledger/method.js'
import type { SaveDeps } from '../ledger/save.js'
import { type SettleDeps, settlePayment, TAKEN } from '../ledger/settle.js'
import { actsOnUser } from '../ledger/trail.sql.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { listProofs } from '../transfers/proof.sql.js'
import { findTransfer } from '../transfers/transfers.sql.js'
import { inboxOfUser } from './inbox.sql.js'
import { withNextAct } from './next-act.js'
import { newestPayments, tracesOf } from './operator.sql.js'

/** What fits on a screen; the rest is in the user's timeline. */
const SHOWN_MAX = 50

/** Everything known of one payment, with the newest acts. */
export type PaymentFile = {
  readonly payment: Payment
  readonly user: Pick<UserRecord, 'name' | 'email'>
  /** What operators said of it; null: the provider says whether it is paid. */
  readonly transfer: Transfer | null
  readonly proofs: readonly Proof[]
} & Awaited<ReturnType<typeof tracesOf>>

interface ReadDeps {
  readonly database: Queryable
}

/** Throws `not_found`. */
export async function showPayment(deps: ReadDeps, paymentId: string): Promise<PaymentFile> {
  const { payment, user } = await loadPayment(deps, paymentId)
  const { userId } = payment
  const [traces, stored, proofs] = await Promise.all([
    tracesOf(deps.database, payment, SHOWN_MAX),
    findTransfer(deps.database, { userId, paymentId }),
    listProofs(deps.database, { userId, paymentId }),
  ])
  return { payment, user, transfer: stored?.transfer ?? null, proofs, ...traces }
}

/** Asks the provider now. Throws `not_found`, `provider_unavailable` or `provider_rejected`. */
export async function recheckPayment(deps: SettleDeps, paymentId: string, by: By): Promise<PaymentFile> {
  requireRole(by.operator, 'payment.recheck')
  const { payment } = await loadPayment(deps, paymentId)
  const act: OperatorAct = { ...by, act: 'payment.recheck' }
  const lookup = await lookUpPayment(deps, payment, { source: 'operator', by: act })
  if (!lookup.ok) throw refusalOf(lookup.failure)
  if (lookup.value.length === 0) {
    const { userId, status } = payment
    const facts = { before: { status }, after: { status, at_provider: null } }
    await recordAct(deps, act, { userId, paymentId, ...facts })
  }
  return showPayment(deps, paymentId)
}

/**
 * Takes a payment under review as it is. The provider is asked once more; where it is out of reach, what it said then is
 * taken. Throws `already_refunded`, or `conflict` when nothing is under review, the provider no longer says that it has the
 * money, or it names another amount, which is then under review.
 */
export async function acceptPayment(deps: SettleDeps, paymentId: string, by: By): Promise<PaymentFile> {
  requireRole(by.operator, 'payment.accept')
  const { payment, user } = await loadPayment(deps, paymentId)
  requireUnchanged(by, user.version)
  const act: OperatorAct = { ...by, act: 'payment.accept' }
  await orRecordRefusal(deps, act, { userId: payment.userId, paymentId }, async () => {
    const { review } = payment
    if (payment.status !== 'review' || !review) throw await refusalByStatus(deps, payment)
    const report = await freshReport(deps, payment, review)
    const accepted = { event: null, source: 'operator', accepted: true } as const
    const outcome = await settlePayment(deps, { ...accepted, report, by: act })
    // Another operator was faster, or the provider names another amount by now.
    if (!TAKEN.includes(outcome))
      throw await refusalByStatus(deps, (await loadPayment(deps, paymentId)).payment)
  })
  return showPayment(deps, paymentId)
}

async function freshReport(deps: SettleDeps, payment: Payment, review: Review): Promise<CheckoutReport> {
  const { settledBy, getCheckout } = deps.methods.of(payment.method)
  const answer = await getCheckout(review.checkoutId)
  if (!answer.ok) {
    deps.log.warn({ payment_id: payment.id, failure: answer.failure }, 'accepted without a fresh look')
    return reportOfReview(payment, review)
  }
  const status = answer.value?.status ?? 'unknown'
  const isOpen = status === 'pending' || status === 'processing' || status === 'unknown'
  // What operators have not approved (again) is no money that could be taken; what they refuse, they refuse by name.
  const isFinal = settledBy === 'operator' ? status === 'paid' : !isOpen
  if (answer.value && isFinal) return answer.value
  throw new BillingError('conflict', { extra: { payment_status: 'review', provider_status: status } })
}

export function reportOfReview(payment: Payment, review: Review): CheckoutReport {
  const { checkoutId, status, amount, currency, paidAt } = review
  return {
    method: payment.method,
    checkoutId,
    status,
    amount,
    currency,
    live: null,
    paymentId: payment.id,
    userId: payment.userId,
    instrument: payment.instrument,
    checkoutUrl: payment.checkoutUrl,
    createdAt: null,
    updatedAt: paidAt,
  }
}

export function refusalOf(failure: ProviderFailure): BillingError {
  if (failure.kind === 'rejected') return new BillingError('provider_rejected')
  return new BillingError('provider_unavailable', { retryAfterSeconds: failure.retryAfterSeconds ?? 5 })
}

/** Everything known of one user: the newest payments, grants and acts. */
export type UserFile = Awaited<ReturnType<typeof showUser>>

/** Throws `not_found`. */
export async function showUser(deps: SaveDeps, userId: string) {
  const now = deps.clock.now()
  const user = await loadUser(deps, userId)
  const wanted = { userId, status: null, way: null, after: null, limit: SHOWN_MAX }
  const waiting = await inboxOfUser(deps.database, { userId, limit: SHOWN_MAX, now })
  return {
    user,
    subscription: statusAt(user.subscription, now, deps.rules),
    waiting: waiting.map(withNextAct),
    time: (await readHeldTimes(deps.database, [userId])).flat(),
    payments: await newestPayments(deps.database, wanted, now),
    grants: await grantsOfUser(deps.database, userId, SHOWN_MAX),
    audit: await actsOnUser(deps.database, userId, SHOWN_MAX),
  }
}
