// Events to the platform. Each event carries the resulting state, so that a receiver need not ask for it, and
// a sequence number that orders the events of one user.
import type { Announcement, MailKey } from './announcement.js'
import { balanceIn, type NewEntry } from './balance.js'
import type { ToldChange } from './change.js'
import { type CauseOf, describedEvent, type EventType } from './event-types.js'
import type { Grant } from './grant.js'
import { type Instant, timestampOrNull, toTimestamp } from './instant.js'
import { kindOf, publicStatusAt, type ShownPayment } from './payment.js'
import { renewsAt, type Subscription, type SubscriptionFacts } from './subscription.js'

/** An event as it is saved, with the mail that the user is owed for the same reason. */
export interface NewEvent {
  readonly id: string
  readonly event: PlatformEvent
  readonly mail: MailKey | null
}

interface ToldBalance {
  readonly facts: Pick<SubscriptionFacts, 'balance' | 'paidUntil' | 'endedAt'>
  /** What changed it; absent: nothing did. */
  readonly entry?: ToldEntry | undefined
}

type ToldAnnouncement = Pick<Announcement, 'boundary' | 'at' | 'skipped'>
type ToldGrant = Pick<Grant, 'id' | 'plan' | 'months' | 'days' | 'start' | 'end'>

/** The body of one event, ready to be signed. Timestamps are UTC without fraction, money whole dinars. */
export type PlatformEvent = ReturnType<typeof describeEvent>

type Data = PlatformEvent['data']

/** As a host is given it. Discriminated by `type`: later versions have more of them. */
export type HostEvent = {
  [Type in EventType]: {
    /** The same when an event comes again. */
    readonly id: string
    readonly type: Type
    readonly timestamp: string
    readonly data: Data & Required<Pick<Data, CauseOf<Type>>>
  }
}[EventType]

export function describeEvent(
  type: EventType,
  of: {
    readonly userId: string
    readonly sequence: number
    readonly subscription: Pick<Subscription, 'plan' | 'status' | 'currentPeriodEnd' | 'instrument'>
    readonly payment: ShownPayment | null
    /** Only where time brought it about, not a payment. */
    readonly announcement?: ToldAnnouncement
    /** Only of time that no payment bought. */
    readonly grant?: ToldGrant | null
    /** Only of another plan in mid-term. */
    readonly change?: ToldChange | null | undefined
    /** Why an operator refused the payment. */
    readonly reason?: string | undefined
    /** For events of the balance. */
    readonly balance?: ToldBalance
    readonly now: Instant
  },
) {
  const { plan, status, currentPeriodEnd, instrument } = of.subscription
  const { carries } = describedEvent(type)
  return {
    type,
    timestamp: toTimestamp(of.now),
    data: {
      user_id: of.userId,
      sequence: of.sequence,
      subscription: {
        plan: plan.id,
        status,
        current_period_end: timestampOrNull(currentPeriodEnd),
        payment_method: instrument,
        limits: plan.limits,
      },
      ...(of.payment ? { payment: describePayment(of.payment, of.now) } : {}),
      ...(of.reason === undefined ? {} : { reason: of.reason }),
      ...(of.announcement ? { announcement: describeAnnouncement(of.announcement) } : {}),
      ...(of.grant ? { grant: describeGrant(of.grant) } : {}),
      ...(of.balance && carries.includes('balance') ? { balance: describeBalance(of.balance, of.now) } : {}),
      ...(of.change && carries.includes('change') ? { change: describePlanChange(of.change) } : {}),
    },
  }
}

/** What the platform and the user both see of a payment. */
export function describePayment(payment: ShownPayment, now: Instant) {
  return {
    id: payment.id,
    bought_by: payment.boughtBy,
    kind: payment.kind,
    plan: payment.plan?.id ?? null,
    months: payment.months,
    amount: payment.price.amount,
    amount_asked: payment.amountAsked,
    currency: payment.price.currency,
    status: publicStatusAt(payment, now),
    method: kindOf(payment.method),
    payment_method: payment.instrument,
    paid_at: timestampOrNull(payment.paidAt),
    period_start: timestampOrNull(payment.periodStart),
    period_end: timestampOrNull(payment.periodEnd),
  }
}

/** An entry of the ledger, as it is stored. */
export interface ToldEntry extends Omit<NewEntry, 'at'> {
  readonly id: string
  readonly balanceAfter: number
  readonly createdAt: Instant
}

/** What the platform and the user both see of an entry. */
export function describeEntry({ id, kind, amount, balanceAfter, paymentId, note, createdAt }: ToldEntry) {
  return {
    ...{ id, kind, amount, balance_after: balanceAfter, payment_id: paymentId, note },
    created_at: toTimestamp(createdAt),
  }
}

/** Null: no order. `next_at`: when it buys, if the money is there; null: once there is enough. */
export function describeOrder({ balance, paidUntil, endedAt }: ToldBalance['facts'], now: Instant) {
  const order = balance?.order
  if (!order) return null
  const isToCome = endedAt === null && paidUntil !== null && paidUntil > now
  const nextAt = renewsAt({ balance, paidUntil, endedAt }) ?? (isToCome ? paidUntil : null)
  return {
    ...{ plan: order.plan.id, months: order.months, price: order.price },
    next_at: timestampOrNull(nextAt),
    offered_price: order.offered?.price ?? null,
  }
}

function describeBalance({ facts, entry }: ToldBalance, now: Instant) {
  return {
    amount: balanceIn(facts),
    currency: 'DZD',
    renewal: describeOrder(facts, now),
    entry: entry ? describeEntry(entry) : null,
  }
}

function describeAnnouncement({ boundary, at, skipped }: ToldAnnouncement) {
  return { boundary, at: toTimestamp(at), skipped }
}

function describePlanChange({ from, to, at, until }: ToldChange) {
  return { from: from.id, to: to.id, at: toTimestamp(at), until: toTimestamp(until) }
}

/** What the platform and the operator both see of a grant. */
export function describeGrant({ id, plan, months, days, start, end }: ToldGrant) {
  return {
    id,
    source: days > 0 ? ('operator' as const) : ('code' as const),
    plan: plan.id,
    months,
    days,
    period_start: toTimestamp(start),
    period_end: toTimestamp(end),
  }
}
