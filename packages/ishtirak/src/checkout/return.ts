// The data of the page to which the provider sends the payer back, and the address to which it leads.
import { findRefundInstant } from '../acts/audit.sql.js'
import { wrongField } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { isPayable, type Payment, publicStatusAt } from '../core/payment.js'
import { renewabilityAt } from '../core/quote.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import type { CommonParts } from '../ledger/parts.js'
import { findPaymentById } from '../ledger/payments.sql.js'
import { refreshed } from './history.js'
import type { StatusDeps } from './status.js'

export type ReturnedPayment = Awaited<ReturnType<typeof readReturnedPayment>>

/** The address of the page names only the payment. */
export async function readReturnedPayment(deps: StatusDeps, paymentId: string, requestId?: string) {
  const find = () => findPaymentById(deps.database, paymentId)
  const { payment, now } = await refreshed(deps, find, requestId)
  const { userId, status } = payment
  const [loaded, refundedAt] = await Promise.all([
    deps.loadUser(userId),
    status === 'refunded' ? findRefundInstant(deps.database, { userId, paymentId }) : null,
  ])
  // The payer's facts now: a later payment, the end of the time or an operator may have changed them.
  const facts = loaded?.user.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, deps.rules)
  const mayRenew = renewabilityAt(facts, now, deps.rules).allowed
  const other = loaded?.open ?? null
  const awaited = other && other.id !== paymentId && other.checkoutUrl === null && isPayable(other, now)
  return {
    ...{ payment, subscription, mayRenew, refundedAt, now, alsoAwaits: awaited ? other : null },
    status: publicStatusAt(payment, now),
    // The language of the payer's profile. The page uses nothing else of the payer.
    payerLocale: loaded?.user.locale ?? null,
  }
}

export type ReturnDeps = Pick<CommonParts, 'platformUrl' | 'returnOrigins'>

/** Throws `validation_failed` for an origin other than the platform's and RETURN_ORIGINS. */
export function returnUrlOf(
  { platformUrl, returnOrigins }: ReturnDeps,
  given: string | undefined,
): string | undefined {
  if (given === undefined) return undefined
  const url = URL.canParse(given) ? new URL(given) : null
  // `blob:` has the origin of the address behind it.
  const isAllowed =
    url?.protocol !== 'blob:' && url && [new URL(platformUrl).origin, ...returnOrigins].includes(url.origin)
  if (!isAllowed || url.username !== '' || url.password !== '') throw wrongField('return_url', 'not_allowed')
  return url.href
}

/** Null: the payment has no such address. */
export function wayBack(payment: Payment, now: Instant): string | null {
  if (payment.returnUrl === null) return null
  const url = new URL(payment.returnUrl)
  url.searchParams.set('payment_id', payment.id)
  url.searchParams.set('status', publicStatusAt(payment, now))
  return url.href
}
