// The quote of a purchase: the one decision about what is sold to a user, when and at what price. The click,
// the quote, the renewal that is shown and a checkout that is no longer needed all call it. Pure.
import { type ChangeOrder, changeAt, isSameTime } from './change.js'
import { type CodeFacts, type Discount, discountOfBatch, discountOfCode } from './code.js'
import { DAY, type Instant, SECOND } from './instant.js'
import { type Catalogue, type Offer, offerOf, offersOf, type Plan, planById, soldPlan } from './plan.js'
import {
  type BillingRules,
  endsWithTrial,
  lastPlan,
  type Period,
  purchaseAt,
  renewed,
  type Subscription,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

/** `upgrade`: a click, which buys nothing before the renewal window. `payment`: it may buy ahead. */
export type PurchaseMode = 'upgrade' | 'payment'

/** `now`: a plan change, which costs the difference. `end`: more time. */
export const STARTS = ['now', 'end'] as const
export type Start = (typeof STARTS)[number]

export interface Wanted {
  readonly planId: string
  /** The months of more time. A plan change has none. */
  readonly months: number
  readonly mode: PurchaseMode
  /** Absent: `end`, but `now` for an upgrade to a dearer plan. */
  readonly start?: Start | undefined
  /** The code that was given; `unknown`: no such code exists. Absent: none was given. */
  readonly code?: CodeFacts | 'unknown' | undefined
  /** What a proforma has offered, to be sold at that price. Absent: the price of the catalogue. */
  readonly agreed?: Agreed | undefined
  readonly poNumber?: string | undefined
}

export type Agreed = Pick<Quote, 'offer' | 'change' | 'amount'>

export interface Quote {
  /** The offer at the catalogue's price. A plan change has 0 months and the price of the time left. */
  readonly offer: Offer
  /** Absent: more time is bought. */
  readonly change?: ChangeOrder
  readonly discount: number
  readonly codeHash: string | null
  /** The amount to pay: the offer's price less credit and discount. */
  readonly amount: number
  /** The time that a payment would buy now. */
  readonly period: Period
}

export type QuoteDecision = { readonly kind: 'sold'; readonly quote: Quote } | QuoteRefusal

/** Why nothing is sold. If it is only too early, this has the quote as well. */
export type QuoteRefusal =
  | {
      readonly kind:
        | 'unknown_plan'
        | 'plan_not_purchasable'
        | 'unknown_term'
        | 'code_not_valid'
        | 'no_dearer_plan'
        | 'nothing_to_pay'
        | 'proforma_not_valid'
    }
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
      /** From this whole second on it can be bought, if nothing else is bought before. */
      readonly fitsFrom: Instant
    }

export function decideQuote(
  stored: SubscriptionFacts,
  { planId, months, mode, start, code, agreed }: Wanted,
  now: Instant,
  rules: BillingRules,
): QuoteDecision {
  const facts = renewed(stored, now, rules)
  const plan = agreed?.offer.plan ?? planById(rules.catalogue, planId)
  if (!plan) return { kind: 'unknown_plan' }
  if (plan.price === 0) return { kind: 'plan_not_purchasable' }
  if (start === 'now' || (start === undefined && mode === 'upgrade')) {
    const change = changeQuote(facts, plan, code, now, rules)
    if (change === 'code_not_valid') return { kind: change }
    if (agreed?.change) return agreedChange(agreed, change)
    if (change) return { kind: 'sold', quote: change }
    if (start === 'now') return { kind: 'no_dearer_plan' }
  }
  const offer = agreed?.offer ?? offerOf(plan, months)
  if (!offer) return { kind: 'unknown_term' }
  const discount = requestedDiscount(code, offer, now)
  const given = discountGiven(offer.price.amount, discount, rules)
  const amount = offer.price.amount - given
  const quote = {
    ...{ offer, discount: given, amount, codeHash: hashOf(code) },
    // Computed when it is read: a click buys without it, and the calendar is most of the cost of a decision.
    get period() {
      return purchaseAt(facts, now, months, rules).period
    },
  }
  // The code is judged last: if something else prevents the sale, the answer must not reveal a valid code.
  const sold =
    discount === 'not_valid' ? ({ kind: 'code_not_valid' } as const) : ({ kind: 'sold', quote } as const)
  const renewability = renewabilityAt(facts, now, rules)
  if (renewability.allowed) return sold
  const { currentPeriodEnd, renewableFrom } = renewability
  if (mode === 'upgrade') return { kind: 'already_subscribed', quote, currentPeriodEnd, renewableFrom }
  // Counted back from the end, which gives one instant. A renewal is always possible, however long its term.
  const allowedFrom = rules.calendar.monthsAfter(quote.period.end, -rules.prepayMaxMonths)
  const fitsFrom = Math.ceil(Math.min(allowedFrom, renewableFrom) / SECOND) * SECOND
  if (now >= fitsFrom) return sold
  return { kind: 'prepaid_limit_reached', quote, currentPeriodEnd, fitsFrom }
}

