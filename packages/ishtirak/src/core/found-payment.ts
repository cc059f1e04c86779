// A payment that has no row, such as after the restore of an older backup, from what its checkout says of itself. Whether
// it is booked or becomes a review is decided as for every payment: the row says what we would have ordered. Pure.
import type { CheckoutReport } from './checkout.js'
import type { Instant } from './instant.js'
import type { MethodTraits } from './method.js'
import { newPayment, type Payment } from './payment.js'
import { type Catalogue, type Offer, offerOf, type Plan } from './plan.js'
import { isUserId } from './user-id.js'

export interface FoundContext {
  readonly catalogue: Catalogue
  /** The one that reports. */
  readonly method: MethodTraits
  readonly now: Instant
}

/** As we draw them: checkouts of other programs may name a payment too. */
const PAYMENT_ID = /^pay_[0-9a-hjkmnp-tv-z]{26}$/

/** Null: the checkout does not say whose it is and which payment of ours, or nothing is for sale. */
export function paymentBehind(report: CheckoutReport, context: FoundContext): Payment | null {
  const { checkoutId, paymentId, userId } = report
  const { catalogue, method, now } = context
  const offer = offerBehind(report, catalogue)
  if (paymentId === null || !PAYMENT_ID.test(paymentId) || !isUserId(userId) || !offer) return null
  const createdAt = report.createdAt ?? report.updatedAt ?? now
  const payment = newPayment({ id: paymentId, userId, offer, method, createdAt, attemptEndsAt: createdAt })
  // Not open: the user may have another payment that is.
  return { ...payment, status: 'expired', checkoutId, nextCheckAt: now }
}

/** What the catalogue does not have is no reason to lose the money: another plan stands in, and differs. */
function offerBehind({ planId, amount }: CheckoutReport, { plans }: Catalogue): Offer | null {
  const sold = plans.filter(({ price }) => price > 0)
  const fits = (plan: Plan) => (planId === undefined ? plan.price === amount : plan.id === planId)
  const [plan, other] = sold.filter(fits)
  const best = other ? undefined : (plan ?? sold[0])
  return best ? offerOf(best) : null
}
