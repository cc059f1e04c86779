// A subscription is prepaid time: the facts of what was paid, and nothing else. What a user is at an instant is computed
// from them at each read. No job has to have run, and no stopped job can give or take access. Time is counted in calendar
// months, each boundary from the original anchor, never from the boundary before: bought on 31 January, the ends are
// 28 February, 31 March, 30 April.
import { DAY, type Instant } from './instant.js'
import type { Payment } from './payment.js'
import type { Plan } from './plan.js'

/** Calendar arithmetic in the billing time zone. Passed in, because zones are data and the core has none. */
export interface Calendar {
  /** `anchor` plus `months` calendar months, same wall-clock time, the day clamped to the month's last. */
  monthsAfter(anchor: Instant, months: number): Instant
}

/** Half open: `[start, end)`. */
export interface Period {
  readonly start: Instant
  readonly end: Instant
}

/** A run of paid periods without a gap: where it began, and how many months were bought in all. */
export interface PaidRun {
  readonly anchorAt: Instant
  readonly months: number
}

/** What one payment bought: its months, one after the other, and the plan as it was sold. */
export interface PaidPeriod extends Period {
  readonly paymentId: string
  readonly plan: Plan
  /** At least 1. */
  readonly months: number
}

/** What is stored. A user who never paid has `run` null. */
export interface SubscriptionFacts {
  readonly run: PaidRun | null
  /** The end of all that was paid without a gap. */
  readonly paidUntil: Instant | null
  /** The periods of the run that are not over yet, and the last one, in order. */
  readonly periods: readonly PaidPeriod[]
  /** When the operator ended it (refund, fraud); null before, and again after the next payment. */
  readonly endedAt: Instant | null
  /** Of the last payment: the kind of card or account, such as `cib`. On the wire it is `payment_method`. */
  readonly instrument: string | null
}

export const NEVER_PAID: SubscriptionFacts = {
  run: null,
  paidUntil: null,
  periods: [],
  endedAt: null,
  instrument: null,
}

/** The rules that a status depends on. All of them are configuration. */
export interface BillingRules {
  readonly freePlan: Plan
  readonly graceDays: number
  readonly renewalWindowDays: number
  readonly calendar: Calendar
}

type SubscriptionStatus = 'active' | 'past_due' | 'expired' | 'canceled'

export interface Subscription {
  /** The plan in effect: its limits are the user's limits at this instant. */
  readonly plan: Plan
  readonly status: SubscriptionStatus
  readonly currentPeriodEnd: Instant | null
  readonly instrument: string | null
}

export function statusAt(facts: SubscriptionFacts, now: Instant, rules: BillingRules): Subscription {
  const { paidUntil, endedAt, instrument } = facts
  const on = (plan: Plan, status: SubscriptionStatus, currentPeriodEnd: Instant | null): Subscription => ({
    plan,
    status,
    currentPeriodEnd,
    instrument,
  })
  if (endedAt !== null) return on(rules.freePlan, 'canceled', endedAt)
  if (paidUntil === null) return on(rules.freePlan, 'active', null)
  if (now < paidUntil) return on(paidPlanAt(facts, now), 'active', paidUntil)
  if (now < graceEndsAt(paidUntil, rules)) return on(paidPlanAt(facts, now), 'past_due', paidUntil)
  return on(rules.freePlan, 'expired', paidUntil)
}

/** Grace is counted in days of 24 hours from the end: it is courtesy, not calendar. */
export function graceEndsAt(paidUntil: Instant, rules: BillingRules): Instant {
  return paidUntil + rules.graceDays * DAY
}

type Purchase = ReturnType<typeof purchaseAt>

/** What `months` paid at `paidAt` buy. Within the paid time or its grace they follow on; later they begin a new run. */
export function purchaseAt(facts: SubscriptionFacts, paidAt: Instant, months: number, rules: BillingRules) {
  const { run, paidUntil, endedAt } = facts
  const goesOn = run && paidUntil !== null && endedAt === null && paidAt < graceEndsAt(paidUntil, rules)
  const before = goesOn ? run : { anchorAt: paidAt, months: 0 }
  return {
    /** As it then ends. */
    run: longer(before, months),
    period: nextPeriod(rules.calendar, before, months),
    months,
    /** It follows on what was paid before. */
    renews: Boolean(goesOn),
  }
}

/** The facts after a payment. Periods that are over are forgotten here: the payments remember them. */
export function extend(
  facts: SubscriptionFacts,
  { run, period, months, renews }: Purchase,
  payment: Pick<Payment, 'id' | 'plan' | 'instrument'>,
  now: Instant,
): SubscriptionFacts {
  const earlier = renews ? facts.periods.filter(({ end }) => end > now) : []
  return {
    run,
    paidUntil: period.end,
    periods: [...earlier, { ...period, paymentId: payment.id, plan: payment.plan, months }],
    endedAt: null,
    instrument: payment.instrument ?? facts.instrument,
  }
}

/** That of the period that holds `now`; before the first (a provider's clock may run ahead) the first, in grace the last. */
function paidPlanAt(facts: SubscriptionFacts, now: Instant): Plan {
  const period = facts.periods.find(({ end }) => now < end) ?? facts.periods.at(-1)
  if (!period) throw new Error('a user with paid time has no paid period')
  return period.plan
}

export function paidUntil(calendar: Calendar, run: PaidRun): Instant {
  return calendar.monthsAfter(run.anchorAt, run.months)
}

/** The run with `months` more. */
export function longer(run: PaidRun, months: number): PaidRun {
  return { ...run, months: run.months + months }
}

/** The period that `months` more add to the run. */
export function nextPeriod(calendar: Calendar, run: PaidRun, months: number): Period {
  return { start: paidUntil(calendar, run), end: paidUntil(calendar, longer(run, months)) }
}
