// A subscription is prepaid time. What a user has at an instant is computed from the facts of what was paid;
// no job gives or takes access. Months are calendar months counted from the original anchor: bought on 31
// January, they end on 28 February, 31 March, 30 April. Granted days have 24 hours; later months count from
// their end.
import { type Balance, type NewEntry, type StandingOrder, withEntry } from './balance.js'
import { DAY, type Instant, LAST_INSTANT, SECOND } from './instant.js'
import { type Catalogue, isSamePlan, type Plan, planInEffect } from './plan.js'

/** Calendar arithmetic in the billing time zone. The caller passes it in, because core has no zone data. */
export interface Calendar {
  /** `anchor` plus `months` calendar months at the same local time; the day is at most the month's last. */
  monthsAfter(anchor: Instant, months: number): Instant
}

/** Half open: `[start, end)`. */
export interface Period {
  readonly start: Instant
  readonly end: Instant
}

/** Paid months without a gap: where they begin (after granted time: where that ended), and how many. */
export interface PaidRun {
  readonly anchorAt: Instant
  /** 0: only granted time so far. */
  readonly months: number
}

/** Time from one source without a gap, with the plan as it was sold or granted. */
export interface PaidPeriod extends Period {
  /** `pay_…` bought it; `red_…`, `grt_…` or `tri_…` gave it. Grants in a row share the first id. */
  readonly sourceId: string
  readonly plan: Plan
  /** The months bought or redeemed; 0 for granted time. */
  readonly months: number
  readonly granted?: GrantedTime
  /** What was paid for it, in whole dinars. Absent: the price of so much time by single months. */
  readonly amount?: number
  /** Plan changes of what was left of it, each paid for separately; the last one holds. Absent: none. */
  readonly changes?: readonly PlanChange[]
}

/** Time that is not counted in calendar months. */
interface GrantedTime {
  /** Days of 24 hours. At least 1 if an operator granted them. */
  readonly days: number
  /** Added seconds, bought by money that was paid when nothing was left to change. */
  readonly seconds?: number
  /** The run before it. Months after it count from its end. */
  readonly follows: PaidRun
}

/** A plan change of a period, from an instant to the period's end. */
export interface PlanChange {
  /** The payment (`pay_…`) of the plan change. */
  readonly sourceId: string
  readonly at: Instant
  /** The new plan as it was sold. */
  readonly plan: Plan
  /** The period's part of the amount paid, in whole dinars. */
  readonly amount: number
  /** Only the first so many days changed, because granted time was lengthened later. Absent: all of it. */
  readonly days?: number
}

/** What the database stores. A user who never paid has `run` null. */
export interface SubscriptionFacts {
  readonly run: PaidRun | null
  /** The end of all paid time without a gap. */
  readonly paidUntil: Instant | null
  /** The periods of the run that are not over yet, and the last one, in order. */
  readonly periods: readonly PaidPeriod[]
  /** When an operator ended it (refund, fraud); null before that, and again after the next payment. */
  readonly endedAt: Instant | null
  /** The instrument of the last payment, such as `cib`. On the wire it is `payment_method`. */
  readonly instrument: string | null
  /** Null: the user never had a balance. */
  readonly balance: Balance | null
}

export const NEVER_PAID: SubscriptionFacts = {
  run: null,
  paidUntil: null,
  periods: [],
  endedAt: null,
  instrument: null,
  balance: null,
}

/** The rules that a status depends on. All of them are configuration. */
export interface BillingRules {
  readonly catalogue: Catalogue
  /** The smallest amount that a discount can leave to pay, in whole dinars. */
  readonly leastAmount: number
  readonly graceDays: number
  readonly renewalWindowDays: number
  /** How many months ahead a user may buy before the renewal window. */
  readonly prepayMaxMonths: number
  /** The most dinars that a user's balance may hold; 0: there are no balances. */
  readonly balanceMax: number
  readonly calendar: Calendar
}

type SubscriptionStatus = 'active' | 'past_due' | 'expired' | 'canceled'

export interface Subscription {
  /** The plan in effect: its limits are the user's limits at this instant. */
  readonly plan: Plan
  readonly status: SubscriptionStatus
  readonly currentPeriodEnd: Instant | null
  readonly instrument: string | null
  /** The plan of the last paid or granted time, if that time is over; null: none. */
  readonly endedPlan: Plan | null
  /** The stored periods: those that are not over yet, and the last one. */
  readonly periods: readonly PaidPeriod[]
}

