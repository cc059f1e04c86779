// What the core knows, as the API writes it: the schemas' fields, timestamps as text.
import type { Static, TObject, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { describePayment } from '../core/event.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import { isPayable, type Payment } from '../core/payment.js'
import type { Subscription } from '../core/subscription.js'
import type { Row } from '../database/database.js'
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

/**
 * Rows whose columns are named as the schema's members, for what is read to be shown and nothing else. Instants, which the
 * database gives as numbers, become timestamps where the schema says so. Throws when a row does not fit.
 */
export function viewRows<Schema extends TObject>(schema: Schema, rows: readonly Row[]): Static<Schema>[] {
  const members = Object.entries(schema.properties)
  const viewed = (member: TSchema, value: unknown) =>
    typeof value === 'number' && !Value.Check(member, value) ? toTimestamp(value) : value
  return rows.map((row) => {
    const view = Object.fromEntries(members.map(([name, member]) => [name, viewed(member, row[name])]))
    if (Value.Check(schema, view)) return view
    throw new TypeError(`a row does not fit its schema: ${JSON.stringify(Value.Errors(schema, view)[0])}`)
  })
}
