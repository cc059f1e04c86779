// A plan change: a dearer plan from now on, until the same end, for the difference in price. The credit is
// what was paid for the time that is left, with earlier plan changes. Shares of time are exact fractions;
// they are rounded to whole dinars once. Pure.
import {
  type Fraction,
  fraction,
  isAboveZero,
  minus,
  plus,
  roundedDown,
  roundedUp,
  splitWhole,
  times,
  ZERO,
} from './fraction.js'
import { DAY, type Instant, SECOND } from './instant.js'
import { offerOf, type Plan } from './plan.js'
import {
  type BillingRules,
  extend,
  isTrial,
  type PaidPeriod,
  type Period,
  type PlanChange,
  planAt,
  type SubscriptionFacts,
  timeForAmountAt,
} from './subscription.js'

/** What a plan change costs and covers. It is agreed when the user orders it, and stored with the payment. */
export interface ChangeOrder {
  /** The plan before the change, as it was sold. */
  readonly from: Plan
  /** The worth of the time that changes, from all that was paid for it: whole dinars, rounded down. */
  readonly credit: number
  /** The periods that change. After booking: the periods that have changed. */
  readonly parts: readonly ChangedPart[]
  /** After booking: the time that was bought for parts that could not change any more; absent: none. */
  readonly addedSeconds?: number
  /** After booking: the dinars that went to the balance for such parts; absent: none. */
  readonly surplus?: number
}

interface ChangedPart {
  /** The source of the changed period: `pay_…`, `red_…` or `grt_…`. */
  readonly sourceId: string
  /** The period's part of the difference, in whole dinars. After booking: its part of what was paid. */
  readonly amount: number
  /** The payment of the last plan change that this period already has; null: none. */
  readonly lastChange: string | null
  /** The days of granted time when the change was ordered, because it may be lengthened later. */
  readonly days?: number
}

/**
 * The difference is the amount to pay, in whole dinars. Null: no paid or granted time is left, or the running
 * plan is not cheaper. A trial keeps its plan, because purchases start at its end.
 */
export function changeAt(
  { periods, endedAt }: SubscriptionFacts,
  plan: Plan,
  now: Instant,
  leastAmount: number,
) {
  // Cut to whole seconds, so that the user can check the figures that they see.
  const at = now - (now % SECOND)
  const left = periods.filter((period) => now < period.end && !isTrial(period))
  const [first] = left
  const from = first && planAt(first, now)
  if (endedAt !== null || !from || !isDearer(plan, from)) return null
  // Time bought ahead on a plan that is not cheaper stays as it is.
  const changed = left.filter((period) => isDearer(plan, planAt(period, Math.max(now, period.start))))
  const differences = changed.map((period) => minus(costLeft(period, plan, at), worthLeft(period, at)))
  const difference = Math.max(roundedUp(differences.reduce(plus, ZERO)), leastAmount)
  const amounts = splitWhole(difference, weightsOf(differences, changed, at))
  const parts = changed.map((period, place) => partOf(period, amounts[place] ?? 0))
  const credit = roundedDown(changed.reduce((sum, period) => plus(sum, worthLeft(period, at)), ZERO))
  const end = Math.max(...changed.map((period) => period.end))
  const order: ChangeOrder = { from, credit, parts }
  return { order, difference, period: { start: Math.max(now, first.start), end } }
}

/** True if both orders are about the same periods in the same state. */
export const isSameTime = (one: ChangeOrder, other: ChangeOrder) => timeOf(one) === timeOf(other)

/** The periods of an order and their state, as one text. */
export const timeOf = ({ parts }: ChangeOrder) =>
  parts.map(({ sourceId, lastChange, days = 0 }) => `${sourceId} ${lastChange} ${days}`).join('\n')

function isDearer(plan: Plan, than: Plan): boolean {
  return plan.id !== than.id && plan.price > than.price
}

function partOf({ sourceId, granted, changes }: PaidPeriod, amount: number): ChangedPart {
  return {
    sourceId,
    amount,
    lastChange: changes?.at(-1)?.sourceId ?? null,
    ...(granted?.days && { days: granted.days }),
  }
}

