// What can be bought now, and what a click on "upgrade" should lead to. Pure: the use case acts on the answer and asks again
// with fresh facts. Renewability is decided here alone: for the click, for the portal, and for a checkout made needless.
import { CLOCK_SKEW_MAX, DAY, HOUR, type Instant } from './instant.js'
import { isPayable, type Payment } from './payment.js'
import { type Catalogue, type Offer, offerOf, planById } from './plan.js'
import {
  type BillingRules,
  purchaseAt,
  type Subscription,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

/** What costs a provider call is bounded: 10 new checkouts a user in an hour. Clicking again on an open one is free. */
const NEW_CHECKOUTS_PER_HOUR = 10

export interface UpgradeFacts {
  readonly subscription: SubscriptionFacts
  /** The payment that occupies the user's one place for a payable checkout. */
  readonly open: Payment | null
  /** When the checkouts that were opened in the last hour were asked for, oldest first. */
  readonly recentAt: readonly Instant[]
}

export type UpgradeDecision =
  | { readonly kind: 'unknown_plan' }
  | { readonly kind: 'plan_not_purchasable' }
  | {
      readonly kind: 'already_subscribed'
      readonly currentPeriodEnd: Instant
      readonly renewableFrom: Instant
    }
  | { readonly kind: 'too_many_checkouts'; readonly retryAt: Instant }
  /** Give this one again. */
  | { readonly kind: 'return'; readonly payment: Payment }
  /** Another process is asking the provider for it right now. */
  | { readonly kind: 'wait'; readonly payment: Payment }
  /** It was left half way: find out what the provider made of it, then go on. */
  | { readonly kind: 'continue'; readonly payment: Payment }
  /** Its time is over, or it buys something else: make sure at the provider that it cannot be paid any more. */
  | { readonly kind: 'close'; readonly payment: Payment }
  | { readonly kind: 'request'; readonly offer: Offer }

export function decideUpgrade(
  facts: UpgradeFacts,
  wanted: { readonly planId: string; readonly catalogue: Catalogue },
  now: Instant,
  rules: BillingRules,
): UpgradeDecision {
  const plan = planById(wanted.catalogue, wanted.planId)
  if (!plan) return { kind: 'unknown_plan' }
  if (plan.price === 0) return { kind: 'plan_not_purchasable' }
  const offer = offerOf(plan)
  const renewability = renewabilityAt(facts.subscription, now, rules)
  if (!renewability.allowed) return { kind: 'already_subscribed', ...renewability }
  if (facts.open) return decideOpen(facts.open, offer, now)
  // What lies in the future was written by a clock that was wrong.
  const recentAt = facts.recentAt.filter((openedAt) => openedAt <= now + CLOCK_SKEW_MAX)
  const [oldest] = recentAt
  if (recentAt.length >= NEW_CHECKOUTS_PER_HOUR && oldest !== undefined) {
    return { kind: 'too_many_checkouts', retryAt: Math.min(oldest, now) + HOUR }
  }
  return { kind: 'request', offer }
}

function decideOpen(payment: Payment, offer: Offer, now: Instant): UpgradeDecision {
  if (payment.status === 'requested') {
    const { attemptEndsAt } = payment
    const isAtWork = now < attemptEndsAt && attemptEndsAt <= now + CLOCK_SKEW_MAX
    return { kind: isAtWork ? 'wait' : 'continue', payment }
  }
  const isSame = payment.plan.id === offer.plan.id && payment.months === offer.months
  return { kind: isSame && isPayable(payment, now) ? 'return' : 'close', payment }
}

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
export type Renewal = NonNullable<ReturnType<typeof renewalAt>>

/** Null when the catalogue holds nothing to buy. Renewed is the plan that was bought last, while it is sold. */
export function renewalAt(facts: SubscriptionFacts, catalogue: Catalogue, now: Instant, rules: BillingRules) {
  const offer = nextOffer(facts, catalogue)
  if (!offer) return null
  const { allowed, renewableFrom } = renewabilityAt(facts, now, rules)
  const { period } = purchaseAt(facts, now, offer.months, rules)
  // `[wouldStart, wouldEnd)` is what a payment made now buys; from `renewableFrom` on more can be bought.
  return { allowed, plan: offer.plan, wouldStart: period.start, wouldEnd: period.end, renewableFrom }
}

function nextOffer(facts: SubscriptionFacts, catalogue: Catalogue): Offer | null {
  const before = planById(catalogue, facts.periods.at(-1)?.plan.id ?? '')
  const plan = [before, ...catalogue.plans].find((candidate) => candidate && candidate.price > 0)
  return plan ? offerOf(plan) : null
}
