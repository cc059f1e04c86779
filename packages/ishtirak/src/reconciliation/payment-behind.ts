// Makes a payment without a row (as after the restore of an older backup) from its checkout. Pure.
import type { CheckoutReport, MethodTraits } from '../core/checkout.js'
import type { CodeDiscount } from '../core/code.js'
import type { Instant } from '../core/instant.js'
import { newPayment, type Payment } from '../core/payment.js'
import { type Catalogue, LONGEST_TERM, type Offer, offersOf } from '../core/plan.js'
import { isUserId } from '../core/user-id.js'

/** The form of our ids, because checkouts of other programs may name a payment too. */
const PAYMENT_ID = /^pay_[0-9a-hjkmnp-tv-z]{26}$/

/** As it would have been ordered. Null: it names no user and payment of ours, or nothing is for sale. */
export function paymentBehind(
  report: CheckoutReport,
  {
    catalogue,
    method,
    now,
  }: { readonly catalogue: Catalogue; readonly method: MethodTraits; readonly now: Instant },
): Payment | null {
  const { checkoutId, paymentId, userId } = report
  const offer =
    report.kind === 'top_up'
      ? topUpBehind(report)
      : report.kind === 'change'
        ? changeBehind(report, catalogue)
        : offerBehind(report, catalogue)
  if (paymentId === null || !PAYMENT_ID.test(paymentId) || !isUserId(userId) || !offer) return null
  const createdAt = report.createdAt ?? report.updatedAt ?? now
  const bought = cheaper(offer, report.code, method)
  const payment = newPayment({
    ...bought,
    ...(report.kind === 'change' && { change: 'unknown' as const }),
    id: paymentId,
    userId,
    method,
    createdAt,
    attemptEndsAt: createdAt,
  })
  // Closed, because the user may have another open payment.
  return { ...payment, status: 'expired', checkoutId, nextCheckAt: now }
}

/** Takes the reported amount as the price, because the ordered amount is lost. */
function topUpBehind({ amount, currency }: CheckoutReport): Pick<Offer, 'price'> | null {
  return amount === null || amount < 1 ? null : { price: { amount, currency: currency ?? 'DZD' } }
}

/** The order of the plan change is lost, so it is booked for the time that is left. */
function changeBehind(report: CheckoutReport, { plans }: Catalogue): Offer | null {
  const offers = plans.flatMap(offersOf)
  const offer = offers.find(({ plan }) => plan.id === report.planId) ?? offers[0]
  const price = topUpBehind(report)
  return offer && price ? { ...offer, ...price, months: 0 } : null
}

/** The price less the discount in the checkout's metadata. If that is not the amount, it is a difference. */
function cheaper(
  offer: Offer | Pick<Offer, 'price'>,
  code: CodeDiscount | undefined,
  { leastAmount }: MethodTraits,
) {
  const amount = offer.price.amount - (code?.discount ?? 0)
  if (!code || amount < leastAmount) return { offer }
  return { offer: { ...offer, price: { ...offer.price, amount } }, code }
}

/** A plan that is no longer sold must not lose the money: another offer replaces it, and differs. */
function offerBehind(report: CheckoutReport, { plans }: Catalogue): Offer | null {
  const { planId, months, amount } = report
  const offers = plans.flatMap(offersOf)
  const said = offers.filter(
    (offer) => (planId ?? offer.plan.id) === offer.plan.id && (months ?? offer.months) === offer.months,
  )
  if (planId !== undefined && months !== undefined && said[0]) return said[0]
  const [fitting, other] = said.filter(({ price }) => price.amount === amount)
  if (other) return null
  const standIn = said[0] ?? offers.find(({ plan }) => plan.id === planId) ?? offers[0]
  return fitting ?? (standIn ? asSaid(standIn, months) : null)
}

/** A term that is no longer sold costs its single months. */
function asSaid(offer: Offer, months = offer.months): Offer {
  if (months === offer.months || months < 1 || months > LONGEST_TERM) return offer
  return { ...offer, months, price: { ...offer.price, amount: offer.plan.price * months } }
}
