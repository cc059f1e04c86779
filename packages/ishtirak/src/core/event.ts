// Events to the platform. Each event carries the resulting state, so that a receiver need not ask for it, and
// a sequence number that orders the events of one user. `eventContent` stores only what may be different
// later. `renderEvent` adds the rest from the payment's row when the event is sent.
import type { Announcement } from './announcement.js'
import { balanceIn, type NewEntry } from './balance.js'
import type { ChangeOfEvent } from './change.js'
import type { Grant } from './decision.js'
import { type CauseOf, describedEvent, type EventType } from './event-types.js'
import { type Instant, timestampOrNull, toTimestamp } from './instant.js'
import { publicMethodOf, publicStatusAt, type ShownPayment } from './payment.js'
import { isSamePlan, type Plan } from './plan.js'
import { isTrial, renewsAt, type Subscription, type SubscriptionFacts } from './subscription.js'
import { withoutNulls } from './without-nulls.js'

interface BalanceOfEvent {
  readonly facts: Pick<SubscriptionFacts, 'balance' | 'paidUntil' | 'endedAt'>
  /** The entry that changed the balance; absent: none did. */
  readonly entry?: EntryOfEvent | undefined
}

type GrantFacts = Pick<Grant, 'id' | 'plan' | 'months' | 'days' | 'start' | 'end'>

interface EventCause {
  readonly subscription: Pick<Subscription, 'plan' | 'status' | 'currentPeriodEnd' | 'instrument'>
  readonly payment: (ShownPayment & { readonly plan: Plan | null }) | null
  /** Set if the passing of time is the cause, and not a payment. */
  readonly announcement?: Pick<Announcement, 'boundary' | 'at' | 'skipped'>
  readonly grant?: GrantFacts | undefined
  readonly change?: ChangeOfEvent | undefined
  /** Why an operator refused the payment. */
  readonly reason?: string | undefined
  readonly balance?: BalanceOfEvent
}

/** What is stored for a revision's events: no nulls, and nothing that the payment's row keeps for ever. */
export type EventContent = ReturnType<typeof eventContent>

export function eventContent(types: readonly EventType[], of: EventCause, now: Instant) {
  const { subscription, payment, reason, announcement, grant, balance, change } = of
  const { plan, status, currentPeriodEnd, instrument } = subscription
  const carried = (cause: 'balance' | 'change') =>
    types.some((type) => describedEvent(type).carries.includes(cause))
  const isOtherPlan = !(payment?.plan && isSamePlan(payment.plan, plan))
  const end = timestampOrNull(currentPeriodEnd)
  return {
    subscription: {
      ...withoutNulls({ plan: plan.id, status, current_period_end: end, payment_method: instrument }),
      ...(isOtherPlan && { limits: plan.limits }),
    },
    ...(payment && { payment: withoutNulls(describePaymentState(payment, now)) }),
    ...(reason !== undefined && { reason }),
    ...(announcement && { announcement: describeAnnouncement(announcement) }),
    ...(grant && { grant: describeGrant(grant) }),
    ...(balance && carried('balance') && { balance: describeEntered(balance, now) }),
    ...(change && carried('change') && { change: describePlanChange(change) }),
  }
}

/** The body of one event, ready to be signed. Timestamps are UTC without fraction, money whole dinars. */
export type PlatformEvent = ReturnType<typeof describeEvent>

type Data = PlatformEvent['data']

/**
 * The event as a host receives it. Later versions add values of `type`. Notices of capabilities, such as
 * `books.sealed`, are about no user and arrive in the same way.
 */
export type HostEvent = {
  [Type in EventType]: {
    /** Stays the same if an event is delivered again. */
    readonly id: string
    readonly type: Type
    readonly timestamp: string
    readonly data: Data & Required<Pick<Data, CauseOf<Type>>>
  }
}[EventType]

export interface WrittenEvent {
  readonly userId: string
  readonly sequence: number
  readonly type: EventType
  readonly createdAt: Instant
  readonly content: EventContent
  /** It has the limits of the plan as sold. The content has limits only if those in effect differ. */
  readonly payment:
    | (OrderedPayment & { readonly currency: string; readonly plan: Pick<Plan, 'limits'> | null })
    | null
}

/** Returns the same bytes for the same event at every attempt. */
export function renderEvent(event: WrittenEvent): string {
  return JSON.stringify(orderedEvent(event))
}

/** The event as `renderEvent` writes it, with its members in the order of the bytes. */
export function orderedEvent(event: WrittenEvent) {
  const { type, timestamp, data } = describeEvent(event)
  return { type, timestamp, data: inOrder(data) }
}

