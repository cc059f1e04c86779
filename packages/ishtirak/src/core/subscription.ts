// A subscription is prepaid time: the facts of what was paid, and nothing else. What a user is at an instant is computed
// from them at each read. No job has to have run, and no stopped job can give or take access.
import { DAY, type Instant } from './instant.js'
import { type Calendar, nextPeriod, type PaidRun, type Period } from './period.js'
import type { Plan } from './plan.js'

/** One paid month: which payment bought it, and the plan as it was sold. */
export interface PaidMonth extends Period {
  readonly paymentId: string
  readonly plan: Plan
}

/** What is stored. A user who never paid has `run` null. */
export interface SubscriptionFacts {
  readonly run: PaidRun | null
  /** The end of all that was paid without a gap. */
  readonly paidUntil: Instant | null
  /** The months of the run that are not over yet, and the last one, in order. */
  readonly months: readonly PaidMonth[]
  /** When the operator ended it (refund, fraud); null while nobody did, and again after the next payment. */
  readonly endedAt: Instant | null
  /** Of the last payment. */
  readonly paymentMethod: string | null
}

export const NEVER_PAID: SubscriptionFacts = {
  run: null,
  paidUntil: null,
  months: [],
  endedAt: null,
  paymentMethod: null,
}

/** The house rules that a status depends on. All of them are configuration. */
export interface Terms {
  readonly freePlan: Plan
  readonly graceDays: number
  readonly renewalWindowDays: number
  readonly calendar: Calendar
}

export type SubscriptionStatus = 'active' | 'past_due' | 'expired' | 'canceled'

export interface Subscription {
  /** The plan in effect: its limits are the user's limits at this instant. */
  readonly plan: Plan
  readonly status: SubscriptionStatus
  readonly currentPeriodEnd: Instant | null
  readonly paymentMethod: string | null
}

export function statusAt(facts: SubscriptionFacts, now: Instant, terms: Terms): Subscription {
  const { paidUntil, endedAt, paymentMethod } = facts
  const on = (plan: Plan, status: SubscriptionStatus, currentPeriodEnd: Instant | null): Subscription => ({
    plan,
    status,
    currentPeriodEnd,
    paymentMethod,
  })
  if (endedAt !== null) return on(terms.freePlan, 'canceled', endedAt)
  if (paidUntil === null) return on(terms.freePlan, 'active', null)
  if (now < paidUntil) return on(paidPlanAt(facts, now), 'active', paidUntil)
  if (now < graceEndsAt(paidUntil, terms)) return on(paidPlanAt(facts, now), 'past_due', paidUntil)
  return on(terms.freePlan, 'expired', paidUntil)
}

/** Grace is counted in days of 24 hours from the end: it is courtesy, not calendar. */
export function graceEndsAt(paidUntil: Instant, terms: Terms): Instant {
  return paidUntil + terms.graceDays * DAY
}

/** From when the next month can be bought. */
export function renewableFrom(paidUntil: Instant, terms: Terms): Instant {
  return paidUntil - terms.renewalWindowDays * DAY
}

/** The end of paid time that cannot be renewed yet; null where a payment is welcome. */
export function runningUntil(facts: SubscriptionFacts, now: Instant, terms: Terms): Instant | null {
  const { status, currentPeriodEnd } = statusAt(facts, now, terms)
  if (status !== 'active' || currentPeriodEnd === null) return null
  return now < renewableFrom(currentPeriodEnd, terms) ? currentPeriodEnd : null
}

/** What a payment made at `paidAt` buys. Within the paid time or its grace it follows on; later it begins anew. */
export function periodBought(
  facts: SubscriptionFacts,
  paidAt: Instant,
  terms: Terms,
): { readonly run: PaidRun; readonly period: Period; readonly renews: boolean } {
  const { run, paidUntil, endedAt } = facts
  const goesOn = run && paidUntil !== null && endedAt === null && paidAt < graceEndsAt(paidUntil, terms)
  const before = goesOn ? run : { anchorAt: paidAt, months: 0 }
  return {
    run: { ...before, months: before.months + 1 },
    period: nextPeriod(terms.calendar, before),
    renews: Boolean(goesOn),
  }
}

/** The facts after a payment. The months that are over are forgotten here: the payments remember them. */
export function extend(
  facts: SubscriptionFacts,
  paid: { readonly run: PaidRun; readonly month: PaidMonth; readonly paymentMethod: string | null },
  now: Instant,
): SubscriptionFacts {
  const earlier = paid.run.months > 1 ? facts.months.filter((month) => month.end > now) : []
  return {
    run: paid.run,
    paidUntil: paid.month.end,
    months: [...earlier, paid.month],
    endedAt: null,
    paymentMethod: paid.paymentMethod ?? facts.paymentMethod,
  }
}

/** The month that holds `now`; before the first (a provider's clock may run ahead) the first, in grace the last. */
function paidPlanAt(facts: SubscriptionFacts, now: Instant): Plan {
  const month = facts.months.find((candidate) => now < candidate.end) ?? facts.months.at(-1)
  if (!month) throw new Error('a user with paid time has no paid month')
  return month.plan
}
