// What a purchase would be: the one decision about what is sold to a user, when, and for how much. The click,
// the quote, the renewal that is shown and the checkout that is not needed any more all ask here. Pure.
import { type CodeFacts, type Discount, discountOf } from './code.js'
import { DAY, type Instant, SECOND } from './instant.js'
import { type Catalogue, type Offer, offerOf, offersOf, type Plan, planById } from './plan.js'
import {
  type BillingRules,
  type Period,
  purchaseAt,
  renewed,
  type Subscription,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

/** `upgrade`: a click, which buys nothing before the renewal window. `payment`: a request, also ahead. */
export type PurchaseMode = 'upgrade' | 'payment'

export interface Wanted {
  readonly planId: string
  readonly months: number
  readonly mode: PurchaseMode
  /** That takes something off the price; null: what was given is no code of ours; absent: none was given. */
  readonly code?: CodeFacts | null | undefined
}

export interface Quote {
  /** At the price of the catalogue. */
  readonly offer: Offer
  /** Whole units of the offer's currency. */
  readonly discount: number
  /** Of the code that takes it off; null: none does. */
  readonly codeHash: string | null
  /** What is to be paid: the offer's price without the discount. */
  readonly amount: number
  /** What a payment made now buys. */
  readonly period: Period
}

export type QuoteDecision = { readonly kind: 'sold'; readonly quote: Quote } | QuoteRefusal

/** Why it is not sold. Where it is only too early, with what would have been. */
export type QuoteRefusal =
  | { readonly kind: 'unknown_plan' | 'plan_not_purchasable' | 'unknown_term' | 'code_not_valid' }
  | {
      readonly kind: 'already_subscribed'
      readonly quote: Quote
      readonly currentPeriodEnd: Instant
      readonly renewableFrom: Instant
    }
  | {
      readonly kind: 'prepaid_limit_reached'
      readonly quote: Quote
      readonly currentPeriodEnd: Instant
      /** A whole second: from then on it can be bought, if nothing else is. */
      readonly fitsFrom: Instant
    }

export function decideQuote(
  stored: SubscriptionFacts,
  { planId, months, mode, code }: Wanted,
  catalogue: Catalogue,
  now: Instant,
  rules: BillingRules,
): QuoteDecision {
  const facts = renewed(stored, now, rules)
  const plan = planById(catalogue, planId)
  if (!plan) return { kind: 'unknown_plan' }
  if (plan.price === 0) return { kind: 'plan_not_purchasable' }
  const offer = offerOf(plan, months)
  if (!offer) return { kind: 'unknown_term' }
  const discount = code === undefined ? undefined : discountOf(code, offer, now)
  const taken = discountOn(offer.price.amount, discount, rules.leastAmount)
  const amount = offer.price.amount - taken
  const quote = {
    ...{ offer, discount: taken, amount, codeHash: code?.hash ?? null },
    // Computed where it is read: a click buys without it, and the calendar would be most of its decision.
    get period() {
      return purchaseAt(facts, now, months, rules).period
    },
  }
  // Whether the code counts is said last: while something else is in the way, nothing is told of it.
  const sold = discount === null ? ({ kind: 'code_not_valid' } as const) : ({ kind: 'sold', quote } as const)
  const renewability = renewabilityAt(facts, now, rules)
  if (renewability.allowed) return sold
  const { currentPeriodEnd, renewableFrom } = renewability
  if (mode === 'upgrade') return { kind: 'already_subscribed', quote, currentPeriodEnd, renewableFrom }
  // Counted back from the end, which gives one instant. A renewal is possible, however long the term.
  const isNear = rules.calendar.monthsAfter(quote.period.end, -rules.prepayMaxMonths)
  const fitsFrom = Math.ceil(Math.min(isNear, renewableFrom) / SECOND) * SECOND
  if (now >= fitsFrom) return sold
  return { kind: 'prepaid_limit_reached', quote, currentPeriodEnd, fitsFrom }
}

/** In whole units, rounded in the seller's favour. */
function discountOn(price: number, discount: Discount | null | undefined, leastAmount: number): number {
  if (!discount) return 0
  const wanted = discount.kind === 'percent' ? Math.floor((price * discount.percent) / 100) : discount.amount
  return Math.min(wanted, price - leastAmount)
}

type Renewability =
  | { readonly allowed: true; readonly renewableFrom: null }
  | {
      /** False: it is too early. */
      readonly allowed: boolean
      readonly renewableFrom: Instant
      readonly currentPeriodEnd: Instant
    }

/** Paid time can be renewed in its last days and in grace; where there is none, at any time. */
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

/** What the next single month would be, shown before anyone pays. */
export type Renewal = NonNullable<ReturnType<typeof renewalAt>>

/** As `/upgrade` sells it. Null: nothing can be bought. Of the plan bought last, while it is sold. */
export function renewalAt(facts: SubscriptionFacts, catalogue: Catalogue, now: Instant, rules: BillingRules) {
  const plan = nextPlan(facts, catalogue)
  if (!plan) return null
  const wanted = { planId: plan.id, months: 1, mode: 'upgrade' } as const
  const decision = decideQuote(facts, wanted, catalogue, now, rules)
  if (!('quote' in decision)) return null
  const { amount, period } = decision.quote
  const { renewableFrom } = renewabilityAt(facts, now, rules)
  // `[wouldStart, wouldEnd)` is what a payment made now buys; from `renewableFrom` on more can be bought.
  return {
    allowed: decision.kind === 'sold',
    ...{ plan, amount, wouldStart: period.start, wouldEnd: period.end, renewableFrom },
  }
}

/** Of the plan that a renewal is of, first the term paid last, else the single month. Empty: none is sold. */
export function renewalOffers(facts: SubscriptionFacts, catalogue: Catalogue): readonly Offer[] {
  const plan = nextPlan(facts, catalogue)
  const [single, ...longer] = plan ? offersOf(plan) : []
  const before = facts.periods.findLast(({ sourceId }) => sourceId.startsWith('pay_'))?.months
  const usual = longer.find(({ months }) => months === before) ?? single
  return single && usual ? [usual, ...[single, ...longer].filter((offer) => offer !== usual)] : []
}

function nextPlan(facts: SubscriptionFacts, { plans }: Catalogue): Plan | undefined {
  const before = facts.periods.at(-1)?.plan.id
  const sold = plans.filter(({ price }) => price > 0)
  return sold.find(({ id }) => id === before) ?? sold[0]
}
