// A subscription is prepaid time: what a user is at an instant is computed from the facts of what was paid,
// and no job gives or takes access. Calendar months, each boundary from the original anchor: bought on 31
// January, the ends are 28 February, 31 March, 30 April. Granted days have 24 hours; their end is the anchor
// of the months after them.
import { type Balance, type NewEntry, type StandingOrder, withEntry } from './balance.js'
import { DAY, type Instant, LAST_INSTANT, SECOND } from './instant.js'
import { type Catalogue, isSamePlan, type Plan, planInEffect } from './plan.js'

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

/** A run of paid months without a gap: where it begins, or granted time left off, and how many. */
export interface PaidRun {
  readonly anchorAt: Instant
  /** 0: granted time alone, so far. */
  readonly months: number
}

/** Time from one source, without a gap, and the plan as it was sold or granted. */
export interface PaidPeriod extends Period {
  /** `pay_…` bought it; `red_…`, `grt_…` or `tri_…` gave it, the first where grants follow on each other. */
  readonly sourceId: string
  readonly plan: Plan
  /** Bought or redeemed; 0 for granted time. */
  readonly months: number
  readonly granted?: GrantedTime
  /** What was paid for it, in whole dinars. Absent: what so much time cost by the plan's single month. */
  readonly amount?: number
  /** Another plan for what was left of it, each paid for by itself; the last one counts. Absent: none. */
  readonly changes?: readonly PlanChange[]
}

/** Time that is not counted in months of the calendar. */
interface GrantedTime {
  /** Of 24 hours, at least 1 where an operator granted them. */
  readonly days: number
  /** Beside them: what money bought that came when there was nothing left to change. */
  readonly seconds?: number
  /** The run that it stands behind. The months after it count from its own end. */
  readonly follows: PaidRun
}

