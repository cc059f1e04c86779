// What can be bought. The catalogue is configuration; a sold plan is a snapshot that never changes.

import { type LimitDefinition, maximumOf, type PlanLimits } from './limit.js'

/** Whole units of a currency. Chargily takes whole dinars, and a fraction would be lost. */
export interface Money {
  /** Whole dinars, never negative. */
  readonly amount: number
  /** ISO 4217, upper case. */
  readonly currency: string
}

export interface Plan {
  readonly id: string
  readonly name: string
  /** The price of one calendar month in whole units of `currency`; 0 is the plan of users who never paid. */
  readonly price: number
  readonly currency: string
  readonly limits: PlanLimits
  /** Terms sold besides the single month, at their own price. Only plans of the catalogue have them. */
  readonly terms?: readonly Term[]
  /** The days of a trial, 1 to 90. Only plans of the catalogue have it. Absent: no trial. */
  readonly trialDays?: number
}

interface Term {
  /** 1 to `LONGEST_TERM`. */
  readonly months: number
  /** The price of the whole term, in whole units of the plan's currency. */
  readonly price: number
}

export function isSamePlan(one: Plan, other: Plan): boolean {
  const names = Object.keys(one.limits)
  return (
    one.id === other.id &&
    one.name === other.name &&
    one.price === other.price &&
    one.currency === other.currency &&
    names.length === Object.keys(other.limits).length &&
    names.every((name) => one.limits[name] === other.limits[name])
  )
}

export const LONGEST_TERM = 36

/** The plans in the order in which they are shown, the free plan first. Every plan has all of the limits. */
export interface Catalogue {
  readonly limits: readonly LimitDefinition[]
  readonly plans: readonly Plan[]
  readonly free: Plan
}

/** What one payment can buy: a number of months of a plan, and their price together. */
export interface Offer {
  readonly plan: Plan
  readonly months: number
  readonly price: Money
}

/** The offers of a plan: the single month, then its terms by length. The free plan has none. */
export function offersOf(of: Plan): readonly Offer[] {
  const { price, currency, terms = [] } = of
  if (price === 0) return []
  const plan = soldPlan(of)
  const longer = terms.filter(({ months }) => months > 1).toSorted((one, other) => one.months - other.months)
  return [{ months: 1, price }, ...longer].map((term) => ({
    plan,
    months: term.months,
    price: { amount: term.price, currency },
  }))
}

/** The plan as it is sold and stored: without what only the catalogue has. */
export function soldPlan({ id, name, price, currency, limits }: Plan): Plan {
  return { id, name, price, currency, limits }
}

export function offerOf(plan: Plan, months: number): Offer | null {
  return offersOf(plan).find((offer) => offer.months === months) ?? null
}

/** What the term saves against single months, in whole units of its currency. */
export function savingOf({ plan, months, price }: Offer): number {
  return plan.price * months - price.amount
}

export function planById(catalogue: Catalogue, id: string): Plan | undefined {
  return catalogue.plans.find((plan) => plan.id === id)
}

/**
 * A plan as it was sold, with the limits that are counted now. A limit that was added later has the value of
 * the catalogue's plan with this id, else of the free plan. A limit that is no longer counted is left out.
 */
export function planInEffect(catalogue: Catalogue, sold: Plan): Plan {
  const { limits } = catalogue
  const isSold = ({ name }: LimitDefinition) => Object.hasOwn(sold.limits, name)
  if (limits.every(isSold) && Object.keys(sold.limits).length === limits.length) return sold
  const present = planById(catalogue, sold.id) ?? catalogue.free
  return { ...sold, limits: limitsInOrder(limits, { limits: { ...present.limits, ...sold.limits } }) }
}

/** Limits are shown in the catalogue's order, whatever the order in the plan. */
export function limitsInOrder(limits: readonly LimitDefinition[], plan: Pick<Plan, 'limits'>): PlanLimits {
  return Object.fromEntries(limits.map((limit) => [limit.name, maximumOf(plan.limits, limit)]))
}
