// What one checkout of the provider's list means for our books. Pure: both sides come in, the verdict goes out. It only
// compares what money says; whether a difference is a mistake is for a person to judge.
import type { CheckoutReport } from '../core/checkout.js'
import type { Payment } from '../core/payment.js'

export type Verdict =
  /** Both sides agree, or no money came through the checkout. */
  | { readonly kind: 'nothing' }
  /** Paid there and here, with the same amount. */
  | { readonly kind: 'matched' }
  /** Paid there and not here: it is to be entered. */
  | { readonly kind: 'paid_not_booked' }
  /** Paid here and not there. */
  | { readonly kind: 'booked_not_paid' }
  | { readonly kind: 'differs'; readonly differences: Readonly<Record<string, readonly [unknown, unknown]>> }

/** `payment` is ours with this checkout's id; null when we have none. */
export function compareCheckout(report: CheckoutReport, payment: Payment | null): Verdict {
  const isBooked = payment?.status === 'paid' || payment?.status === 'refunded'
  if (report.status !== 'paid') return { kind: isBooked ? 'booked_not_paid' : 'nothing' }
  if (!payment || !isBooked) return { kind: 'paid_not_booked' }
  const differences = {
    ...differing('amount', payment.price.amount, report.amount),
    ...(report.currency === null ? {} : differing('currency', payment.price.currency, report.currency)),
  }
  return Object.keys(differences).length > 0 ? { kind: 'differs', differences } : { kind: 'matched' }
}

function differing(name: string, ours: unknown, theirs: unknown) {
  return ours === theirs ? {} : { [name]: [ours, theirs] as const }
}
