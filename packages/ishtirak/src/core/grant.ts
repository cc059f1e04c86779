// Granted time: days from an operator, or the months of a redeemed code. It extends the run like paid time,
// and changes nothing that was paid.
import type { Decision, Grant } from './decision.js'
import { type Instant, LAST_INSTANT } from './instant.js'
import { offersOf, type Plan, planById } from './plan.js'
import { isPaidNow } from './quote.js'
import {
  type BillingRules,
  extend,
  grantAt,
  lastPlan,
  purchaseAt,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

type WantedGrant = Pick<Grant, 'id' | 'plan' | 'operationId'> &
  ({ readonly days: number } | { readonly months: number })

/** Days move the end by 24 hours each; months count as in a purchase. Null: it would end after 9999. */
export function decideGrant(
  facts: SubscriptionFacts,
  wanted: WantedGrant,
  now: Instant,
  rules: BillingRules,
) {
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
  } satisfies Decision
}

/**
 * The plan of granted days: the user's own as it was sold, else the plan they had last as it is sold now.
 * `planId` is for users who never had a plan; null: the first plan that is sold.
 */
export function planToGrant(
  facts: SubscriptionFacts,
  planId: string | null,
  now: Instant,
  rules: BillingRules,
): Plan | 'unknown_plan' | 'plan_not_purchasable' | 'other_plan' {
  const { catalogue } = rules
  const had = lastPlan(facts)
  if (had && planId !== null && planId !== had.id) return 'other_plan'
  if (had && isPaidNow(statusAt(facts, now, rules))) return had
  const id = had?.id ?? planId
  const plan = id === null ? catalogue.plans.find(({ price }) => price > 0) : planById(catalogue, id)
  // The plan in the form in which it would be sold.
  const [offer] = plan ? offersOf(plan) : []
  return offer?.plan ?? had ?? (plan ? 'plan_not_purchasable' : 'unknown_plan')
}