/** Decides a payment. If a code leaves nothing to pay, it has to be redeemed instead. */
export function decidePayment(...asked: Parameters<typeof decideQuote>): QuoteDecision {
  const decision = decideQuote(...asked)
  const isFree = decision.kind === 'sold' && decision.quote.amount === 0
  return isFree ? { kind: 'nothing_to_pay' } : decision
}

/** The decision for each term of each plan, as more time that is bought now. */
export function termDecisions(
  facts: SubscriptionFacts,
  now: Instant,
  rules: BillingRules,
  code?: Wanted['code'],
): readonly QuoteDecision[] {
  return rules.catalogue.plans.flatMap(offersOf).map(({ plan, months }) => {
    const wanted = { planId: plan.id, months, mode: 'payment', code } as const
    return decideQuote(facts, wanted, now, rules)
  })
}

export const quotesIn = (decisions: readonly QuoteDecision[]): readonly Quote[] =>
  decisions.flatMap((decision) => (decision.kind === 'sold' ? [decision.quote] : []))

/** Null: no paid or granted time is left, or the running plan is not cheaper. */
function changeQuote(
  facts: SubscriptionFacts,
  plan: Plan,
  code: Wanted['code'],
  now: Instant,
  { leastAmount }: BillingRules,
): Quote | 'code_not_valid' | null {
  const change = changeAt(facts, plan, now, leastAmount)
  if (!change) return null
  const { order, difference, period } = change
  const price = { amount: order.credit + difference, currency: plan.currency }
  const offer = { plan: soldPlan(plan), months: 0, price }
  const discount = requestedDiscount(code, offer, now)
  if (discount === 'not_valid') return 'code_not_valid'
  const given = Math.min(largestDiscount(difference, discount), difference - leastAmount)
  const amount = difference - given
  return { offer, change: order, discount: given, amount, codeHash: hashOf(code), period }
}

/** `change` is today's quote. The agreed price holds while the time that changes is the same. */
function agreedChange(agreed: Agreed, change: Quote | null): QuoteDecision {
  if (!agreed.change || !change?.change || !isSameTime(agreed.change, change.change))
    return { kind: 'proforma_not_valid' }
  return { kind: 'sold', quote: { ...change, ...agreed } }
}

/** The price of a change to each dearer plan now; empty if nothing can change. */
export function changeQuotes(stored: SubscriptionFacts, now: Instant, rules: BillingRules): readonly Quote[] {
  const facts = renewed(stored, now, rules)
  return rules.catalogue.plans.flatMap((plan) => {
    const quote = changeQuote(facts, plan, undefined, now, rules)
    return quote === null || quote === 'code_not_valid' ? [] : [quote]
  })
}

type RequestedDiscount = Discount | 'none' | 'not_valid'

function requestedDiscount(code: Wanted['code'], offer: Offer, now: Instant): RequestedDiscount {
  if (code === undefined) return 'none'
  return (code === 'unknown' ? null : discountOfCode(code, offer, now)) ?? 'not_valid'
}

