// A payment that has no row, such as after the restore of an older backup, from what its checkout says of itself. Whether
// it is booked or becomes a review is decided as for every payment: the row says what we would have ordered. Pure.
import type { CheckoutReport } from './checkout.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import type { Catalogue, Plan } from './plan.js'
import { isUserId } from './user-id.js'

export interface FoundContext {
  readonly catalogue: Catalogue
  readonly live: boolean
  readonly lifetimeMs: number
  readonly now: Instant
}

/** As we draw them: checkouts of other programs may name a payment too. */
const PAYMENT_ID = /^pay_[0-9a-hjkmnp-tv-z]{26}$/

/** Null: the checkout does not say whose it is and which payment of ours, or nothing is for sale. */
export function paymentBehind(report: CheckoutReport, context: FoundContext): Payment | null {
  const { checkoutId, paymentId, userId } = report
  const { live, lifetimeMs, now } = context
  const plan = planBehind(report, context.catalogue)
  if (paymentId === null || !PAYMENT_ID.test(paymentId) || !isUserId(userId) || !plan) return null
  const createdAt = report.createdAt ?? report.updatedAt ?? now
  return {
    id: paymentId,
    userId,
    plan,
    price: { amount: plan.price, currency: plan.currency },
    live,
    // Not open: the user may have another payment that is.
    status: 'expired',
    checkoutId,
    checkoutUrl: null,
    paymentMethod: null,
    createdAt,
    expiresAt: createdAt + lifetimeMs,
    attemptEndsAt: createdAt,
    paidAt: null,
    periodStart: null,
    periodEnd: null,
    secondOf: null,
    review: null,
    nextCheckAt: now,
  }
}

/** What the catalogue does not have is no reason to lose the money: another plan stands in, and differs. */
function planBehind({ planId, amount }: CheckoutReport, { plans }: Catalogue): Plan | undefined {
  const sold = plans.filter(({ price }) => price > 0)
  const fits = (plan: Plan) => (planId === undefined ? plan.price === amount : plan.id === planId)
  const [plan, other] = sold.filter(fits)
  return other ? undefined : (plan ?? sold[0])
}
