// What follows when the operator gives money back, or ends a user's access. Pure: facts and time come in, the change goes
// out. Time that was paid and not given back is never taken: where a period falls out, the later ones move up.
import type { EventType } from './event.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import {
  type BillingRules,
  type Calendar,
  longer,
  nextPeriod,
  type PaidPeriod,
  type PaidRun,
  paidUntil,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

/** What a payment buys from now on, where a refund before it moved it. */
export interface MovedPeriod {
  readonly paymentId: string
  readonly periodStart: Instant
  readonly periodEnd: Instant
}

export interface Refund {
  readonly payment: Payment
  /** As it is to be; equal to what it was where access stays. */
  readonly subscription: SubscriptionFacts
  /** Other payments whose periods move. */
  readonly moved: readonly MovedPeriod[]
  readonly events: readonly EventType[]
}

/** Null: the payment is not paid, so there is nothing to give back. */
export function decideRefund(
  facts: { readonly payment: Payment; readonly subscription: SubscriptionFacts },
  now: Instant,
  rules: BillingRules,
): Refund | null {
  const { payment, subscription } = facts
  if (payment.status !== 'paid') return null
  const after = withoutPeriod(subscription, payment.id, now, rules.calendar)
  const isEnd = after.endedAt !== null && subscription.endedAt === null
  return {
    payment: { ...payment, status: 'refunded' },
    subscription: after,
    moved: movedBetween(subscription.periods, after.periods),
    events: isEnd ? ['payment.refunded', 'subscription.canceled'] : ['payment.refunded'],
  }
}

/** Fraud and the like: access ends now. Null: there is none to end. */
export function decideEnd(
  facts: SubscriptionFacts,
  now: Instant,
  rules: BillingRules,
): { readonly subscription: SubscriptionFacts; readonly events: readonly EventType[] } | null {
  const { plan } = statusAt(facts, now, rules)
  if (plan.id === rules.freePlan.id) return null
  return { subscription: { ...facts, endedAt: now }, events: ['subscription.canceled'] }
}

function withoutPeriod(
  facts: SubscriptionFacts,
  paymentId: string,
  now: Instant,
  calendar: Calendar,
): SubscriptionFacts {
  const { run, periods } = facts
  const refunded = periods.find((period) => period.paymentId === paymentId)
  // A period that is over was used, and of an ended subscription nothing is left to take.
  if (!refunded || !run || facts.endedAt !== null || refunded.end <= now) return facts
  const isRunning = refunded.start <= now || run.months === refunded.months
  if (!isRunning) {
    // Still to come: the anchor stays, and the later periods move up as if this one had not been bought.
    const before = longer(run, -monthsIn(periods))
    return layOut(
      facts,
      before,
      periods.filter((period) => period !== refunded),
      calendar,
    )
  }
  const later = periods.filter(({ start }) => start >= refunded.end)
  if (later.length === 0) return { ...facts, endedAt: now }
  return layOut(facts, { anchorAt: now, months: 0 }, later, calendar)
}

/** The facts with these periods one after the other behind `before`, each boundary computed from its anchor. */
function layOut(
  facts: SubscriptionFacts,
  before: PaidRun,
  periods: readonly PaidPeriod[],
  calendar: Calendar,
): SubscriptionFacts {
  let run = before
  const placed = periods.map((period) => {
    const moved = { ...period, ...nextPeriod(calendar, run, period.months) }
    run = longer(run, period.months)
    return moved
  })
  return { ...facts, run, periods: placed, paidUntil: paidUntil(calendar, run) }
}

function monthsIn(periods: readonly PaidPeriod[]): number {
  return periods.reduce((sum, { months }) => sum + months, 0)
}

function movedBetween(before: readonly PaidPeriod[], after: readonly PaidPeriod[]): readonly MovedPeriod[] {
  return after.flatMap(({ paymentId, start, end }) => {
    const old = before.find((period) => period.paymentId === paymentId)
    const isSame = old?.start === start && old.end === end
    return isSame ? [] : [{ paymentId, periodStart: start, periodEnd: end }]
  })
}
