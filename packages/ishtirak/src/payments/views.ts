// What the domain knows, as the API writes it: field names of the documents, timestamps as text.
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import { isPayable, type Payment, publicStatusAt } from '../core/payment.js'
import type { Subscription } from '../core/subscription.js'

export function viewStatus(subscription: Subscription) {
  return {
    plan: subscription.plan.id,
    status: subscription.status,
    current_period_end: timestampOrNull(subscription.currentPeriodEnd),
    payment_method: subscription.instrument,
  }
}

export function viewPayment(payment: Payment, now: Instant, publicUrl: string) {
  const hasReceipt = payment.status === 'paid' || payment.status === 'refunded'
  return {
    id: payment.id,
    plan: payment.plan.id,
    amount: payment.price.amount,
    currency: payment.price.currency,
    status: publicStatusAt(payment, now),
    payment_method: payment.instrument,
    checkout_url: isPayable(payment, now) ? payment.checkoutUrl : null,
    created_at: toTimestamp(payment.createdAt),
    expires_at: toTimestamp(payment.expiresAt),
    paid_at: timestampOrNull(payment.paidAt),
    period_start: timestampOrNull(payment.periodStart),
    period_end: timestampOrNull(payment.periodEnd),
    receipt_url: hasReceipt ? `${publicUrl}/api/v1/billing/payments/${payment.id}/receipt` : null,
  }
}
