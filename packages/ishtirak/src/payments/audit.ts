// How an act of the operator is written down: his name, his reason, and the facts before and after. Only facts about
// money: no address, no token, nothing of the provider's account.
import { type Instant, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { MovedPeriod } from '../core/refund.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { AuditEntry } from './audit.sql.js'
import type { Parts } from './parts.js'

/** Who acts, and why. A reason is wanted wherever money or access changes. */
export interface OperatorAct {
  readonly operator: string
  readonly act: string
  readonly reason: string | null
}

export interface AuditedFacts {
  readonly payment: Payment | null
  readonly subscription: SubscriptionFacts
  /** Other payments whose months a refund moves. */
  readonly moved?: readonly MovedPeriod[]
}

export function describeAct(
  parts: Parts,
  { operator, act, reason }: OperatorAct,
  facts: { readonly paymentId: string | null; readonly before: AuditedFacts; readonly after: AuditedFacts },
  now: Instant,
): AuditEntry {
  return {
    id: parts.ids.next('act', now),
    actor: operator,
    act,
    reason,
    paymentId: facts.paymentId,
    before: describeFacts(facts.before),
    after: describeFacts(facts.after),
  }
}

function describeFacts({ payment, subscription, moved = [] }: AuditedFacts) {
  return {
    ...(payment ? { payment: describePayment(payment) } : {}),
    subscription: {
      anchor_at: timestampOrNull(subscription.run?.anchorAt),
      months: subscription.run?.months ?? 0,
      paid_until: timestampOrNull(subscription.paidUntil),
      ended_at: timestampOrNull(subscription.endedAt),
    },
    ...(moved.length > 0 ? { moved_payments: moved.map(describeMoved) } : {}),
  }
}

function describePayment(payment: Payment) {
  return {
    id: payment.id,
    status: payment.status,
    checkout_id: payment.checkoutId,
    paid_at: timestampOrNull(payment.paidAt),
    period_start: timestampOrNull(payment.periodStart),
    period_end: timestampOrNull(payment.periodEnd),
  }
}

function describeMoved({ paymentId, periodStart, periodEnd }: MovedPeriod) {
  return { id: paymentId, period_start: toTimestamp(periodStart), period_end: toTimestamp(periodEnd) }
}

function timestampOrNull(instant: Instant | null | undefined): string | null {
  return instant === null || instant === undefined ? null : toTimestamp(instant)
}
