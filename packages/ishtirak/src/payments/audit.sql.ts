// The audit trail: who did what, when and why, with the facts about money before and after; no address, no token, nothing of
// the provider's account. Rows are added with the act they tell of and never changed: the database refuses it.
import { describeGrant } from '../core/event.js'
import type { Grant } from '../core/grant.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { MovedPeriod } from '../core/refund.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instantOrNull } from '../database/rows.js'
import type { Clock } from '../runtime/clock.js'
import type { Ids } from '../runtime/random.js'

/** Who acts, and why. A reason is required wherever money or access changes. */
export interface By {
  /** The operator's name, from the key or from the command line. */
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

const insert = statement(
  'audit.insert',
  `insert into audit (user_id, id, acted_at, actor, act, reason, payment_id, before, after)
   select $2, id, $3::timestamptz, actor, act, reason, payment_id, before, after
     from jsonb_populate_record(null::audit, $1::jsonb)`,
)

/** Writes down an act that changes no money: a look at the provider that found nothing, an export. */
export async function recordAct(
  { database, clock, ids }: AuditDeps,
  by: OperatorAct,
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
  const entry = auditEntry(ids, by, { paymentId, before, after, now })
  await database.query(insert, [JSON.stringify(entry), userId, at(now)])
}

export interface AuditedFacts {
  readonly payment: Payment | null
  readonly subscription: SubscriptionFacts
  /** The periods of other payments, codes and grants that a refund moves. */
  readonly moved: readonly MovedPeriod[]
  readonly grant?: Grant | null
}

/** An act that changes money, for the statement that saves the change. */
export function describeAct(
  ids: Ids,
  by: OperatorAct,
  facts: { readonly before: AuditedFacts; readonly after: AuditedFacts },
  now: Instant,
) {
  const paymentId = facts.before.payment?.id ?? null
  const [before, after] = [describeFacts(facts.before), describeFacts(facts.after)]
  return auditEntry(ids, by, { paymentId, before, after, now })
}

export type AuditEntry = ReturnType<typeof auditEntry>

/** In the columns of its row. */
export function auditEntry(
  ids: Ids,
  { operator, act, reason }: OperatorAct,
  of: {
    readonly paymentId: string | null
    readonly before: object
    readonly after: object
    readonly now: Instant
  },
) {
  const { paymentId, before, after, now } = of
  return { id: ids.next('act', now), actor: operator, act, reason, payment_id: paymentId, before, after }
}

function describeFacts({ payment, subscription, moved, grant }: AuditedFacts) {
  return {
    ...(payment && { payment: describePayment(payment) }),
    subscription: {
      anchor_at: timestampOrNull(subscription.run?.anchorAt),
      months: subscription.run?.months ?? 0,
      paid_until: timestampOrNull(subscription.paidUntil),
      ended_at: timestampOrNull(subscription.endedAt),
    },
    ...(moved.length > 0 && { moved_periods: moved.map(describeMoved) }),
    ...(grant && { grant: describeGrant(grant) }),
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

function describeMoved({ sourceId, periodStart, periodEnd }: MovedPeriod) {
  return { id: sourceId, period_start: toTimestamp(periodStart), period_end: toTimestamp(periodEnd) }
}

const selectRefund = statement(
  'audit.refund',
  `select max(acted_at) as refunded_at from audit
    where user_id = $1 and payment_id = $2 and act = 'payment.refund'`,
)

/** When the refund of a payment was recorded; null: never. */
export async function findRefundInstant(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string },
): Promise<Instant | null> {
  const [row] = await database.query(selectRefund, [of.userId, of.paymentId])
  return row ? instantOrNull(row, 'refunded_at') : null
}
