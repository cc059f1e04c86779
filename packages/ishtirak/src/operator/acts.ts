// What the operator does: look at a payment, ask the provider again, take what differs, record a refund; look at a user, grant
// days, end their access. Each act is one guarded change with its line in the audit trail. It moves no money: that is done by hand at
// the provider.
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { decideGrant, planToGrant } from '../core/grant.js'
import { toTimestamp } from '../core/instant.js'
import type { Payment, Review } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import { decideEnd, decideRefund } from '../core/refund.js'
import { statusAt } from '../core/subscription.js'
import type { Proof, Transfer } from '../core/transfer.js'
import type { Queryable } from '../database/database.js'
import { type By, findRefundInstant, type OperatorAct, recordAct } from '../payments/audit.sql.js'
import { findGrantByOperation, grantsOfUser } from '../payments/grants.sql.js'
import type { ProviderFailure } from '../payments/method.js'
import { type SaveDeps, saveByHand } from '../payments/save.js'
import { type SettleDeps, settlePayment } from '../payments/settle.js'
import { lookUpPayment } from '../payments/sweep.js'
import { listProofs } from '../payments/transfer/proof.sql.js'
import { findTransfer } from '../payments/transfer/transfers.sql.js'
import { findUser } from '../payments/users.sql.js'
import { actsOnUser, findPaymentWithUser, newestPayments, tracesOf } from './operator.sql.js'

/** Everything known of one payment. */
export type PaymentFile = {
  readonly payment: Payment
  /** What operators said of it; null: the provider says whether it is paid. */
  readonly transfer: Transfer | null
  readonly proofs: readonly Proof[]
} & Awaited<ReturnType<typeof tracesOf>>

interface ReadDeps {
  readonly database: Queryable
}

type PreviewDeps = ReadDeps & Pick<SaveDeps, 'clock' | 'rules'>

/** Throws `not_found`. */
export async function showPayment(deps: ReadDeps, paymentId: string): Promise<PaymentFile> {
  const { payment } = await loadPayment(deps, paymentId)
  const { userId } = payment
  const [traces, stored, proofs] = await Promise.all([
    tracesOf(deps.database, payment),
    findTransfer(deps.database, { userId, paymentId }),
    listProofs(deps.database, { userId, paymentId }),
  ])
  return { payment, transfer: stored?.transfer ?? null, proofs, ...traces }
}