export function statusAt(stored: SubscriptionFacts, now: Instant, rules: BillingRules): Subscription {
  const facts = renewed(stored, now, rules)
  const { paidUntil, endedAt, instrument } = facts
  const on = (plan: Plan, status: SubscriptionStatus, currentPeriodEnd: Instant | null): Subscription => ({
    plan,
    status,
    currentPeriodEnd,
    instrument,
    endedPlan: null,
    periods: facts.periods,
  })
  const over = (status: SubscriptionStatus, end: Instant): Subscription => ({
    ...on(rules.catalogue.free, status, end),
    endedPlan: planOfFacts(facts, end),
  })
  if (endedAt !== null) return over('canceled', endedAt)
  if (paidUntil === null) return on(rules.catalogue.free, 'active', null)
  if (now < paidUntil) return on(paidPlanAt(facts, now, rules), 'active', paidUntil)
  if (now < graceEndsAt(paidUntil, facts.periods, rules))
    return on(paidPlanAt(facts, now, rules), 'past_due', paidUntil)
  return over('expired', paidUntil)
}

/** Grace lasts for days of 24 hours from the end, not calendar days. A trial has none. */
export function graceEndsAt(
  paidUntil: Instant,
  periods: readonly PaidPeriod[],
  rules: BillingRules,
): Instant {
  return endsWithTrial(periods) ? paidUntil : paidUntil + rules.graceDays * DAY
}

/** Granted days after a trial of the same plan lengthen the trial. */
export const isTrial = ({ sourceId }: Pick<PaidPeriod, 'sourceId'>) => sourceId.startsWith('tri_')

/** True while nothing is bought or granted after the trial. */
export function endsWithTrial(periods: readonly PaidPeriod[]): boolean {
  const last = periods.at(-1)
  return last !== undefined && isTrial(last)
}

export interface AddedTime extends Pick<PaidPeriod, 'months' | 'granted'> {
  /** The run with the added time. */
  readonly run: PaidRun
  readonly period: Period
  /** True if it follows earlier time without a gap. */
  readonly renews: boolean
}

/**
 * The time that `months` bought at `at` add. During paid time or its grace they follow on; later they begin a
 * run.
 */
export function purchaseAt(
  facts: SubscriptionFacts,
  at: Instant,
  months: number,
  rules: BillingRules,
): AddedTime {
  return addedAt(facts, at, { months }, rules)
}

/** The time that `days` granted now add: the end moves by that; without paid time they begin now. */
export function grantAt(
  facts: SubscriptionFacts,
  now: Instant,
  days: number,
  rules: BillingRules,
): AddedTime {
  return addedAt(facts, now, { months: 0, granted: { days } }, rules)
}

function addedAt(facts: SubscriptionFacts, at: Instant, time: Length, rules: BillingRules): AddedTime {
  const { run, renews } = runAt(facts, at, rules)
  return { ...timeAfter(rules.calendar, run, time), months: time.months, renews }
}

/** A term that the balance buys by the standing order. */
export interface DueRenewal {
  readonly order: StandingOrder
  readonly at: Instant
  readonly added: AddedTime
}

/** The method of payments that a balance makes. */
export const BY_BALANCE = 'balance'

/** The source of computed time whose payment is not stored yet. */
const UNBOOKED = 'pay_unbooked'

/**
 * The facts with everything that the balance has bought by now. Between stored revisions balance and standing
 * order are constant, so the result does not depend on when or how often it is computed or stored.
 */
export function renewed(stored: SubscriptionFacts, now: Instant, rules: BillingRules): SubscriptionFacts {
  let facts = stored
  for (;;) {
    const due = dueRenewal(facts, now, rules)
    if (!due) return facts
    facts = withRenewal(facts, due, UNBOOKED)
  }
}

/** The first term that is due; null: none. */
export function dueRenewal(facts: SubscriptionFacts, now: Instant, rules: BillingRules): DueRenewal | null {
  const at = renewsAt(facts)
  const order = facts.balance?.order
  if (at === null || at > now || !order) return null
  const added = purchaseAt(facts, at, order.months, rules)
  return added.period.end > LAST_INSTANT ? null : { order, at, added }
}

/** When the standing order buys next, if the money suffices and no operator ended the access. Null: never. */
export function renewsAt({
  balance,
  paidUntil,
  endedAt,
}: Pick<SubscriptionFacts, 'balance' | 'paidUntil' | 'endedAt'>): Instant | null {
  if (!balance?.order || endedAt !== null || balance.amount < balance.order.price) return null
  return Math.max(paidUntil ?? balance.since, balance.since)
}

export function renewalEntry({ order, at }: DueRenewal, paymentId: string): NewEntry {
  return { kind: 'renewal', amount: -order.price, paymentId, note: null, at }
}

/** The facts with one renewal stored. */
export function withRenewal(facts: SubscriptionFacts, due: DueRenewal, paymentId: string): SubscriptionFacts {
  const { order, at, added } = due
  const source = { id: paymentId, plan: order.plan, instrument: BY_BALANCE, amount: order.price }
  return withEntry(extend(facts, added, source, at), renewalEntry(due, paymentId))
}

/** The most months that money buys by its worth: some 80 times the longest term. */
const MONTHS_MAX = 3_000

/**
 * The time that `amount` buys if nothing else is left to buy: as much of `plan` as it is worth, within the
 * calendar.
 */
