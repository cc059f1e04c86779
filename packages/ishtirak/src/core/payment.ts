// One attempt to pay: what it buys, its states, and which of them a report of the provider may change. `paid`
// is final: it wins over failed, canceled and expired, in whatever order reports arrive.
import type { ChangeOrder } from './change.js'
import type { CheckoutReport, CheckoutStatus, MethodTraits } from './checkout.js'
import type { CodeDiscount } from './code.js'
import { CLOCK_SKEW_MAX, type Instant, SECOND } from './instant.js'
import type { Money, Offer, Plan } from './plan.js'

/** `requested` (`pending` on the wire): the provider has not answered yet. `review`: its report differs. */
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
export const PAYMENT_STATUSES: readonly PaymentStatus[] = ['requested', ...PUBLIC_PAYMENT_STATUSES]

/** The methods as callers choose them. Each gateway is a method of its own inside, and `card` here. */
export const PUBLIC_METHODS = ['card', 'transfer', 'cash', 'cheque', 'balance'] as const
export type PublicMethod = (typeof PUBLIC_METHODS)[number]

export function publicMethodOf(method: string): PublicMethod {
  return PUBLIC_METHODS.find((one) => one === method) ?? 'card'
}

/** What the provider claimed when its report differed from our row. The operator decides on this. */
export interface Review {
  readonly differences: readonly string[]
  /** The checkout's status in the report. The provider has the money only if it is `paid`. */
  readonly status: CheckoutStatus
  readonly paidAt: Instant
  readonly amount: number | null
  readonly currency: string | null
  readonly checkoutId: string
}

export type PaidFor<Sold = Plan> =
  | {
      readonly kind: 'purchase'
      readonly plan: Sold
      /** The months that are bought, at least 1. */
      readonly months: number
    }
  | { readonly kind: 'change'; readonly plan: Sold; readonly months: null }
  | { readonly kind: 'top_up'; readonly plan: null; readonly months: null }

export type Payment = PaidFor & PaymentCourse
interface PaymentCourse extends ShownCourse {
  readonly userId: string
  /** The number of the buyer's own purchase order, for documents; null: none was given. */
  readonly poNumber: string | null
  /** The address to which the page after paying leads; null: the platform's own pages. */
  readonly returnUrl: string | null
  /** The ordered plan change, with its result once booked; null: it was lost, or this is no plan change. */
  readonly change: ChangeOrder | null
  /** The code of which the payment holds a use; null: none. */
  readonly codeHash: string | null
  /** What the code took off, in whole units of the price's currency. */
  readonly discount: number
  readonly live: boolean
  /** Until when the process that calls the provider is presumed alive. Afterwards another may take over. */
  readonly attemptEndsAt: Instant
  /** Set on the second of two paid checkouts: the payment that was already paid by the first. */
  readonly secondOf: string | null
  /** When an operator kept the second payment; null: not yet, or it is no second payment. */
  readonly keptAt: Instant | null
  readonly review: Review | null
  /** When the sweep asks the provider next; null: nothing is left to learn. */
  readonly nextCheckAt: Instant | null
}

/** The fields that a user sees of a payment, which are all that a page of the history reads. */
export type ShownPayment = PaidFor<Pick<Plan, 'id' | 'name'>> & ShownCourse
interface ShownCourse {
  readonly id: string
  /** The person who ordered for the account; null: none was named. */
  readonly boughtBy: string | null
  /** What the platform notes and its user never sees. A new payment without any leaves it undefined. */
  readonly metadata: Metadata | null | undefined
  /** The amount to pay, after the discount. After booking: the amount that was paid. */
  readonly price: Money
  /** The amount to pay, if an operator accepted another amount; null: the same as the price. */
  readonly amountAsked: number | null
  /** The name of the payment method, such as `chargily`. */
  readonly method: string
  readonly status: PaymentStatus
  /** The method's own id of the payment. */
  readonly checkoutId: string | null
  readonly checkoutUrl: string | null
  /** The instrument, such as `cib`. On the wire it is `payment_method`. */
  readonly instrument: string | null
  readonly createdAt: Instant
  /** Until when the provider accepts payment for the checkout. */
  readonly expiresAt: Instant
  readonly paidAt: Instant | null
  readonly periodStart: Instant | null
  readonly periodEnd: Instant | null
}

