// What follows when an operator gives money back or ends a user's access. Pure. Paid or granted time is never
// shortened: if a period is refunded, the later ones move up.
import { balanceIn, type NewEntry, withEntry } from './balance.js'
import { type ChangeOfEvent, changedStretch, lastChangeOn, withoutChange } from './change.js'
import type { Decision, MovedPeriod } from './decision.js'
import type { EventType } from './event-types.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import {
  type BillingRules,
  type Calendar,
  type PaidPeriod,
  type PaidRun,
  paidUntil,
  type SubscriptionFacts,
  statusAt,
  timeAfter,
} from './subscription.js'

export interface Refund extends Decision {
  readonly payment: Payment
  /** Equal to the one before if access stays. */
  readonly subscription: SubscriptionFacts
  readonly moved: readonly MovedPeriod[]
}

/** `changeFirst`: a plan change on what it bought has to be refunded first. Null: it is not paid. */
export function decideRefund(
  facts: { readonly payment: Payment; readonly subscription: SubscriptionFacts },
  now: Instant,
  rules: BillingRules,
): Refund | { readonly changeFirst: string } | null {
  const { payment, subscription } = facts
  if (payment.status !== 'paid') return null
  const changeFirst = lastChangeOn(subscription, payment.id, now)
  if (changeFirst !== null) return { changeFirst }
  const unchanged = withoutChange(subscription, payment.id, now)
  const after = withoutPeriod(unchanged, payment.id, now, rules.calendar)
  const isEnd = after.endedAt !== null && subscription.endedAt === null
  const change = isEnd ? null : changeByRefund(subscription, unchanged, payment.id, now, rules)
  const event: EventType | null = isEnd ? 'subscription.canceled' : change && 'subscription.changed'
  return {
    payment: { ...payment, status: 'refunded' },
    subscription: after,
    // The refunded payment keeps its period as it was.
    moved: movedBetween(unchanged.periods, after.periods).filter(({ sourceId }) => sourceId !== payment.id),
    events: ['payment.refunded', ...(event ? [event] : [])],
    ...(change && { change }),
  }
}

/**
 * Adds the balance entry of the refund. A refund to the balance adds money. A refund by hand removes what the
 * payment had put on the balance. `missing`: the balance has less than the refund takes from it.
 */
export function withBalanceEntry(
  refund: Refund,
  of: {
    /** False: the operator pays it back by hand. */
    readonly toBalance: boolean
    /** What is on the balance already, in whole dinars: all of a top-up, or what a plan change left over. */
    readonly onBalance: number
  },
  at: Instant,
): Refund | { readonly missing: number } {
  const { payment, subscription, events } = refund
  const { toBalance, onBalance } = of
  const amount = toBalance ? payment.price.amount - onBalance : -onBalance
  if (amount === 0) return refund
  const missing = -(balanceIn(subscription) + amount)
  if (missing > 0) return { missing }
  const kind = amount > 0 ? 'returned' : 'paid_out'
  const entry: NewEntry = { kind, amount, paymentId: payment.id, note: null, at }
  return {
    ...refund,
    subscription: withEntry(subscription, entry),
    events: [...events, 'balance.changed'],
    entry,
  }
}

/** The plan change that the refund causes now; null: the plan in effect stays. */
function changeByRefund(
  before: SubscriptionFacts,
  after: SubscriptionFacts,
  paymentId: string,
  now: Instant,
  rules: BillingRules,
): ChangeOfEvent | null {
  const stretch = changedStretch(before.periods, paymentId)
  const [from, to] = [before, after].map((facts) => statusAt(facts, now, rules).plan)
  if (!stretch || !from || !to || from.id === to.id) return null
  return { from, to, at: now, until: stretch.end }
}

/** Ends access now, as for fraud. Null: there is no access to end. */
export function decideEnd(facts: SubscriptionFacts, now: Instant, rules: BillingRules) {
  const { plan } = statusAt(facts, now, rules)
  if (plan.id === rules.catalogue.free.id) return null
  return { subscription: { ...facts, endedAt: now }, events: ['subscription.canceled'] } satisfies Decision
}

function withoutPeriod(
  facts: SubscriptionFacts,
  paymentId: string,
  now: Instant,
  calendar: Calendar,
): SubscriptionFacts {
  const { run, periods } = facts
  const refunded = periods.find(({ sourceId }) => sourceId === paymentId)
  // A period that is over was used, and an ended subscription has nothing left.
  if (!refunded || !run || facts.endedAt !== null || refunded.end <= now) return facts
  const place = periods.indexOf(refunded)
  const later = periods.slice(place + 1)
  // A future period: the anchor stays, and later periods move up as if this one had not been bought.
  const isRunning = refunded.start <= now
  const earlier = isRunning ? [] : periods.slice(0, place)
  if (earlier.length + later.length === 0) return { ...facts, endedAt: now }
  let last = isRunning ? { anchorAt: now, months: 0 } : runBefore(periods.slice(place), run)
  // The ends of months are computed from their anchor.
  const moved = later.map((period) => {
    const { period: time, granted, run: after } = timeAfter(calendar, last, period)
    last = after
    return { ...period, ...time, ...(granted && { granted }) }
  })
  return { ...facts, run: last, periods: [...earlier, ...moved], paidUntil: paidUntil(calendar, last) }
}

/** The run before these periods, if they end as `run` does. Months are counted back. */
function runBefore(periods: readonly PaidPeriod[], run: PaidRun): PaidRun {
  return periods.reduceRight(
    (after, { months, granted }) =>
      granted?.follows ?? { anchorAt: after.anchorAt, months: after.months - months },
    run,
  )
}

function movedBetween(before: readonly PaidPeriod[], after: readonly PaidPeriod[]): readonly MovedPeriod[] {
  const old = new Map(placesOf(before).map((place) => [place.sourceId, place]))
  return placesOf(after).filter(({ sourceId, start, end }) => {
    const place = old.get(sourceId)
    return place?.start !== start || place.end !== end
  })
}

/** The places of the periods that are not over, and of the plan changes on them. */
export function placesOf(periods: readonly PaidPeriod[]): readonly MovedPeriod[] {
  const own = periods.map(({ sourceId, start, end }) => {
    return { sourceId, start: changedStretch(periods, sourceId)?.start ?? start, end }
  })
  const ids = new Set(periods.flatMap(({ changes = [] }) => changes.map(({ sourceId }) => sourceId)))
  const changed = [...ids].flatMap((sourceId) => {
    const stretch = changedStretch(periods, sourceId)
    return stretch ? [{ sourceId, ...stretch }] : []
  })
  return [...own, ...changed.filter(({ sourceId }) => !own.some((one) => one.sourceId === sourceId))]
}