/** The hash of the given code; null: none was given, or no such code exists. */
export function hashOf(code: Wanted['code']): string | null {
  return typeof code === 'object' ? code.hash : null
}

/** The discount in whole units, at most the price, rounded in the seller's favour. */
function largestDiscount(price: number, discount: RequestedDiscount): number {
  if (typeof discount === 'string') return 0
  const wanted = discount.kind === 'percent' ? Math.floor((price * discount.percent) / 100) : discount.amount
  return Math.min(wanted, price)
}

/** If the rest is too small for a gateway, it is free by every method: no price depends on the method. */
function discountGiven(
  price: number,
  discount: RequestedDiscount,
  { leastAmount }: Pick<BillingRules, 'leastAmount'>,
): number {
  const wanted = largestDiscount(price, discount)
  return wanted > 0 && price - wanted < leastAmount ? price : wanted
}

/** The offers that a code of this worth makes free. */
export function freeOffers(
  batch: Parameters<typeof discountOfBatch>[0],
  rules: Pick<BillingRules, 'catalogue' | 'leastAmount'>,
): readonly Offer[] {
  return rules.catalogue.plans.flatMap(offersOf).filter((offer) => {
    const { amount } = offer.price
    return discountGiven(amount, discountOfBatch(batch, offer) ?? 'none', rules) === amount
  })
}

/** Paid time can be renewed in its last days and in grace. During a trial or without time, always. */
export function renewabilityAt(facts: SubscriptionFacts, now: Instant, rules: BillingRules) {
  const subscription = statusAt(facts, now, rules)
  if (!isPaidNow(subscription) || endsWithTrial(subscription.periods))
    return { allowed: true, renewableFrom: null } as const
  const { currentPeriodEnd } = subscription
  const renewableFrom = currentPeriodEnd - rules.renewalWindowDays * DAY
  return { allowed: now >= renewableFrom, renewableFrom, currentPeriodEnd }
}

export function isPaidNow(
  subscription: Subscription,
): subscription is Subscription & { readonly currentPeriodEnd: Instant } {
  const { status, currentPeriodEnd } = subscription
  return currentPeriodEnd !== null && (status === 'active' || status === 'past_due')
}

/** The price and period of the next single month, shown before anyone pays. */
export type Renewal = NonNullable<ReturnType<typeof renewalAt>>

/** What `/upgrade` would sell: the plan bought last, if it is still sold. Null: nothing can be bought. */
export function renewalAt(facts: SubscriptionFacts, now: Instant, rules: BillingRules) {
  const plan = nextPlan(facts, rules.catalogue)
  if (!plan) return null
  const wanted = { planId: plan.id, months: 1, mode: 'upgrade', start: 'end' } as const
  const decision = decideQuote(facts, wanted, now, rules)
  if (!('quote' in decision)) return null
  const { amount, period } = decision.quote
  const { renewableFrom } = renewabilityAt(facts, now, rules)
  // A payment made now buys `[wouldStart, wouldEnd)`. From `renewableFrom` on, more can be bought.
  return {
    allowed: decision.kind === 'sold',
    ...{ plan, amount, wouldStart: period.start, wouldEnd: period.end, renewableFrom },
  }
}

/** Offers of the plan that renews: first the term paid last, else the single month. Empty: none is sold. */
export function renewalOffers(facts: SubscriptionFacts, catalogue: Catalogue): readonly Offer[] {
  const plan = nextPlan(facts, catalogue)
  const [single, ...longer] = plan ? offersOf(plan) : []
  const before = facts.periods.findLast(({ sourceId }) => sourceId.startsWith('pay_'))?.months
  const usual = longer.find(({ months }) => months === before) ?? single
  return single && usual ? [usual, ...[single, ...longer].filter((offer) => offer !== usual)] : []
}

function nextPlan(facts: SubscriptionFacts, { plans }: Catalogue): Plan | undefined {
  const before = lastPlan(facts)?.id
  const sold = plans.filter(({ price }) => price > 0)
  return sold.find(({ id }) => id === before) ?? sold[0]
}
