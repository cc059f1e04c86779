// What can be bought. The catalogue is configuration; what was sold is a snapshot that later changes do not touch.

export const LIMIT_NAMES = ['projects', 'domains_per_project', 'deploys_per_day', 'storage_mb'] as const
export type LimitName = (typeof LIMIT_NAMES)[number]
export type PlanLimits = Readonly<Record<LimitName, number>>

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
}

/** The plans in the order they are shown, the free one first. */
export interface Catalogue {
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

/** A single month, the one term that is sold. */
export function offerOf(plan: Plan): Offer {
  return { plan, months: 1, price: { amount: plan.price, currency: plan.currency } }
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

/** The least that Chargily accepts: "The amount field must be greater than or equal to 50." */
const SMALLEST_PAYABLE_AMOUNT = 50

/** Checks what a schema cannot say and gives the catalogue, or every problem found, in words for the operator. */
export function assembleCatalogue(plans: readonly Plan[]): Catalogue | readonly string[] {
  const [free, second] = plans.filter((plan) => plan.price === 0)
  const problems = plans.flatMap((plan, index) => [
    ...(plans.findIndex((other) => other.id === plan.id) < index ? [`plan "${plan.id}" stands twice`] : []),
    ...(plan.currency === 'DZD' ? [] : [`plan "${plan.id}": the provider takes DZD only`]),
    ...(plan.price > 0 && plan.price < SMALLEST_PAYABLE_AMOUNT
      ? [`plan "${plan.id}": the provider takes no payment under ${SMALLEST_PAYABLE_AMOUNT} DZD`]
      : []),
  ])
  if (second) problems.push('more than one plan costs 0')
  if (!free) return [...problems, 'no plan costs 0: users who never paid need one']
  if (plans[0] !== free) problems.push('the plan that costs 0 must stand first')
  return problems.length > 0 ? problems : { plans, free }
}