/** Asks the provider now. Throws `not_found`, `provider_unavailable` or `provider_rejected`. */
export async function recheckPayment(deps: SettleDeps, paymentId: string, by: By): Promise<PaymentFile> {
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
 * taken. Throws `already_refunded`, or `conflict` when nothing is under review or the provider no longer says that it has the
 * money.
 */
export async function acceptPayment(deps: SettleDeps, paymentId: string, by: By): Promise<PaymentFile> {
  const { payment } = await loadPayment(deps, paymentId)
  const { review } = payment
  if (payment.status !== 'review' || !review) throw await refusalByStatus(deps, payment)
  const report = await freshReport(deps, payment, review)
  const accepted = { event: null, source: 'operator', accepted: true } as const
  await settlePayment(deps, { ...accepted, report, by: { ...by, act: 'payment.accept' } })
  return showPayment(deps, paymentId)
}

/**
 * Records a refund that was made by hand at the provider. Throws `already_refunded`, or `conflict` when the payment is not
 * paid.
 */
export async function refundPayment(deps: SaveDeps, paymentId: string, by: By): Promise<PaymentFile> {
  await saveByHand(deps, { ...by, act: 'payment.refund' }, async (now) => {
    const loaded = await loadPayment(deps, paymentId)
    const { payment, user } = loaded
    const refund = decideRefund({ payment, subscription: user.subscription }, now, deps.rules)
    if (!refund) throw await refusalByStatus(deps, payment)
    return { ...loaded, userId: payment.userId, after: refund }
  })
  return showPayment(deps, paymentId)
}

export type RefundPreview = Awaited<ReturnType<typeof previewRefund>>

/** What `refundPayment` would do now. Throws what it would throw. */
export async function previewRefund(deps: PreviewDeps, paymentId: string) {
  const { payment, user } = await loadPayment(deps, paymentId)
  const { subscription } = user
  const now = deps.clock.now()
  const refund = decideRefund({ payment, subscription }, now, deps.rules)
  if (!refund) throw await refusalByStatus(deps, payment)
  return {
    payment,
    before: statusAt(subscription, now, deps.rules),
    after: statusAt(refund.subscription, now, deps.rules),
    moved: refund.moved.flatMap((to) =>
      subscription.periods.filter(({ sourceId }) => sourceId === to.sourceId).map((from) => ({ from, to })),
    ),
    events: refund.events,
  }
}

async function refusalByStatus({ database }: ReadDeps, payment: Payment): Promise<BillingError> {
  const { userId, id: paymentId, status } = payment
  if (status !== 'refunded') return new BillingError('conflict', { extra: { payment_status: status } })
  const at = await findRefundInstant(database, { userId, paymentId })
  const since = at === null ? {} : { refunded_at: toTimestamp(at) }
  return new BillingError('already_refunded', { extra: { payment_status: status, ...since } })
}

export async function loadPayment(deps: ReadDeps, paymentId: string) {
  const loaded = await findPaymentWithUser(deps.database, paymentId)
  if (!loaded) throw new BillingError('not_found', { extra: { payment_id: paymentId } })
  return loaded
}

async function freshReport(deps: SettleDeps, payment: Payment, review: Review): Promise<CheckoutReport> {
  const answer = await deps.methods.of(payment.method).getCheckout(review.checkoutId)
  if (!answer.ok) {
    deps.log.warn({ payment_id: payment.id, failure: answer.failure }, 'accepted without a fresh look')
    return reportOfReview(payment, review)
  }
  const status = answer.value?.status ?? 'unknown'
  const isFinal = status !== 'pending' && status !== 'processing' && status !== 'unknown'
  if (answer.value && isFinal) return answer.value
  throw new BillingError('conflict', { extra: { payment_status: 'review', provider_status: status } })
}

function reportOfReview(payment: Payment, review: Review): CheckoutReport {
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

/** What fits on a screen; the rest is read with `payments list --user`. */
const SHOWN_MAX = 50

/** Throws `not_found`. */
export async function showUser(deps: SaveDeps, userId: string) {
  const now = deps.clock.now()
  const user = await loadUser(deps, userId)
  const wanted = { userId, status: null, way: null, limit: SHOWN_MAX }
  return {
    user,
    subscription: statusAt(user.subscription, now, deps.rules),
    payments: await newestPayments(deps.database, wanted, now),
    grants: await grantsOfUser(deps.database, userId, SHOWN_MAX),
    audit: await actsOnUser(deps.database, userId, SHOWN_MAX),
  }
}

/** Ends their access now. What was paid stays paid. Throws `not_found`, or `conflict` when there is no access to end. */
export async function endUser(deps: SaveDeps, userId: string, by: By): Promise<UserFile> {
  await saveByHand(deps, { ...by, act: 'user.end' }, async (now) => {
    const user = await loadUser(deps, userId)
    const after = decideEnd(user.subscription, now, deps.rules)
    if (!after) throw new BillingError('conflict')
    return { userId, user, payment: null, after }
  })
  return showUser(deps, userId)
}

export interface GrantDeps extends SaveDeps {
  readonly catalogue: Catalogue
}

/**
 * Grants days: the end moves by exactly so many times 24 hours; without paid time they begin now. Nothing that was paid
 * changes, and an open checkout stays payable. What was granted under the same `operationId` is not granted again.
 * Throws `not_found`, `unknown_plan`, `plan_not_purchasable`, or `conflict` where the user has another plan, or the operation
 * granted another number of days.
 */
export async function grantDays(
  deps: GrantDeps,
  userId: string,
  wanted: { readonly days: number; readonly planId: string | null; readonly operationId: string | null },
  by: By,
): Promise<UserFile> {
  const { days, planId, operationId } = wanted
  await saveByHand(deps, { ...by, act: 'user.grant' }, async (now) => {
    const user = await loadUser(deps, userId)
    const known = operationId === null ? null : await findGrantByOperation(deps.database, userId, operationId)
    if (known && known.days !== days) throw new BillingError('conflict', { extra: { days: known.days } })
    if (known) return null
    const { subscription } = user
    const plan = planToGrant(subscription, planId, deps.catalogue, now, deps.rules)
    if (plan === 'other_plan') {
      throw new BillingError('conflict', { extra: { plan: subscription.periods.at(-1)?.plan.id } })
    }
    if (typeof plan === 'string') throw new BillingError(plan)
    const id = deps.ids.next('grt', now)
    const after = decideGrant(subscription, { id, plan, days, operationId }, now, deps.rules)
    return { userId, user, payment: null, after }
  })
  return showUser(deps, userId)
}

async function loadUser({ database }: Pick<SaveDeps, 'database'>, userId: string) {
  const user = await findUser(database, userId)
  if (!user) throw new BillingError('not_found', { extra: { user_id: userId } })
  return user
}
