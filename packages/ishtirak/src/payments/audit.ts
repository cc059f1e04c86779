// How an act of the operator is written down: name, reason, and the facts before and after. Only facts about
// money: no address, no token, nothing of the provider's account.
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { MovedPeriod } from '../core/refund.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { Queryable } from '../database/database.js'
import type { Clock } from '../runtime/clock.js'
import type { Ids } from '../runtime/random.js'
import { type AuditEntry, insertAct } from './audit.sql.js'

/** Who acts, and why. A reason is required wherever money or access changes. */
export interface By {
  readonly operator: string
  readonly reason: string | null
}

export interface OperatorAct extends By {
  /** `payment.refund`, `user.end`, … */
  readonly act: string
}

export interface AuditDeps {
  readonly database: Queryable
  readonly clock: Clock
  readonly ids: Ids
}

/** Writes down an act that changes no money: a look at the provider that found nothing, an export. */
export function recordAct(
  { database, clock, ids }: AuditDeps,
  { operator, act, reason }: OperatorAct,
  of: {
    /** Absent: the act is about no single user. */
    readonly userId?: string
    readonly paymentId?: string
    readonly before?: object
    readonly after?: object
  } = {},
): Promise<void> {
  const now = clock.now()
  const { userId = '', paymentId = null, before = {}, after = {} } = of
  const entry = { id: ids.next('act', now), actor: operator, act, reason, paymentId, before, after }
  return insertAct(database, { ...entry, userId, now })
}

export interface AuditedFacts {
  readonly payment: Payment | null
  readonly subscription: SubscriptionFacts
  /** Other payments whose months a refund moves. */
  readonly moved?: readonly MovedPeriod[]
}

export function describeAct(
  { ids }: { readonly ids: Ids },
  { operator, act, reason }: OperatorAct,
  facts: { readonly paymentId: string | null; readonly before: AuditedFacts; readonly after: AuditedFacts },
  now: Instant,
): AuditEntry {
  return {
    id: ids.next('act', now),
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
