// One attempt to pay: what it buys, its states, and which of them a report of the provider may move.
// `paid` is final and wins over failed, canceled and expired, whatever the order in which reports of it arrive.
import type { CheckoutStatus } from './checkout.js'
import type { Instant } from './instant.js'
import type { MethodTraits } from './method.js'
import type { Money } from './money.js'
import type { Offer, Plan } from './plan.js'

/**
 * `requested`: written, the provider not heard from yet. `review`: the provider's report differs from our own row.
 * To the outside `requested` reads `pending`.
 */
export type PaymentStatus = 'requested' | PublicPaymentStatus

export const PUBLIC_PAYMENT_STATUSES = [
  'pending',
  'paid',
  'failed',
  'canceled',
  'expired',
  'review',
  'refunded',
] as const
export type PublicPaymentStatus = (typeof PUBLIC_PAYMENT_STATUSES)[number]

/** What the provider claimed when its report did not match: the operator decides on this. */
export interface Review {
  readonly differences: readonly string[]
  /** The checkout's status by the provider's report: it has the money only if that is `paid`. */
  readonly status: CheckoutStatus
  readonly paidAt: Instant
  readonly amount: number | null
  readonly currency: string | null
  readonly checkoutId: string
}

export interface Payment {
  readonly id: string
  readonly userId: string
  /** As it was sold. */
  readonly plan: Plan
  /** How many months of it are bought, at least 1. */
  readonly months: number
  readonly price: Money
  /** The way it is paid, such as `chargily`. */
  readonly method: string
  readonly live: boolean
  readonly status: PaymentStatus
  /** The method's own id of it. */
  readonly checkoutId: string | null
  readonly checkoutUrl: string | null
  /** The kind of card or account it was paid with, such as `cib`. On the wire it is `payment_method`. */
  readonly instrument: string | null
  readonly createdAt: Instant
  /** Until when the provider lets the checkout be paid. */
  readonly expiresAt: Instant
  /** Until when the process that writes to the provider is presumed alive; later, others may take over. */
  readonly attemptEndsAt: Instant
  readonly paidAt: Instant | null
  /** What this money bought. */
  readonly periodStart: Instant | null
  readonly periodEnd: Instant | null
  /** The payment whose intent was paid a second time by this one. */
  readonly secondOf: string | null
  readonly review: Review | null
  /** When the sweep asks the provider next; null when nothing is left to learn. */
  readonly nextCheckAt: Instant | null
}

/** A payment as it is before the provider is called. */
export function newPayment(of: {
  readonly id: string
  readonly userId: string
  readonly offer: Offer
  readonly method: MethodTraits
  readonly createdAt: Instant
  readonly attemptEndsAt: Instant
}): Payment {
  const { offer, method, createdAt, ...same } = of
  const [instrument, ...others] = method.instruments
  return {
    ...same,
    ...offer,
    createdAt,
    method: method.name,
    live: method.live,
    status: 'requested',
    checkoutId: null,
    checkoutUrl: null,
    // Where there is but one kind, it is known before the provider says so.
    instrument: instrument === undefined || others.length > 0 ? null : instrument,
    expiresAt: createdAt + method.checkoutLifetimeMs,
    paidAt: null,
    periodStart: null,
    periodEnd: null,
    secondOf: null,
    review: null,
    nextCheckAt: nextCheckAfter(createdAt, createdAt, method.looksAfterMs),
  }
}

/** Occupies the one place for an open payment that a user has with each method. */
export function isOpen(payment: Payment): boolean {
  return payment.status === 'requested' || payment.status === 'pending'
}

/** Can be paid at this instant, on a page whose address we know. */
export function isPayable(payment: Payment, now: Instant): boolean {
  return payment.status === 'pending' && payment.checkoutUrl !== null && now < payment.expiresAt
}

/** The status that users see: an open payment past its time reads `expired` before the provider has said so. */
export function publicStatusAt(payment: Payment, now: Instant): PublicPaymentStatus {
  if (payment.status !== 'requested' && payment.status !== 'pending') return payment.status
  return now < payment.expiresAt ? 'pending' : 'expired'
}

/** The next look at the provider after `now`, or null when the last is past. `looksAfterMs` is the method's schedule. */
export function nextCheckAfter(
  openedAt: Instant,
  now: Instant,
  looksAfterMs: readonly number[],
): Instant | null {
  const step = looksAfterMs.find((wait) => openedAt + wait > now)
  return step === undefined ? null : openedAt + step
}
