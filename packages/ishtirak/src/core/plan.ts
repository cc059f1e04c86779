// What can be bought. The catalogue is configuration; what was sold is a snapshot that stays.

import { type LimitDefinition, maximumOf, type PlanLimits } from './limit.js'

/** An integer number of whole units: Chargily takes whole dinars, and a fraction would be lost. */
export interface Money {
  /** Whole dinars, never negative. */
  readonly amount: number
  /** ISO 4217, upper case. */
  readonly currency: string
}

export interface Plan {
  readonly id: string
  readonly name: string
  /** Whole units of `currency` for one calendar month; 0 is the plan of users who never paid. */
  readonly price: number
  readonly currency: string
  readonly limits: PlanLimits
  /** Sold beside the single month, at their own price. Of the catalogue alone: what was sold has none. */
  readonly terms?: readonly Term[]
  /** How many days a trial gives, 1 to 90. Of the catalogue alone. Absent: the plan has no trial. */
  readonly trialDays?: number
}

/** So many months of a plan, bought together. */
interface Term {
  /** 1 to `LONGEST_TERM`. */
  readonly months: number
  /** Whole units of the plan's currency for all of them. */
  readonly price: number
}

/** As it was sold, or granted. */
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

/** In months. */
export const LONGEST_TERM = 36

/** In the order they are shown, the free plan first. Each plan has each of the limits, and no other. */
export interface Catalogue {
  readonly limits: readonly LimitDefinition[]
  readonly plans: readonly Plan[]
  readonly free: Plan
}

/** What one payment buys: so many months of a plan, and what they cost together. */
export interface Offer {
  readonly plan: Plan
  /** At least 1. */
  readonly months: number
  readonly price: Money
}

/** All that is sold of a plan: the single month, then its terms by length. None of the free plan. */
export function offersOf({ id, name, price, currency, limits, terms = [] }: Plan): readonly Offer[] {
  if (price === 0) return []
  const plan: Plan = { id, name, price, currency, limits }
  const longer = terms.filter(({ months }) => months > 1).toSorted((one, other) => one.months - other.months)
  return [{ months: 1, price }, ...longer].map((term) => ({
    plan,
    months: term.months,
    price: { amount: term.price, currency },
  }))
}

/** Null: that term is not sold. */
export function offerOf(plan: Plan, months: number): Offer | null {
  return offersOf(plan).find((offer) => offer.months === months) ?? null
}

/** Against as many single months, in whole units of its currency. */
export function savingOf({ plan, months, price }: Offer): number {
  return plan.price * months - price.amount
}

export function planById(catalogue: Catalogue, id: string): Plan | undefined {
  return catalogue.plans.find((plan) => plan.id === id)
}

/**
 * A plan as it was sold, with the limits that are counted now. One that was added later is that of the
 * catalogue's plan of this id, else of the free plan. One that is counted no more is left out.
 */
export function planInEffect(catalogue: Catalogue, sold: Plan): Plan {
  const { limits } = catalogue
  const isSold = ({ name }: LimitDefinition) => Object.hasOwn(sold.limits, name)
  if (limits.every(isSold) && Object.keys(sold.limits).length === limits.length) return sold
  const present = planById(catalogue, sold.id) ?? catalogue.free
  return { ...sold, limits: limitsInOrder(limits, { limits: { ...present.limits, ...sold.limits } }) }
}

/** Limits stand in one order everywhere, whatever that of a plan in the file is. */
export function limitsInOrder(limits: readonly LimitDefinition[], plan: Pick<Plan, 'limits'>): PlanLimits {
  return Object.fromEntries(limits.map((limit) => [limit.name, maximumOf(plan.limits, limit)]))
}