/** Weights to split the payment by: the differences, or the time left if no difference is above 0. */
function weightsOf(differences: readonly Fraction[], changed: readonly PaidPeriod[], at: Instant) {
  if (differences.some(isAboveZero))
    return differences.map((difference) => (isAboveZero(difference) ? difference : ZERO))
  return changed.map(({ start, end }) => fraction(end - Math.max(start, at)))
}

/** The share of a period that is left at an instant: all of it before it begins. */
function shareLeft({ start, end }: Period, at: Instant): Fraction {
  const left = end - Math.max(start, at)
  return left > 0 ? fraction(left, end - start) : ZERO
}

/** In single months of the plan. Granted days count 1/30 each; time bought by amount counts its price. */
function singleMonths({ months, granted, plan, amount }: PaidPeriod): Fraction {
  if (months > 0) return fraction(months)
  return granted?.days ? fraction(granted.days, 30) : fraction(amount ?? 0, plan.price)
}

/** What is left at `at` of the money that was paid for a period and its plan changes. */
export function worthLeft(period: PaidPeriod, at: Instant): Fraction {
  const { plan, amount, changes = [] } = period
  const paid = amount === undefined ? times(fraction(plan.price), singleMonths(period)) : fraction(amount)
  return changes
    .map((change) => times(fraction(change.amount), shareLeft(stretchOf(change, period), at)))
    .reduce(plus, times(paid, shareLeft(period, at)))
}

function stretchOf({ at, days }: PlanChange, { start, end }: PaidPeriod): Period {
  return { start: Math.max(at, start), end: days === undefined ? end : start + days * DAY }
}

/** What `plan` costs for the time left: by the same term if it is sold, else by single months. */
function costLeft(period: PaidPeriod, plan: Plan, at: Instant): Fraction {
  const offer = offerOf(plan, period.months)
  const cost = offer ? fraction(offer.price.amount) : times(fraction(plan.price), singleMonths(period))
  return times(cost, shareLeft(period, at))
}

/**
 * Rebuilds the order of a booked plan change that was paid with `amount`, so that it can be booked again. The
 * parts that could not change are no longer stored: their money becomes one part without a source.
 */
export function orderAsQuoted({ from, credit, parts }: ChangeOrder, amount: number): ChangeOrder {
  const gone = amount - parts.reduce((sum, part) => sum + part.amount, 0)
  const rest = gone > 0 ? [{ sourceId: '', amount: gone, lastChange: null }] : []
  return { from, credit, parts: [...parts, ...rest] }
}

export interface ChangeOfEvent {
  readonly from: Pick<Plan, 'id'>
  readonly to: Pick<Plan, 'id'>
  readonly at: Instant
  readonly until: Instant
}

/**
 * Books `amount`, which was paid for the order. Periods that are gone (over, refunded, ended, changed
 * otherwise) cannot change; their parts of the money buy time on the new plan instead.
 */
export function bookChange(
  subscription: SubscriptionFacts,
  paid: {
    readonly id: string
    readonly plan: Plan
    /** Null: the order is lost. Then the change is computed anew at the instant of payment. */
    readonly order: ChangeOrder | null
    readonly amount: number
    readonly instrument: string | null
    readonly at: Instant
  },
  now: Instant,
  rules: BillingRules,
) {
  const { id, plan, at, instrument } = paid
  const order = paid.order ?? changeAt(subscription, plan, at, rules.leastAmount)?.order ?? null
  const parts = partsOf(order, paid.amount)
  const isLeft = (period: PaidPeriod) => subscription.endedAt === null && now < period.end && at < period.end
  const places = subscription.periods.map((period) =>
    isLeft(period) ? parts.find((part) => isAsOrdered(part, period)) : undefined,
  )
  const booked = parts.filter((part) => places.includes(part))
  const periods = subscription.periods.map((period, place) => {
    const part = places[place]
    return part ? withChange(period, { part, id, plan, at }) : period
  })
  const changed: SubscriptionFacts = {
    ...subscription,
    periods,
    instrument: instrument ?? subscription.instrument,
  }
  const amount = paid.amount - booked.reduce((sum, part) => sum + part.amount, 0)
  const surplus = rules.balanceMax > 0 ? amount : 0
  const added = amount > surplus ? timeForAmountAt(changed, at, { plan, amount }, rules) : null
  const shown = changeOfEvent(subscription.periods, periods, id)
  const stretches = [
    ...(shown ? [{ start: shown.at, end: shown.until }] : []),
    ...(added ? [added.period] : []),
  ]
  const result: ChangeOrder | null = order && {
    ...order,
    parts: booked,
    ...(added && { addedSeconds: added.granted?.seconds ?? 0 }),
    ...(surplus > 0 && { surplus }),
  }
  return {
    subscription: added ? extend(changed, added, { id, plan, instrument, amount }, now) : changed,
    /** The order with its result; null: the order was lost, and nothing was left to change. */
    order: result,
    /** The changed time, or the time that the money bought instead; null: it bought no time. */
    period: wholeOf(stretches),
    changed: shown,
    /** The time on the new plan that was bought because the ordered time was gone; null: none. */
    added,
    /** Whole dinars that bought nothing and go to the user's balance; 0 if there are no balances. */
    surplus,
  }
}

