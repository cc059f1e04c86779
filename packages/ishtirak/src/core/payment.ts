// One attempt to pay for one month: its states, and which of them a report of the provider may move.
// `paid` is final and wins over failed, canceled and expired, whatever the order in which they are heard of.
import type { CheckoutStatus } from './checkout.js'
import { HOUR, type Instant, MINUTE } from './instant.js'
import type { Money } from './money.js'
import type { Plan } from './plan.js'

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
  /** What the provider said had become of the checkout: money lies with it only where that is `paid`. */
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
  readonly price: Money
  readonly live: boolean
  readonly status: PaymentStatus
  readonly checkoutId: string | null
  readonly checkoutUrl: string | null
  readonly paymentMethod: string | null
  readonly createdAt: Instant
  /** Until when the provider lets the checkout be paid. */
  readonly expiresAt: Instant
  /** Until when whoever writes to the provider is presumed at work; later, others may take over. */
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

/** Occupies the one place for a payable checkout that a user has. */
export function isOpen(payment: Payment): boolean {
  return payment.status === 'requested' || payment.status === 'pending'
}

/** Can be paid at this instant, on a page whose address we know. */
export function isPayable(payment: Payment, now: Instant): boolean {
  return payment.status === 'pending' && payment.checkoutUrl !== null && now < payment.expiresAt
}

/** The status that people see: an open payment past its time reads `expired` before the provider has said so. */
export function publicStatusAt(payment: Payment, now: Instant): PublicPaymentStatus {
  if (payment.status !== 'requested' && payment.status !== 'pending') return payment.status
  return now < payment.expiresAt ? 'pending' : 'expired'
}

/**
 * When a payment that nobody told us of is looked up, counted from the opening of its checkout: soon, for the user who
 * waits; at 35 minutes, when the checkout (30 minutes) is over; at 6 hours and a day, for what the provider books late.
 */
export const CHECK_STEPS: readonly Instant[] = [MINUTE, 5 * MINUTE, 35 * MINUTE, 6 * HOUR, 24 * HOUR]

/** The next look after `now`, or null when the last step is behind us. */
export function nextCheckAfter(openedAt: Instant, now: Instant): Instant | null {
  const step = CHECK_STEPS.find((wait) => openedAt + wait > now)
  return step === undefined ? null : openedAt + step
}