/** Sorts by length of the name, then alphabetically: an order that needs no list of names. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (value === null || typeof value !== 'object') return value
  const before = ([one]: [string, unknown], [other]: [string, unknown]) =>
    one.length - other.length || (one < other ? -1 : 1)
  return Object.fromEntries(
    Object.entries(value)
      .sort(before)
      .map(([name, member]) => [name, inOrder(member)]),
  )
}

function describeEvent({ userId, sequence, type, createdAt, content, payment }: WrittenEvent) {
  const { reason, announcement, grant, balance, change } = content
  const { carries } = describedEvent(type)
  return {
    type,
    timestamp: toTimestamp(createdAt),
    data: {
      user_id: userId,
      sequence,
      subscription: {
        ...{ current_period_end: null, payment_method: null, limits: payment?.plan?.limits ?? {} },
        ...content.subscription,
      },
      ...(payment &&
        content.payment && {
          payment: { ...describeOrder(payment, payment.currency), ...NO_STATE, ...content.payment },
        }),
      ...(reason !== undefined && { reason }),
      ...(announcement && { announcement }),
      ...(grant && { grant }),
      ...(balance && carries.includes('balance') && { balance }),
      ...(change && carries.includes('change') && { change }),
    },
  }
}

/** What the platform sees of a payment. Its user sees the same without the metadata. */
export function describePayment(payment: ShownPayment, now: Instant) {
  const { currency } = payment.price
  return Object.assign(describeOrder(payment, currency), describePaymentState(payment, now))
}

/** The fields that a payment's row keeps for ever. */
interface OrderedPayment extends Pick<ShownPayment, 'id' | 'kind' | 'months' | 'method'> {
  readonly plan: Pick<Plan, 'id'> | null
}

function describeOrder({ id, kind, plan, months, method }: OrderedPayment, currency: string) {
  return { id, kind, plan: plan?.id ?? null, months, currency, method: publicMethodOf(method) }
}

/** The fields that can change later: by a refund, by new metadata, or when a person is erased. */
function describePaymentState(payment: ShownPayment, now: Instant) {
  return {
    bought_by: payment.boughtBy,
    amount: payment.price.amount,
    amount_asked: payment.amountAsked,
    status: publicStatusAt(payment, now),
    payment_method: payment.instrument,
    paid_at: timestampOrNull(payment.paidAt),
    period_start: timestampOrNull(payment.periodStart),
    period_end: timestampOrNull(payment.periodEnd),
    ...(payment.metadata && { metadata: payment.metadata }),
  }
}

/** The fields of the state that are null if nothing is stored for them. */
const NO_STATE = {
  ...{ bought_by: null, amount_asked: null, payment_method: null },
  ...{ paid_at: null, period_start: null, period_end: null },
}

export interface EntryOfEvent extends Omit<NewEntry, 'at'> {
  readonly id: string
  readonly balanceAfter: number
  readonly createdAt: Instant
}

export function describeEntry({ id, kind, amount, balanceAfter, paymentId, note, createdAt }: EntryOfEvent) {
  return {
    ...{ id, kind, amount, balance_after: balanceAfter, payment_id: paymentId, note },
    created_at: toTimestamp(createdAt),
  }
}

/** Null: no standing order. `next_at`: when it buys, if the money is there; null: when there is enough. */
export function describeStandingOrder(
  { balance, paidUntil, endedAt }: BalanceOfEvent['facts'],
  now: Instant,
) {
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

/** The balance as the platform, the user and the operator see it. */
export function describeBalance(facts: BalanceOfEvent['facts'], now: Instant) {
  return { amount: balanceIn(facts), currency: 'DZD', renewal: describeStandingOrder(facts, now) }
}

function describeEntered({ facts, entry }: BalanceOfEvent, now: Instant) {
  return { ...describeBalance(facts, now), entry: entry ? describeEntry(entry) : null }
}

function describeAnnouncement({ boundary, at, skipped }: Pick<Announcement, 'boundary' | 'at' | 'skipped'>) {
  return { boundary, at: toTimestamp(at), skipped }
}

function describePlanChange({ from, to, at, until }: ChangeOfEvent) {
  return { from: from.id, to: to.id, at: toTimestamp(at), until: toTimestamp(until) }
}

export function describeGrant(grant: GrantFacts) {
  const { id, plan, months, days, start, end } = grant
  const given = isTrial({ sourceId: id }) ? ('trial' as const) : ('operator' as const)
  return {
    id,
    source: days > 0 ? given : ('code' as const),
    plan: plan.id,
    months,
    days,
    period_start: toTimestamp(start),
    period_end: toTimestamp(end),
  }
}
