// Another plan in mid-term: a dearer plan from now on, to the same end, for the difference. What was paid for
// the time that is left counts, the base and every change before; the share of time is exact, and whole
// dinars are made once. Pure.
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
  worthAt,
} from './subscription.js'

/** What a payment for a change is for: agreed when it is asked for, and kept with it. */
export interface ChangeOrder {
  /** The plan that ran, as it was sold. */
  readonly from: Plan
  /** What was left of all that was paid for the time that changes, in whole dinars, rounded down. */
  readonly credit: number
  /** The periods that change. Once it is booked: that have changed. */
  readonly parts: readonly ChangedPart[]
  /** Once it is booked: how much time was bought instead of what was gone; absent: none. */
  readonly addedSeconds?: number
  /** Once it is booked: how many dinars are on the balance instead of what was gone; absent: none. */
  readonly surplus?: number
}

interface ChangedPart {
  /** Of the period. */
  readonly sourceId: string
  /** Its part of the difference in whole dinars; once it is booked, of what came. */
  readonly amount: number
  /** The payment of the change that it has already; null: none. */
  readonly over: string | null
  /** Of granted time, which may be lengthened later: how many days it has. */
  readonly days?: number
}

interface QuotedChange {
  readonly order: ChangeOrder
  /** To be paid, in whole dinars. */
  readonly difference: number
  readonly period: Period
}

/**
 * Null: no paid or granted time is left, or the plan that runs is not a cheaper one. A trial keeps its plan:
 * what is bought starts at its end.
 */
export function changeAt(
  { periods, endedAt }: SubscriptionFacts,
  plan: Plan,
  now: Instant,
  leastAmount: number,
): QuotedChange | null {
  // As it is shown and can be checked: in whole seconds.
  const at = now - (now % SECOND)
  const left = periods.filter((period) => now < period.end && !isTrial(period))
  const [first] = left
  const from = first && planAt(first, now)
  if (endedAt !== null || !from || !isDearer(plan, from)) return null
  // Time that was bought ahead of a plan that is no cheaper stays what it is.
  const changed = left.filter((period) => isDearer(plan, planAt(period, Math.max(now, period.start))))
  const differences = changed.map((period) => minus(costLeft(period, plan, at), worthLeft(period, at)))
  const difference = Math.max(roundedUp(differences.reduce(plus, ZERO)), leastAmount)
  const amounts = splitWhole(difference, weightsOf(differences, changed, at))
  const parts = changed.map((period, place) => partOf(period, amounts[place] ?? 0))
  const credit = roundedDown(changed.reduce((sum, period) => plus(sum, worthLeft(period, at)), ZERO))
  const end = Math.max(...changed.map((period) => period.end))
  return { order: { from, credit, parts }, difference, period: { start: Math.max(now, first.start), end } }
}

/** Two orders are of the same periods, as they are. */
export const isSameTime = (one: ChangeOrder, other: ChangeOrder) => timeOf(one) === timeOf(other)

/** The periods that an order is of, as they are, in one text. */
export const timeOf = ({ parts }: ChangeOrder) =>
  parts.map(({ sourceId, over, days = 0 }) => `${sourceId} ${over} ${days}`).join('\n')

function isDearer(plan: Plan, than: Plan): boolean {
  return plan.id !== than.id && plan.price > than.price
}

function partOf({ sourceId, granted, changes }: PaidPeriod, amount: number): ChangedPart {
  return {
    sourceId,
    amount,
    over: changes?.at(-1)?.sourceId ?? null,
    ...(granted?.days && { days: granted.days }),
  }
}

/** Each its difference; where none is above zero, each the time that it has left. */
function weightsOf(differences: readonly Fraction[], changed: readonly PaidPeriod[], at: Instant) {
  if (differences.some(isAboveZero))
    return differences.map((difference) => (isAboveZero(difference) ? difference : ZERO))
  return changed.map(({ start, end }) => fraction(end - Math.max(start, at)))
}

/** Of a stretch what is left of it at an instant; before it begins, all. */
function shareLeft({ start, end }: Period, at: Instant): Fraction {
  const left = end - Math.max(start, at)
  return left > 0 ? fraction(left, end - start) : ZERO
}

/** In single months of its plan: granted days as parts of 30, and what money bought as what it cost. */
function singleMonths({ months, granted, plan, amount }: PaidPeriod): Fraction {
  if (months > 0) return fraction(months)
  return granted?.days ? fraction(granted.days, 30) : fraction(amount ?? 0, plan.price)
}

