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

/** The two plans of `seed.md` section 2. */
export const SEED_PLANS: readonly Plan[] = [
  {
    id: 'free',
    name: 'Free',
    price: 0,
    currency: 'DZD',
    limits: { projects: 3, domains_per_project: 1, deploys_per_day: 10, storage_mb: 500 },
  },
  {
    id: 'pro',
    name: 'Pro',
    price: 2000,
    currency: 'DZD',
    limits: { projects: 10, domains_per_project: 5, deploys_per_day: 50, storage_mb: 5120 },
  },
]

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

function limitsInOrder(limits: readonly LimitDefinition[], plan: Pick<Plan, 'limits'>): PlanLimits {
  return Object.fromEntries(limits.map((limit) => [limit.name, maximumOf(plan.limits, limit)]))
}

/** Gives the catalogue, or every problem, in words. No gateway takes less than `leastAmount`. */
export function assembleCatalogue(
  plans: readonly Plan[],
  limits: readonly LimitDefinition[],
  leastAmount: number,
): Catalogue | readonly string[] {
  const [free, second] = plans.filter((plan) => plan.price === 0)
  const problems = plans.flatMap((plan, index) => [
    ...(plans.findIndex((other) => other.id === plan.id) < index ? [`plan "${plan.id}" stands twice`] : []),
    ...(plan.currency === 'DZD' ? [] : [`plan "${plan.id}": the provider takes DZD only`]),
    ...(plan.price > 0 && plan.price < leastAmount
      ? [`plan "${plan.id}": the provider takes no payment under ${leastAmount} DZD`]
      : []),
    ...termProblems(plan, leastAmount).map((problem) => `plan "${plan.id}": ${problem}`),
  ])
  if (second) problems.push('more than one plan costs 0')
  if (!free) return [...problems, 'no plan costs 0: users who never paid need one']
  if (plans[0] !== free) problems.push('the plan that costs 0 must stand first')
  if (problems.length > 0) return problems
  // Limits stand in one order everywhere, whatever that of a plan in the file is.
  const inOrder = (plan: Plan) => ({ ...plan, limits: limitsInOrder(limits, plan) })
  return { limits, plans: plans.map(inOrder), free: inOrder(free) }
}

function termProblems({ price: single, terms = [] }: Plan, leastAmount: number): readonly string[] {
  if (single === 0 && terms.length > 0) return ['it costs nothing, so it has no terms']
  return terms.flatMap(({ months, price }, index) => [
    ...(terms.findIndex((other) => other.months === months) < index
      ? [`the term of ${months} months stands twice`]
      : []),
    ...(months === 1 && price !== single ? [`a term of 1 month costs what the plan costs, ${single}`] : []),
    ...(price < leastAmount
      ? [`the term of ${months} months: the provider takes no payment under ${leastAmount} DZD`]
      : []),
    ...(months > 1 && price > months * single
      ? [`the term of ${months} months costs more than ${months} single months, ${months * single}`]
      : []),
  ])
}
