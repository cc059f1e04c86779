// Renewability: whether a user has paid time now, and whether more can be bought. The one place that decides it, for the
// click on "upgrade", for what the portal offers, and for an open checkout that a payment has made needless.
import { DAY, type Instant } from './instant.js'
import { type Catalogue, type Offer, offerOf, type Plan, planById } from './plan.js'
import {
  type BillingRules,
  purchaseAt,
  type Subscription,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

export type Renewability =
  | { readonly allowed: true; readonly renewableFrom: null }
  | {
      /** False: it is too early. */
      readonly allowed: boolean
      readonly renewableFrom: Instant
      readonly currentPeriodEnd: Instant
    }

/** Paid time can be renewed in its last days and in grace; where there is none, a payment is always welcome. */
export function renewabilityAt(facts: SubscriptionFacts, now: Instant, rules: BillingRules): Renewability {
  const subscription = statusAt(facts, now, rules)
  if (!isPaidNow(subscription)) return { allowed: true, renewableFrom: null }
  const { currentPeriodEnd } = subscription
  const renewableFrom = currentPeriodEnd - rules.renewalWindowDays * DAY
  return { allowed: now >= renewableFrom, renewableFrom, currentPeriodEnd }
}

/** Inside paid time, or in its grace. */
export function isPaidNow(
  subscription: Subscription,
): subscription is Subscription & { readonly currentPeriodEnd: Instant } {
  const { status, currentPeriodEnd } = subscription
  return currentPeriodEnd !== null && (status === 'active' || status === 'past_due')
}

/** What the next payment would buy, shown before anyone pays. */
export interface Renewal {
  /** Whether an upgrade would be accepted at this instant. */
  readonly allowed: boolean
  readonly plan: Plan
  /** What a payment made at this instant would buy, `[wouldStart, wouldEnd)`. */
  readonly wouldStart: Instant
  readonly wouldEnd: Instant
  /** From when more can be bought; null where nothing is paid. */
  readonly renewableFrom: Instant | null
}

/** Null when the catalogue holds nothing to buy. Renewed is the plan that was bought last, while it is sold. */
export function renewalAt(
  facts: SubscriptionFacts,
  catalogue: Catalogue,
  now: Instant,
  rules: BillingRules,
): Renewal | null {
  const offer = nextOffer(facts, catalogue)
  if (!offer) return null
  const { allowed, renewableFrom } = renewabilityAt(facts, now, rules)
  const { period } = purchaseAt(facts, now, offer.months, rules)
  return { allowed, plan: offer.plan, wouldStart: period.start, wouldEnd: period.end, renewableFrom }
}

function nextOffer(facts: SubscriptionFacts, catalogue: Catalogue): Offer | null {
  const before = planById(catalogue, facts.periods.at(-1)?.plan.id ?? '')
  const plan = [before, ...catalogue.plans].find((candidate) => candidate && candidate.price > 0)
  return plan ? offerOf(plan) : null
}