/** What is left at `at` of what was paid for a period and its changes. */
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

/** What `plan` costs for what is left: the same term where it is sold, else so many single months. */
function costLeft(period: PaidPeriod, plan: Plan, at: Instant): Fraction {
  const offer = offerOf(plan, period.months)
  const cost = offer ? fraction(offer.price.amount) : times(fraction(plan.price), singleMonths(period))
  return times(cost, shareLeft(period, at))
}

/** A booked order as it was asked for, where `amount` was paid: what was gone is a part of no period. */
export function orderAgain({ from, credit, parts }: ChangeOrder, amount: number): ChangeOrder {
  const gone = amount - parts.reduce((sum, part) => sum + part.amount, 0)
  const rest = gone > 0 ? [{ sourceId: '', amount: gone, over: null }] : []
  return { from, credit, parts: [...parts, ...rest] }
}

export interface BookedChange {
  readonly subscription: SubscriptionFacts
  /** Null: it was not known, and there is nothing to change. */
  readonly order: ChangeOrder | null
  /** What it is of: the changed time, or what the money bought instead; null: it bought nothing. */
  readonly period: Period | null
  /** Null: nothing was left to change. */
  readonly changed: ToldChange | null
  /** What bought time on the new plan, since what it was for is gone. Null: nothing did. */
  readonly added: { readonly renews: boolean } | null
  /** Whole dinars that found nothing to buy; with balances they are the user's. */
  readonly surplus: number
}

/** As it is told in events. */
export interface ToldChange {
  readonly from: Pick<Plan, 'id'>
  readonly to: Pick<Plan, 'id'>
  readonly at: Instant
  readonly until: Instant
}

/**
 * What `amount` does that was paid for the order. Periods that are gone (over, refunded, ended, changed
 * otherwise since) cannot change: their parts buy time on the new plan for what they are worth.
 */
export function bookChange(
  subscription: SubscriptionFacts,
  paid: {
    readonly id: string
    readonly plan: Plan
    /** Null: not known any more; it is what a change would be at the instant of payment. */
    readonly order: ChangeOrder | null
    readonly amount: number
    readonly instrument: string | null
    readonly at: Instant
  },
  now: Instant,
  rules: BillingRules,
): BookedChange {
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
  const added = amount > surplus ? worthAt(changed, at, { plan, amount }, rules) : null
  const told = toldChange(subscription.periods, periods, id)
  const stretches = [...(told ? [{ start: told.at, end: told.until }] : []), ...(added ? [added.period] : [])]
  return {
    subscription: added ? extend(changed, added, { id, plan, instrument, amount }, now) : changed,
    order: order && {
      ...order,
      parts: booked,
      ...(added && { addedSeconds: added.granted?.seconds ?? 0 }),
      ...(surplus > 0 && { surplus }),
    },
    period: stretches[0]
      ? { start: stretches[0].start, end: Math.max(...stretches.map(({ end }) => end)) }
      : null,
    changed: told,
    added,
    surplus,
  }
}

/** Each with its part of what came. */
function partsOf(order: ChangeOrder | null, amount: number): readonly ChangedPart[] {
  const parts = order?.parts ?? []
  const weights = parts.map((part) => fraction(part.amount))
  const amounts = splitWhole(amount, weights)
  return parts.map((part, place) => ({ ...part, amount: amounts[place] ?? 0 }))
}

function isAsOrdered(part: ChangedPart, { sourceId, changes }: PaidPeriod): boolean {
  return part.sourceId === sourceId && part.over === (changes?.at(-1)?.sourceId ?? null)
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

/** Null: none of these periods has changed by this payment. */
function toldChange(
  before: readonly PaidPeriod[],
  after: readonly PaidPeriod[],
  id: string,
): ToldChange | null {
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

/** From its first period's beginning, or its own instant, to its last one's end; null: there is none. */
export function changedStretch(periods: readonly PaidPeriod[], id: string): Period | null {
  const stretches = periods.flatMap((period) => {
    const change = period.changes?.find(({ sourceId }) => sourceId === id)
    return change ? [stretchOf(change, period)] : []
  })
  const [first] = stretches
  return first ? { start: first.start, end: Math.max(...stretches.map(({ end }) => end)) } : null
}

/** The change that stands on what this payment bought, the last one; null: none does. */
export function changeOn(
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

/** What is over was used, and of an ended subscription nothing is left to take. */
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