/** The parts of the order, each with its part of the amount that was paid. */
function partsOf(order: ChangeOrder | null, amount: number): readonly ChangedPart[] {
  const parts = order?.parts ?? []
  const weights = parts.map((part) => fraction(part.amount))
  const amounts = splitWhole(amount, weights)
  return parts.map((part, place) => ({ ...part, amount: amounts[place] ?? 0 }))
}

function isAsOrdered(part: ChangedPart, { sourceId, changes }: PaidPeriod): boolean {
  return part.sourceId === sourceId && part.lastChange === (changes?.at(-1)?.sourceId ?? null)
}

function withChange(
  period: PaidPeriod,
  { part, id, plan, at }: { part: ChangedPart; id: string; plan: Plan; at: Instant },
): PaidPeriod {
  const isLonger = part.days !== undefined && part.days < (period.granted?.days ?? 0)
  const days = isLonger ? { days: part.days } : {}
  const change: PlanChange = { sourceId: id, at, plan, amount: part.amount, ...days }
  return { ...period, changes: [...(period.changes ?? []), change] }
}

/** Null: this payment changed none of these periods. */
function changeOfEvent(
  before: readonly PaidPeriod[],
  after: readonly PaidPeriod[],
  id: string,
): ChangeOfEvent | null {
  const stretch = changedStretch(after, id)
  const first = after.findIndex(({ changes }) => changes?.at(-1)?.sourceId === id)
  const [old, now] = [before[first], after[first]]
  if (!stretch || !old || !now) return null
  return {
    from: planAt(old, stretch.start),
    to: planAt(now, stretch.start),
    at: stretch.start,
    until: stretch.end,
  }
}

/**
 * The time that a plan change covers: from the start of the first changed period, or from the change if that
 * is later, to the end of the last one. Null: it changed none of these periods.
 */
export function changedStretch(periods: readonly PaidPeriod[], id: string): Period | null {
  const stretches = periods.flatMap((period) => {
    const change = period.changes?.find(({ sourceId }) => sourceId === id)
    return change ? [stretchOf(change, period)] : []
  })
  return wholeOf(stretches)
}

function wholeOf(stretches: readonly Period[]): Period | null {
  const [first] = stretches
  return first ? { start: first.start, end: Math.max(...stretches.map(({ end }) => end)) } : null
}

/** The last plan change on the time that this payment bought; null: none. */
export function lastChangeOn(
  { periods, endedAt }: SubscriptionFacts,
  paymentId: string,
  now: Instant,
): string | null {
  if (endedAt !== null) return null
  for (const { sourceId, changes = [], end } of periods) {
    const top = changes.at(-1)?.sourceId
    const isUnder = sourceId === paymentId || changes.some((change) => change.sourceId === paymentId)
    if (now < end && isUnder && top !== undefined && top !== paymentId) return top
  }
  return null
}

/** Takes back the rest of a plan change. Time that is over was used; an ended subscription has none left. */
export function withoutChange(facts: SubscriptionFacts, paymentId: string, now: Instant): SubscriptionFacts {
  if (facts.endedAt !== null) return facts
  const periods = facts.periods.map((period) => (now < period.end ? without(period, paymentId) : period))
  return { ...facts, periods }
}

function without(period: PaidPeriod, paymentId: string): PaidPeriod {
  const { changes, ...rest } = period
  if (!changes?.some(({ sourceId }) => sourceId === paymentId)) return period
  const left = changes.filter(({ sourceId }) => sourceId !== paymentId)
  return left.length === 0 ? rest : { ...rest, changes: left }
}