export type Metadata = Readonly<Record<string, string>>

/** A payment before the provider is called. */
export function newPayment(of: {
  readonly id: string
  readonly userId: string
  readonly boughtBy?: string | undefined
  readonly poNumber?: string | undefined
  readonly returnUrl?: string | undefined
  readonly metadata?: Metadata | undefined
  /** What is bought at the price to be paid. A top-up has only a price. */
  readonly offer: Offer | Pick<Offer, 'price'>
  /** The plan change that is ordered; `unknown`: its order is lost. Absent: no plan change. */
  readonly change?: ChangeOrder | 'unknown' | undefined
  readonly code?: CodeDiscount | undefined
  readonly method: MethodTraits
  readonly createdAt: Instant
  readonly attemptEndsAt: Instant
}): Payment {
  const { offer, code, method, createdAt } = of
  // Named fields: spreading the rest of `of` allocated 11 kB, this allocates 0.3 kB (test/costs).
  return {
    id: of.id,
    userId: of.userId,
    boughtBy: of.boughtBy ?? null,
    poNumber: of.poNumber ?? null,
    returnUrl: of.returnUrl ?? null,
    metadata: of.metadata,
    ...paidFor(of),
    change: of.change === undefined || of.change === 'unknown' ? null : of.change,
    price: offer.price,
    amountAsked: null,
    codeHash: code?.hash ?? null,
    discount: code?.discount ?? 0,
    createdAt,
    method: method.name,
    live: method.live,
    status: 'requested',
    checkoutId: null,
    checkoutUrl: null,
    // If the method has one instrument, it is known before the provider names it.
    instrument: method.instruments.length === 1 ? (method.instruments[0] ?? null) : null,
    expiresAt: createdAt + method.checkoutLifetimeMs,
    attemptEndsAt: of.attemptEndsAt,
    paidAt: null,
    periodStart: null,
    periodEnd: null,
    secondOf: null,
    keptAt: null,
    review: null,
    nextCheckAt: nextCheckAfter(createdAt, createdAt, method.lookupsAfterMs),
  }
}

function paidFor({ offer, change }: Pick<Parameters<typeof newPayment>[0], 'offer' | 'change'>): PaidFor {
  if (!('plan' in offer)) return { kind: 'top_up', plan: null, months: null }
  if (change !== undefined) return { kind: 'change', plan: offer.plan, months: null }
  return { kind: 'purchase', plan: offer.plan, months: offer.months }
}

/** True if it can be paid or was paid. Late money takes back the use that a dead payment returned. */
function holdsCode({ codeHash, status }: Pick<Payment, 'codeHash' | 'status'>): boolean {
  return codeHash !== null && status !== 'failed' && status !== 'canceled' && status !== 'expired'
}

/** How a new state changes the uses of the payment's code; null: not at all. `before`: null if it is new. */
export function codeUseChange(
  before: Payment | null,
  after: Payment | null,
): { readonly hash: string; readonly delta: number } | null {
  if (!after || after.codeHash === null) return null
  const delta = Number(holdsCode(after)) - Number(before !== null && holdsCode(before))
  return delta === 0 ? null : { hash: after.codeHash, delta }
}

/** A user has one open payment with each method at most. This is true for it. */
export function isOpen(payment: Pick<Payment, 'status'>): boolean {
  return payment.status === 'requested' || payment.status === 'pending'
}

/** True if it can be paid now, on its page if the method has pages. */
export function isPayable(payment: ShownPayment, now: Instant): boolean {
  return payment.status === 'pending' && now < payment.expiresAt
}

/** The status that users see. An open payment past its time reads `expired` before the provider says so. */
export function publicStatusAt(payment: ShownPayment, now: Instant): PublicPaymentStatus {
  if (payment.status !== 'requested' && payment.status !== 'pending') return payment.status
  return now < payment.expiresAt ? 'pending' : 'expired'
}

/** The next lookup after `now`; null: the last one is past. `lookupsAfterMs` is the method's. */
export function nextCheckAfter(
  openedAt: Instant,
  now: Instant,
  lookupsAfterMs: readonly number[],
): Instant | null {
  const step = lookupsAfterMs.find((wait) => openedAt + wait > now)
  return step === undefined ? null : openedAt + step
}

