// Checks the provider's instants. A payment counts from the provider's instant if it is possible: not before the checkout
// was made, and not in the future.
import type { CheckoutReport } from './checkout.js'
import { CLOCK_SKEW_MAX, type Instant, SECOND } from './instant.js'
import type { Payment } from './payment.js'

type Ours = Pick<Payment, 'createdAt' | 'review'>

/** When the checkout was made; null where the provider does not say, or says what cannot be. */
export function checkoutMadeAt(payment: Ours, report: CheckoutReport, now: Instant): Instant | null {
  const { createdAt } = report
  if (createdAt === null || createdAt > now + CLOCK_SKEW_MAX) return null
  return createdAt < payment.createdAt - CLOCK_SKEW_MAX ? null : createdAt
}

/** Whether the instant of payment is taken as the provider says it, but for the difference that two clocks may have. */
export function isInstantBelieved(payment: Ours, report: CheckoutReport, now: Instant): boolean {
  const { updatedAt: said } = report
  if (said === null || said > now + CLOCK_SKEW_MAX) return false
  return said >= earliest(payment, report, now) - CLOCK_SKEW_MAX
}

/**
 * An event is made at the payment. An answer to our own question may show a later change: a real checkout's `updated_at`
 * moves on after it was paid, but it cannot be paid after its end. What cannot be true counts from the nearest instant
 * that can: the making of the checkout, or now.
 */
export function instantOfPayment(
  payment: Ours,
  report: CheckoutReport,
  context: { readonly now: Instant; readonly asked: boolean; readonly checkoutEndsAt: Instant },
): Instant {
  const { now, asked, checkoutEndsAt } = context
  const said = report.updatedAt ?? now
  const notLater = said > now + CLOCK_SKEW_MAX ? now : said
  const withinCheckout = asked ? Math.min(notLater, checkoutEndsAt) : notLater
  return Math.max(withinCheckout, earliest(payment, report, now))
}

/** The provider counts in whole seconds. A clock of ours that ran ahead for a moment makes no payment of the future. */
function earliest(payment: Ours, report: CheckoutReport, now: Instant): Instant {
  // A second payment's row is written long after the payment, so the instant accepted at its review stays valid.
  const writtenAt = Math.min(payment.createdAt, payment.review?.paidAt ?? payment.createdAt)
  const madeAt = checkoutMadeAt(payment, report, now) ?? writtenAt
  return Math.min(madeAt - (madeAt % SECOND), now)
}
