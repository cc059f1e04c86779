// What the page shows that the provider sends the payer back to.
import { findRefundInstant } from '../acts/audit.sql.js'
import { isPayable } from '../core/payment.js'
import { renewabilityAt } from '../core/quote.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { findPaymentById } from '../ledger/payments.sql.js'
import { refreshed } from './history.js'
import type { StatusDeps } from './status.js'

export type ReturnedPayment = Awaited<ReturnType<typeof readReturnedPayment>>

/** For the page that the provider sends the payer back to: nothing is known there but the payment. */
export async function readReturnedPayment(deps: StatusDeps, paymentId: string, requestId?: string) {
  const find = () => findPaymentById(deps.database, paymentId)
  const { payment, now } = await refreshed(deps, find, requestId)
  const { userId, status } = payment
  const [loaded, refundedAt] = await Promise.all([
    deps.loadUser(userId),
    status === 'refunded' ? findRefundInstant(deps.database, { userId, paymentId }) : null,
  ])
  // What the payer is now, which a later payment, the end of the time or the operator may have changed.
  const facts = loaded?.user.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, deps.rules)
  const mayRenew = renewabilityAt(facts, now, deps.rules).allowed
  const other = loaded?.open ?? null
  const awaited = other && other.id !== paymentId && other.checkoutUrl === null && isPayable(other, now)
  return { payment, subscription, mayRenew, refundedAt, now, alsoAwaits: awaited ? other : null }
}