// If another amount was paid than was asked for and an operator accepts it, it is booked. The asked amount is
// kept too.

export function priceAsked({ price, amountAsked }: Pick<Payment, 'price' | 'amountAsked'>): Money {
  return amountAsked === null ? price : { ...price, amount: amountAsked }
}

type ReportedMoney = Pick<CheckoutReport, 'amount' | 'currency'>

/** True if both name the same amount, so that an acceptance books the same by either. */
export function isSameMoney(payment: Payment, one: ReportedMoney, other: ReportedMoney): boolean {
  const booked = [one, other].map((said) => atReportedAmount(payment, said)?.price.amount)
  return one.amount === other.amount && booked[0] === booked[1]
}

/** The largest value of the column, which is an `int`. */
const AMOUNT_MAX = 2_147_483_647

/** At the amount that was paid. An absent amount or another currency counts as the price. Null: invalid. */
export function atReportedAmount(payment: Payment, { amount, currency }: ReportedMoney): Payment | null {
  const { price } = payment
  const isNotReported = amount === null || (currency !== null && currency !== price.currency)
  if (isNotReported || amount === price.amount) return payment
  if (amount < 1 || amount > AMOUNT_MAX) return null
  return { ...payment, price: { ...price, amount }, amountAsked: price.amount }
}

// The provider's instants. A payment counts from the provider's instant if that is possible: not before the
// checkout was made and not in the future.

/** When the checkout was made; null: the provider does not say, or its instant is impossible. */
export function checkoutMadeAt(
  payment: Payment,
  report: Pick<CheckoutReport, 'createdAt'>,
  now: Instant,
): Instant | null {
  const { createdAt } = report
  if (createdAt === null || createdAt > now + CLOCK_SKEW_MAX) return null
  return createdAt < payment.createdAt - CLOCK_SKEW_MAX ? null : createdAt
}

/** Whether the provider's instant is believed. The tolerated clock skew is allowed for. */
export function isInstantBelieved(payment: Payment, report: CheckoutReport, now: Instant): boolean {
  const said = report.paidAt ?? report.updatedAt
  if (said === null || said > now + CLOCK_SKEW_MAX) return false
  return said >= earliest(payment, report, now) - CLOCK_SKEW_MAX
}

/**
 * An event is sent at the payment; an answer may show a later update, but nothing is paid after the
 * checkout's end. An impossible instant is replaced by the nearest possible one: the making of the checkout,
 * or now.
 */
export function instantOfPayment(
  payment: Payment,
  report: CheckoutReport,
  context: { readonly now: Instant; readonly isAnswer: boolean; readonly checkoutEndsAt: Instant },
): Instant {
  const { now, isAnswer, checkoutEndsAt } = context
  const said = report.paidAt ?? report.updatedAt ?? now
  const notLater = said > now + CLOCK_SKEW_MAX ? now : said
  const withinCheckout =
    isAnswer && report.paidAt === undefined ? Math.min(notLater, checkoutEndsAt) : notLater
  return Math.max(withinCheckout, earliest(payment, report, now))
}

/** The earliest possible instant, in the provider's whole seconds, and never in our future. */
function earliest(payment: Payment, report: CheckoutReport, now: Instant): Instant {
  // The row of a second payment is written long after it was paid: its reviewed instant stays valid.
  const writtenAt = Math.min(payment.createdAt, payment.review?.paidAt ?? payment.createdAt)
  const madeAt = checkoutMadeAt(payment, report, now) ?? writtenAt
  return Math.min(madeAt - (madeAt % SECOND), now)
}

/** A report made from our own row, for methods without a provider. `of` says what happened. */
export function ownReport(
  payment: Payment,
  checkoutId: string,
  of: Pick<CheckoutReport, 'status' | 'amount' | 'instrument' | 'updatedAt'> & Partial<CheckoutReport>,
): CheckoutReport {
  const { id: paymentId, userId, method, live, kind, plan, price } = payment
  const ordered = { method, checkoutId, paymentId, userId, kind, live, currency: price.currency }
  return { ...ordered, ...(plan && { planId: plan.id }), checkoutUrl: null, fees: 0, createdAt: null, ...of }
}
