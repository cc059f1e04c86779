// Time that no payment bought: days from the operator, or the months of a redeemed code. It stands in the run
// like paid time, and nothing that was paid changes.
import { type Instant, LAST_INSTANT } from './instant.js'
import { type Catalogue, offersOf, type Plan, planById } from './plan.js'
import { isPaidNow } from './quote.js'
import {
  type BillingRules,
  extend,
  grantAt,
  lastPlan,
  type PaidPeriod,
  purchaseAt,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

export interface Grant extends Pick<PaidPeriod, 'start' | 'end' | 'plan' | 'months'> {
  /** `grt_…` from the operator, `red_…` by a code, `tri_…` for a trial. */
  readonly id: string
  /** 0 where it gives months. */
  readonly days: number
  /** Named by who asks, so that a repetition is not granted again; null: none was named. */
  readonly operationId: string | null
  /** The grant whose period this one lengthens; null: it has its own. */
  readonly partOf: string | null
}

/** What is to be granted, by one of the two lengths. */
type WantedGrant = Pick<Grant, 'id' | 'plan' | 'operationId'> &
  ({ readonly days: number } | { readonly months: number })

/** Days move the end by so much; months are a purchase's. Null: past 9999, which no timestamp can write. */
export function decideGrant(
  facts: SubscriptionFacts,
  wanted: WantedGrant,
  now: Instant,
  rules: BillingRules,
): {
  readonly grant: Grant
  readonly subscription: SubscriptionFacts
  readonly events: readonly ['subscription.granted']
} | null {
  const { id, plan, operationId } = wanted
  const time =
    'days' in wanted ? grantAt(facts, now, wanted.days, rules) : purchaseAt(facts, now, wanted.months, rules)
  const { months, granted, period } = time
  if (period.end > LAST_INSTANT) return null
  const subscription = extend(facts, time, { id, plan, instrument: null }, now)
  const holder = subscription.periods.at(-1)?.sourceId ?? id
  const partOf = holder === id ? null : holder
  return {
    grant: { id, plan, operationId, months, days: granted?.days ?? 0, ...period, partOf },
    subscription,
    events: ['subscription.granted'],
  }
}

export type GrantRefusal = 'unknown_plan' | 'plan_not_purchasable' | 'other_plan'

/**
 * The plan of granted days: the user's own, as it was sold; else the one they had last, as it is sold now.
 * `planId` is for users who never had one; null: the first that is sold.
 */
export function planToGrant(
  facts: SubscriptionFacts,
  planId: string | null,
  catalogue: Catalogue,
  now: Instant,
  rules: BillingRules,
): Plan | GrantRefusal {
  const had = lastPlan(facts)
  if (had && planId !== null && planId !== had.id) return 'other_plan'
  if (had && isPaidNow(statusAt(facts, now, rules))) return had
  const id = had?.id ?? planId
  const plan = id === null ? catalogue.plans.find(({ price }) => price > 0) : planById(catalogue, id)
  // As it would be sold.
  const [offer] = plan ? offersOf(plan) : []
  return offer?.plan ?? had ?? (plan ? 'plan_not_purchasable' : 'unknown_plan')
}
