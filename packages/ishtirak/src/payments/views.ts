// What the core knows, as the API writes it: the schemas' fields, timestamps as text.
import type { Static } from 'typebox'
import { describePayment } from '../core/event.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import { isPayable, type Payment } from '../core/payment.js'
import type { Subscription } from '../core/subscription.js'
import type { BillingStatusSchema, PaymentSchema } from './schemas.js'

export function viewStatus(subscription: Subscription): Static<typeof BillingStatusSchema> {
  return {
    plan: subscription.plan.id,
    status: subscription.status,
    current_period_end: timestampOrNull(subscription.currentPeriodEnd),
    payment_method: subscription.instrument,
  }
}

export function viewPayment(payment: Payment, now: Instant, publicUrl: string): Static<typeof PaymentSchema> {
  const hasReceipt = payment.status === 'paid' || payment.status === 'refunded'
  return {
    ...describePayment(payment, now),
    checkout_url: isPayable(payment, now) ? payment.checkoutUrl : null,
    created_at: toTimestamp(payment.createdAt),
    expires_at: toTimestamp(payment.expiresAt),
    receipt_url: hasReceipt ? `${publicUrl}/api/v1/billing/payments/${payment.id}/receipt` : null,
  }
}
