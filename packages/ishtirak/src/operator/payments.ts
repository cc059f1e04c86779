// The operator's hand on one payment: look, ask the provider again, take what differs, record a refund. Each act is one
// guarded change with its line in the audit trail. It moves no money: that is done by hand at the provider.
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { Payment, PublicPaymentStatus, Review } from '../core/payment.js'
import { decideRefund } from '../core/refund.js'
import type { OperatorAct } from '../payments/audit.js'
import { actsOnPayment, findRefundInstant, type RecordedAct, recordAct } from '../payments/audit.sql.js'
import { lookUpPayment } from '../payments/look-up-payment.js'
import type { Parts } from '../payments/parts.js'
import type { ProviderFailure } from '../payments/provider.js'
import { saveByHand } from '../payments/save.js'
import { settlePayment } from '../payments/settle.js'
import { findPaymentWithUser, newestPayments, type PaymentTraces, tracesOf } from './operator.sql.js'

/** Everything known of one payment. */
export interface PaymentFile extends PaymentTraces {
  readonly payment: Payment
  readonly acts: readonly RecordedAct[]
}

/** Who acts, and why; a reason is required by those that change money or access. */
export interface By {
  readonly operator: string
  readonly reason: string | null
}

export function listPaymentsOfAll(
  parts: Parts,
  wanted: {
    readonly userId: string | null
    readonly status: PublicPaymentStatus | null
    readonly limit: number
  },
): Promise<readonly Payment[]> {
  return newestPayments(parts.database, wanted, parts.clock.now())
}

/** Throws `not_found`. */
export async function showPayment(parts: Parts, paymentId: string): Promise<PaymentFile> {
  const { payment } = await load(parts, paymentId)
  const of = { userId: payment.userId, paymentId }
  return {
    payment,
    ...(await tracesOf(parts.database, payment)),
    acts: await actsOnPayment(parts.database, of),
  }
}

/** Asks the provider now. Throws `not_found`, `provider_unavailable` or `provider_rejected`. */
export async function recheckPayment(parts: Parts, paymentId: string, by: By): Promise<PaymentFile> {
  const { payment } = await load(parts, paymentId)
  const act: OperatorAct = { ...by, act: 'payment.recheck' }
  const lookup = await lookUpPayment(parts, payment, { source: 'operator', by: act })
  if (lookup.kind === 'failed') throw refusalOf(lookup.failure)
  if (lookup.kind === 'not_there') {
    const now = parts.clock.now()
    const status = { status: payment.status }
    await recordAct(parts.database, {
      id: parts.ids.next('act', now),
      userId: payment.userId,
      actor: by.operator,
      act: act.act,
      reason: by.reason,
      paymentId,
      before: status,
      after: { ...status, at_provider: null },
      now,
    })
  }
  return showPayment(parts, paymentId)
}

/**
 * Takes a payment under review as it is. The provider is asked once more; where it is out of reach, what it said then is
 * taken. Throws `conflict` when nothing is under review, or when the provider no longer says that it has the money.
 */
export async function acceptPayment(parts: Parts, paymentId: string, by: By): Promise<PaymentFile> {
  const { payment } = await load(parts, paymentId)
  const { review } = payment
  if (payment.status !== 'review' || !review) {
    throw new BillingError('conflict', { extra: { payment_status: payment.status } })
  }
  const report = await freshReport(parts, payment, review)
  await settlePayment(parts, {
    report,
    event: null,
    source: 'operator',
    accepted: true,
    by: { ...by, act: 'payment.accept' },
  })
  return showPayment(parts, paymentId)
}

/**
 * Records a refund that was made by hand at the provider. Throws `already_refunded`, or `conflict` when the payment is not
 * paid.
 */
export async function refundPayment(parts: Parts, paymentId: string, by: By): Promise<PaymentFile> {
  await saveByHand(parts, { ...by, act: 'payment.refund' }, async (now) => {
    const loaded = await load(parts, paymentId)
    const { payment, user } = loaded
    const refund = decideRefund({ payment, subscription: user.subscription }, now, parts.terms)
    if (!refund) throw await refundRefusal(parts, payment)
    return { ...loaded, userId: payment.userId, after: refund }
  })
  return showPayment(parts, paymentId)
}

async function refundRefusal({ database }: Parts, payment: Payment): Promise<BillingError> {
  const { userId, id: paymentId, status } = payment
  if (status !== 'refunded') return new BillingError('conflict', { extra: { payment_status: status } })
  const at = await findRefundInstant(database, { userId, paymentId })
  const since = at === null ? {} : { refunded_at: toTimestamp(at) }
  return new BillingError('already_refunded', { extra: { payment_status: status, ...since } })
}

async function load(parts: Parts, paymentId: string) {
  const loaded = await findPaymentWithUser(parts.database, paymentId)
  if (!loaded) throw new BillingError('not_found', { extra: { payment_id: paymentId } })
  return loaded
}

async function freshReport(parts: Parts, payment: Payment, review: Review): Promise<CheckoutReport> {
  const answer = await parts.provider.getCheckout(review.checkoutId)
  if (!answer.ok) {
    parts.log.warn({ payment_id: payment.id, failure: answer.failure }, 'accepted without a fresh look')
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
    checkoutId,
    status,
    amount,
    currency,
    live: null,
    paymentId: payment.id,
    userId: payment.userId,
    paymentMethod: payment.paymentMethod,
    checkoutUrl: payment.checkoutUrl,
    createdAt: null,
    updatedAt: paidAt,
  }
}

function refusalOf(failure: ProviderFailure): BillingError {
  if (failure.kind === 'rejected') return new BillingError('provider_rejected')
  return new BillingError('provider_unavailable', { retryAfterSeconds: failure.retryAfterSeconds ?? 5 })
}
