// What a click on "upgrade" or another purchase leads to. The quote decides whether it is sold; this decides
// what happens to an open payment. Pure: the use case asks again with fresh facts.
import { balanceIn } from './balance.js'
import { isSameTime } from './change.js'
import { HOUR, type Instant } from './instant.js'
import { isPayable, type Payment } from './payment.js'
import { isSamePlan, type Offer } from './plan.js'
import { decidePayment, type Quote, type QuoteRefusal, type Wanted } from './quote.js'
import { type BillingRules, renewed, type SubscriptionFacts } from './subscription.js'

/** 10 new checkouts a user in an hour, because each costs a call to the provider. An open one is free. */
const NEW_CHECKOUTS_PER_HOUR = 10

export interface UpgradeFacts {
  readonly subscription: SubscriptionFacts
  /** The user's open payment: there is one with each method at most. */
  readonly open: Payment | null
  /** When the checkouts of the last hour by these methods were ordered, oldest first. */
  readonly recentAt: readonly Instant[]
  /** A withdrawn payment that can still be paid until the provider ends it; null: none. */
  readonly withdrawnId: string | null
}

/** Whole dinars to add to the user's balance. */
export interface WantedTopUp {
  readonly topUp: number
}

/** What the user pays for: an offer, or only an amount for a top-up. */
export type Sale = Pick<Quote, 'amount' | 'discount' | 'codeHash' | 'change'> & {
  readonly offer: Offer | Pick<Offer, 'price'>
}

/** What is ordered together with a sale. An open payment must have the same to be reused. */
type Ordered = Pick<Wanted, 'agreed' | 'poNumber'>

/** The refusal, with the most that may be paid in now, in whole dinars. */
export interface TopUpRefusal {
  readonly kind: 'balance_limit_reached'
  readonly most: number
}

export type UpgradeDecision =
  | { readonly kind: 'not_sold'; readonly refusal: QuoteRefusal | TopUpRefusal }
  | { readonly kind: 'too_many_checkouts'; readonly retryAt: Instant }
  | { readonly kind: 'return'; readonly payment: Payment }
  /** Another process is calling the provider for it right now. */
  | { readonly kind: 'wait'; readonly payment: Payment }
  /** A process died half way: find out what the provider did, then continue. */
  | { readonly kind: 'continue'; readonly payment: Payment }
  /** Its time is over, or it buys something else: it must not be payable any more. */
  | { readonly kind: 'close'; readonly payment: Payment; readonly isSame: boolean }
  /** It would be payable beside the new one, so first make sure that it is not. */
  | { readonly kind: 'end_withdrawn'; readonly paymentId: string }
  | { readonly kind: 'request'; readonly sale: Sale }

export function decideUpgrade(
  facts: UpgradeFacts,
  wanted: Wanted | WantedTopUp,
  now: Instant,
  rules: BillingRules,
): UpgradeDecision {
  const decision =
    'topUp' in wanted
      ? decideTopUp(facts.subscription, wanted, now, rules)
      : decidePayment(facts.subscription, wanted, now, rules)
  if (decision.kind !== 'sold') return { kind: 'not_sold', refusal: decision }
  const { quote: sale } = decision
  const tooMany = tooManyAt(facts.recentAt)
  if (facts.open) {
    const next = decideOpen(facts.open, sale, 'topUp' in wanted ? {} : wanted, now)
    // A payable payment is not closed for a choice that would then be refused.
    return next.kind === 'close' && tooMany && isPayable(facts.open, now) ? tooMany : next
  }
  if (facts.withdrawnId !== null) return { kind: 'end_withdrawn', paymentId: facts.withdrawnId }
  return tooMany ?? { kind: 'request', sale }
}

export function decideTopUp(
  facts: SubscriptionFacts,
  { topUp: amount }: WantedTopUp,
  now: Instant,
  rules: BillingRules,
): { readonly kind: 'sold'; readonly quote: Sale } | TopUpRefusal {
  const most = rules.balanceMax - balanceIn(renewed(facts, now, rules))
  if (amount > most) return { kind: 'balance_limit_reached', most: Math.max(most, 0) }
  const offer = { price: { amount, currency: 'DZD' } }
  return { kind: 'sold', quote: { offer, amount, discount: 0, codeHash: null } }
}

function tooManyAt(recentAt: readonly Instant[]) {
  const [oldest] = recentAt
  if (oldest === undefined || recentAt.length < NEW_CHECKOUTS_PER_HOUR) return null
  return { kind: 'too_many_checkouts', retryAt: oldest + HOUR } as const
}

function decideOpen(
  payment: Payment,
  sale: Sale,
  { agreed, poNumber }: Ordered,
  now: Instant,
): UpgradeDecision {
  if (payment.status === 'requested') {
    return { kind: now < payment.attemptEndsAt ? 'wait' : 'continue', payment }
  }
  const { offer, change, amount, codeHash } = sale
  const months = change || !('plan' in offer) ? null : offer.months
  const planId = 'plan' in offer ? offer.plan.id : undefined
  const isSameTerm = payment.plan?.id === planId && payment.months === months
  // The catalogue's price may have changed, but a transfer may be under way, so it keeps its price. A plan
  // change was quoted for the time left, which passes: it holds while that time is the same.
  const mayDiffer = (payment.checkoutUrl === null && payment.kind !== 'top_up') || change !== undefined
  const isPrice = payment.price.amount === amount || (mayDiffer && !agreed)
  const isTime = !change || (payment.change !== null && isSameTime(payment.change, change))
  // A proforma is sold with the plan as it was offered.
  const isPlan = !agreed || (payment.plan !== null && isSamePlan(payment.plan, agreed.offer.plan))
  const isOrder = poNumber === undefined || payment.poNumber === poNumber
  const isSame = isSameTerm && payment.codeHash === codeHash && isPrice && isTime && isPlan && isOrder
  return isSame && isPayable(payment, now) ? { kind: 'return', payment } : { kind: 'close', payment, isSame }
}
