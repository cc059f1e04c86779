// What follows when the operator gives money back, or ends a user's access. Pure: facts and time come in, the change goes
// out. Time that was paid and not given back is never taken: where a month falls out, the later ones move up.
import type { EventType } from './event.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import type { Calendar, PaidRun } from './period.js'
import { type PaidMonth, type SubscriptionFacts, statusAt, type Terms } from './subscription.js'

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
  /** Other payments whose months move. */
  readonly moved: readonly MovedPeriod[]
  readonly events: readonly EventType[]
}

/** Null: the payment is not paid, so there is nothing to give back. */
export function decideRefund(
  facts: { readonly payment: Payment; readonly subscription: SubscriptionFacts },
  now: Instant,
  terms: Terms,
): Refund | null {
  const { payment, subscription } = facts
  if (payment.status !== 'paid') return null
  const after = withoutMonth(subscription, payment.id, now, terms.calendar)
  const isEnd = after.endedAt !== null && subscription.endedAt === null
  return {
    payment: { ...payment, status: 'refunded' },
    subscription: after,
    moved: movedBetween(subscription.months, after.months),
    events: isEnd ? ['payment.refunded', 'subscription.canceled'] : ['payment.refunded'],
  }
}

/** Fraud and the like: access ends now. Null: there is none to end. */
export function decideEnd(
  facts: SubscriptionFacts,
  now: Instant,
  terms: Terms,
): { readonly subscription: SubscriptionFacts; readonly events: readonly EventType[] } | null {
  const { plan } = statusAt(facts, now, terms)
  if (plan.id === terms.freePlan.id) return null
  return { subscription: { ...facts, endedAt: now }, events: ['subscription.canceled'] }
}

function withoutMonth(
  facts: SubscriptionFacts,
  paymentId: string,
  now: Instant,
  calendar: Calendar,
): SubscriptionFacts {
  const index = facts.months.findIndex((month) => month.paymentId === paymentId)
  const refunded = facts.months[index]
  // A month that is over was used, and of an ended subscription nothing is left to take.
  if (!refunded || !facts.run || facts.endedAt !== null || refunded.end <= now) return facts
  const later = facts.months.slice(index + 1)
  const isRunning = refunded.start <= now || facts.run.months === 1
  if (isRunning && later.length === 0) return { ...facts, endedAt: now }
  if (isRunning) return runOf(facts, { anchorAt: now, months: later.length }, later, calendar)
  // Still to come: the boundaries of the run stay, the later months take one place each towards now.
  const kept = [...facts.months.slice(0, index), ...later]
  return runOf(facts, { ...facts.run, months: facts.run.months - 1 }, kept, calendar)
}

/** The facts with `months` as the last of `run`, each boundary computed from the anchor. */
function runOf(
  facts: SubscriptionFacts,
  run: PaidRun,
  months: readonly PaidMonth[],
  calendar: Calendar,
): SubscriptionFacts {
  const first = run.months - months.length
  const placed = months.map((month, index) => ({
    ...month,
    start: calendar.monthsAfter(run.anchorAt, first + index),
    end: calendar.monthsAfter(run.anchorAt, first + index + 1),
  }))
  return { ...facts, run, months: placed, paidUntil: calendar.monthsAfter(run.anchorAt, run.months) }
}

function movedBetween(before: readonly PaidMonth[], after: readonly PaidMonth[]): readonly MovedPeriod[] {
  return after.flatMap(({ paymentId, start, end }) => {
    const old = before.find((month) => month.paymentId === paymentId)
    const isSame = old?.start === start && old.end === end
    return isSame ? [] : [{ paymentId, periodStart: start, periodEnd: end }]
  })
}