export function timeForAmountAt(
  facts: SubscriptionFacts,
  at: Instant,
  { plan, amount }: { readonly plan: Plan; readonly amount: number },
  rules: BillingRules,
): AddedTime {
  const start = paidUntil(rules.calendar, runAt(facts, at, rules).run)
  const months = Math.min(Math.floor(amount / plan.price), MONTHS_MAX)
  const whole = rules.calendar.monthsAfter(start, months)
  const next = rules.calendar.monthsAfter(start, months + 1)
  const rest = ((next - whole) * Math.min(amount - months * plan.price, plan.price)) / plan.price
  const seconds = Math.ceil((whole - start + rest) / SECOND)
  return addedAt(facts, at, { months: 0, granted: { days: 0, seconds } }, rules)
}

/** The run that time added at `at` continues; a new run if the time is not paid and grace is over. */
function runAt({ run, paidUntil, endedAt, periods }: SubscriptionFacts, at: Instant, rules: BillingRules) {
  const isOpen =
    paidUntil !== null && endedAt === null && (at <= paidUntil || at < graceEndsAt(paidUntil, periods, rules))
  return run && isOpen ? { run, renews: true } : { run: { anchorAt: at, months: 0 }, renews: false }
}

/** The facts with the added time. Periods that are over are dropped here; their sources remember them. */
export function extend(
  facts: SubscriptionFacts,
  { run, period, months, granted, renews }: AddedTime,
  source: {
    readonly id: string
    readonly plan: Plan
    readonly instrument: string | null
    /** What was paid in whole dinars; absent: it is given. */
    readonly amount?: number
  },
  now: Instant,
): SubscriptionFacts {
  const earlier = renews ? facts.periods.filter(({ end }) => end > now) : []
  const { id: sourceId, plan, amount } = source
  const isUsual = amount === undefined || (months > 0 && amount === plan.price * months)
  const base = { ...period, sourceId, plan, months, ...(granted && { granted }) }
  const added = isUsual ? base : { ...base, amount }
  return {
    run,
    paidUntil: period.end,
    periods: withPeriod(earlier, added),
    endedAt: null,
    instrument: source.instrument ?? facts.instrument,
    balance: facts.balance,
  }
}

/**
 * Granted days after days of the same plan lengthen that period, because reading costs grow with periods. If
 * a plan change holds for the period, it is not lengthened: no payment covers these days. A trial always
 * begins a period of its own.
 */
function withPeriod(earlier: readonly PaidPeriod[], added: PaidPeriod): readonly PaidPeriod[] {
  const last = earlier.at(-1)
  const isLonger =
    last?.granted?.days &&
    added.granted?.days &&
    !isTrial(added) &&
    !last.changes &&
    last.end === added.start &&
    isSamePlan(last.plan, added.plan)
  if (!isLonger) return [...earlier, added]
  const granted = { ...last.granted, days: last.granted.days + added.granted.days }
  return [...earlier.slice(0, -1), { ...last, end: added.end, granted }]
}

/** The plan of a period at an instant: its own before it begins, the last one in the grace after it. */
export function planAt({ plan, changes, start }: PaidPeriod, at: Instant): Plan {
  const change = changes?.findLast(
    ({ at: from, days }) => from <= at && (days === undefined || at < start + days * DAY),
  )
  return change?.plan ?? plan
}

/** Null: no period. Before the first (a clock is ahead) the first one counts, in grace the last. */
function planOfFacts({ periods }: SubscriptionFacts, at: Instant): Plan | null {
  const period = periods.find(({ end }) => at < end) ?? periods.at(-1)
  return period ? planAt(period, at) : null
}

/** The plan at the end of all paid or granted time, which new time continues; null: none. */
export function lastPlan({ periods }: Pick<SubscriptionFacts, 'periods'>): Plan | null {
  const last = periods.at(-1)
  return last ? planAt(last, last.end) : null
}

function paidPlanAt(facts: SubscriptionFacts, now: Instant, { catalogue }: BillingRules): Plan {
  const plan = planOfFacts(facts, now)
  if (!plan) throw new Error('a user with paid time has no paid period')
  return planInEffect(catalogue, plan)
}

export function paidUntil(calendar: Calendar, run: PaidRun): Instant {
  return calendar.monthsAfter(run.anchorAt, run.months)
}

/** How much time: calendar months, or granted days and seconds. */
interface Length {
  readonly months: number
  readonly granted?: Omit<GrantedTime, 'follows'>
}

/** The period of time that follows the run `before`, and the run that includes it. */
export function timeAfter(
  calendar: Calendar,
  before: PaidRun,
  { months, granted }: Length,
): Pick<AddedTime, 'run' | 'period' | 'granted'> {
  const start = paidUntil(calendar, before)
  if (!granted) {
    const run = { ...before, months: before.months + months }
    return { run, period: { start, end: paidUntil(calendar, run) } }
  }
  const end = start + granted.days * DAY + (granted.seconds ?? 0) * SECOND
  return {
    run: { anchorAt: end, months: 0 },
    period: { start, end },
    granted: { ...granted, follows: before },
  }
}