/** From an instant on a period is of another plan, to its end. */
export interface PlanChange {
  /** `pay_…` paid for it. */
  readonly sourceId: string
  readonly at: Instant
  /** As it was sold. */
  readonly plan: Plan
  /** The period's part of what was paid, in whole dinars. */
  readonly amount: number
  /** It is for the first so many days alone: granted time that was lengthened since. Absent: for all. */
  readonly days?: number
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
  /** Null: the user never had one. */
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
  /** How far ahead may be bought before the renewal window. */
  readonly prepayMaxMonths: number
  /** Whole dinars that a user may have paid in; 0: there are no balances. */
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
  /** The plan that was paid or granted last, where that time is over; null: none, or nothing is left. */
  readonly endedPlan: Plan | null
  /** As they are stored: those that are not over yet, and the last. */
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

/** Grace is counted in days of 24 hours from the end, not on the calendar. A trial has none. */
export function graceEndsAt(
  paidUntil: Instant,
  periods: readonly PaidPeriod[],
  rules: BillingRules,
): Instant {
  return endsWithTrial(periods) ? paidUntil : paidUntil + rules.graceDays * DAY
}

/** Days that an operator grants behind a trial of the same plan lengthen it. */
export const isTrial = ({ sourceId }: Pick<PaidPeriod, 'sourceId'>) => sourceId.startsWith('tri_')

/** Nothing is bought or given behind the trial yet. */
export function endsWithTrial(periods: readonly PaidPeriod[]): boolean {
  const last = periods.at(-1)
  return last !== undefined && isTrial(last)
}

export interface AddedTime extends Pick<PaidPeriod, 'months' | 'granted'> {
  /** As it then ends. */
  readonly run: PaidRun
  readonly period: Period
  /** It follows on the time before. */
  readonly renews: boolean
}

/** What `months` from `at` add. Within paid time or its grace they follow on; later they begin a new run. */
export function purchaseAt(
  facts: SubscriptionFacts,
  at: Instant,
  months: number,
  rules: BillingRules,
): AddedTime {
  const { run, renews } = runAt(facts, at, rules)
  return { ...timeBehind(rules.calendar, run, { months }), months, renews }
}

/** What `days` granted now add: the end moves by so much; without paid time they begin now. */
export function grantAt(
  facts: SubscriptionFacts,
  now: Instant,
  days: number,
  rules: BillingRules,
): AddedTime {
  const { run, renews } = runAt(facts, now, rules)
  return {
    ...timeBehind(rules.calendar, run, { months: 0, granted: { days, follows: run } }),
    months: 0,
    renews,
  }
}

/** What the balance buys by the standing order. */
export interface DueRenewal {
  readonly order: StandingOrder
  readonly at: Instant
  readonly added: AddedTime
}

/** How renewals are paid, as a payment says it. */
export const BY_BALANCE = 'balance'

/** Of computed time: its payment is not written down yet. */
const UNBOOKED = 'pay_unbooked'

/**
 * The facts with all that the balance has bought by now. Balance and order are constant between changes that
 * are stored, so the result does not depend on when, or how often, it is computed or written down.
 */
export function renewed(stored: SubscriptionFacts, now: Instant, rules: BillingRules): SubscriptionFacts {
  let facts = stored
  for (;;) {
    const due = dueRenewal(facts, now, rules)
    if (!due) return facts
    facts = withRenewal(facts, due, UNBOOKED)
  }
}

/** The first that is due, if one is. */
export function dueRenewal(facts: SubscriptionFacts, now: Instant, rules: BillingRules): DueRenewal | null {
  const at = renewsAt(facts)
  const order = facts.balance?.order
  if (at === null || at > now || !order) return null
  const added = purchaseAt(facts, at, order.months, rules)
  return added.period.end > LAST_INSTANT ? null : { order, at, added }
}

/** When the order buys next: the money is there, and no operator has ended the access. Null: it does not. */
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

/** The facts with one renewal written down. */
export function withRenewal(facts: SubscriptionFacts, due: DueRenewal, paymentId: string): SubscriptionFacts {
  const { order, at, added } = due
  const source = { id: paymentId, plan: order.plan, instrument: BY_BALANCE, amount: order.price }
  return withEntry(extend(facts, added, source, at), renewalEntry(due, paymentId))
}

/** Of money that buys what it is worth: some 80 times what any term has. */
const MONTHS_MAX = 3_000

/**
 * What `amount` of money adds to which nothing else is left to buy: as much of `plan` as it is worth, and
 * never so much that the calendar ends.
 */
export function worthAt(
  facts: SubscriptionFacts,
  at: Instant,
  { plan, amount }: { readonly plan: Plan; readonly amount: number },
  rules: BillingRules,
): AddedTime {
  const { run, renews } = runAt(facts, at, rules)
  const start = paidUntil(rules.calendar, run)
  const months = Math.min(Math.floor(amount / plan.price), MONTHS_MAX)
  const whole = rules.calendar.monthsAfter(start, months)
  const next = rules.calendar.monthsAfter(start, months + 1)
  const rest = ((next - whole) * Math.min(amount - months * plan.price, plan.price)) / plan.price
  const seconds = Math.ceil((whole - start + rest) / SECOND)
  const granted = { days: 0, seconds, follows: run }
  return { ...timeBehind(rules.calendar, run, { months: 0, granted }), months: 0, renews }
}

/** The run that time goes on with which comes at `at`. */
function runAt({ run, paidUntil, endedAt, periods }: SubscriptionFacts, at: Instant, rules: BillingRules) {
  const isOpen =
    paidUntil !== null && endedAt === null && (at <= paidUntil || at < graceEndsAt(paidUntil, periods, rules))
  return run && isOpen ? { run, renews: true } : { run: { anchorAt: at, months: 0 }, renews: false }
}

/** The facts with the added time. Periods that are over are forgotten here: their sources remember them. */
export function extend(
  facts: SubscriptionFacts,
  { run, period, months, granted, renews }: AddedTime,
  source: {
    readonly id: string
    readonly plan: Plan
    readonly instrument: string | null
    /** What was paid, in whole dinars; absent: it is given. */
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
 * Granted days behind those of the same plan lengthen their period: a reader pays for periods. Not one that a
 * change made another plan's: that was not paid for these days. A trial always has its own period.
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

/** The period that holds `now`; before the first (a clock is ahead) the first, in grace the last. */
function periodAt({ periods }: SubscriptionFacts, now: Instant): PaidPeriod | undefined {
  return periods.find(({ end }) => now < end) ?? periods.at(-1)
}

/** The plan of a period at an instant: before it begins its own, in the grace after it the last. */
export function planAt({ plan, changes, start }: PaidPeriod, at: Instant): Plan {
  const change = changes?.findLast(
    ({ at: from, days }) => from <= at && (days === undefined || at < start + days * DAY),
  )
  return change?.plan ?? plan
}

/** Null: there is no period. */
function planOfFacts(facts: SubscriptionFacts, at: Instant): Plan | null {
  const period = periodAt(facts, at)
  return period ? planAt(period, at) : null
}

/** The plan at the end of all that was paid or granted, which what follows is of; null: nothing was. */
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

export function longer(run: PaidRun, months: number): PaidRun {
  return { ...run, months: run.months + months }
}

/** Where time stands that follows on `before`, and the run as it then ends. */
export function timeBehind(
  calendar: Calendar,
  before: PaidRun,
  { months, granted }: Pick<PaidPeriod, 'months' | 'granted'>,
): Pick<AddedTime, 'run' | 'period' | 'granted'> {
  const start = paidUntil(calendar, before)
  if (!granted) {
    const run = longer(before, months)
    return { run, period: { start, end: paidUntil(calendar, run) } }
  }
  const end = start + granted.days * DAY + (granted.seconds ?? 0) * SECOND
  return {
    run: { anchorAt: end, months: 0 },
    period: { start, end },
    granted: { ...granted, follows: before },
  }
}
