// One attempt to pay: what it buys, its states, and which of them a report of the provider may move. `paid`
// is final and wins over failed, canceled and expired, whatever the order in which reports of it arrive.
import type { ChangeOrder } from './change.js'
import type { CheckoutReport, CheckoutStatus, MethodTraits } from './checkout.js'
import type { TakenOff } from './code.js'
import { CLOCK_SKEW_MAX, type Instant, SECOND } from './instant.js'
import type { Money, Offer, Plan } from './plan.js'

/** `requested` (outside: `pending`): the provider not heard from. `review`: its report differs. */
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

/** As callers choose it. Every gateway has a name of its own among the methods, and is `card` here. */
export const PAYMENT_KINDS = ['card', 'transfer', 'cash', 'cheque', 'balance'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

export function kindOf(method: string): PaymentKind {
  return PAYMENT_KINDS.find((kind) => kind === method) ?? 'card'
}

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

/** What a payment is for. */
export type PaidFor<Sold = Plan> =
  | {
      readonly kind: 'purchase'
      /** As it was sold. */
      readonly plan: Sold
      /** How many months of it are bought, at least 1. */
      readonly months: number
    }
  | { readonly kind: 'change'; readonly plan: Sold; readonly months: null }
  | { readonly kind: 'top_up'; readonly plan: null; readonly months: null }

export type Payment = PaidFor & PaymentCourse
interface PaymentCourse {
  readonly id: string
  readonly userId: string
  /** The person who ordered it for the account; null: none is named. */
  readonly boughtBy: string | null
  /** The number of the buyer's own order, for the documents; null: none was given. */
  readonly poNumber: string | null
  /** The page after paying leads here; null: to the platform's own pages. */
  readonly returnUrl: string | null
  /** What the platform notes and its user never sees. A new payment without any leaves it undefined. */
  readonly metadata: Metadata | null | undefined
  /** Of a change: what it was agreed for, and once booked did; null: not known any more, or no change. */
  readonly change: ChangeOrder | null
  /** To be paid, after the discount. Once it is booked: what came. */
  readonly price: Money
  /** What was asked for, where an operator took another amount; null: the price. */
  readonly amountAsked: number | null
  /** The code that the payment holds a use of; null: none. */
  readonly codeHash: string | null
  /** Whole units of the price's currency that the code took off. */
  readonly discount: number
  /** The way it is paid, such as `chargily`. */
  readonly method: string
  readonly live: boolean
  readonly status: PaymentStatus
  /** The method's own id of it. */
  readonly checkoutId: string | null
  /** Null as well where its method has no pages. */
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

/** Texts by name. */
export type Metadata = Readonly<Record<string, string>>

/** What its user and the platform see of a payment, and all that a page of the history reads. */
export type ShownPayment = PaidFor<Pick<Plan, 'id' | 'name'>> & ShownCourse

type ShownCourse = Pick<
  PaymentCourse,
  | 'id'
  | 'boughtBy'
  | 'metadata'
  | 'price'
  | 'amountAsked'
  | 'method'
  | 'status'
  | 'checkoutId'
  | 'instrument'
  | 'checkoutUrl'
  | 'createdAt'
  | 'expiresAt'
  | 'paidAt'
  | 'periodStart'
  | 'periodEnd'
>

/** A payment as it is before the provider is called. */
export function newPayment(of: {
  readonly id: string
  readonly userId: string
  readonly boughtBy?: string | undefined
  readonly poNumber?: string | undefined
  readonly returnUrl?: string | undefined
  readonly metadata?: Metadata | undefined
  /** At the price to be paid; of a top-up the price alone. */
  readonly offer: Offer | Pick<Offer, 'price'>
  /** Of another plan in mid-term; `unknown`: what it was agreed for is lost. Absent: it is no change. */
  readonly change?: ChangeOrder | 'unknown' | undefined
  /** The use of a code that makes it cheaper. */
  readonly code?: TakenOff | undefined
  readonly method: MethodTraits
  readonly createdAt: Instant
  readonly attemptEndsAt: Instant
}): Payment {
  const { offer, code, method, createdAt } = of
  // Each field by its name: spreading the rest of `of` allocated 11 kB, this 0.3 (test/costs).
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
    // Where there is but one kind, it is known before the provider says so.
    instrument: method.instruments.length === 1 ? (method.instruments[0] ?? null) : null,
    expiresAt: createdAt + method.checkoutLifetimeMs,
    attemptEndsAt: of.attemptEndsAt,
    paidAt: null,
    periodStart: null,
    periodEnd: null,
    secondOf: null,
    review: null,
    nextCheckAt: nextCheckAfter(createdAt, createdAt, method.looksAfterMs),
  }
}

function paidFor({ offer, change }: Pick<Parameters<typeof newPayment>[0], 'offer' | 'change'>): PaidFor {
  if (!('plan' in offer)) return { kind: 'top_up', plan: null, months: null }
  if (change !== undefined) return { kind: 'change', plan: offer.plan, months: null }
  return { kind: 'purchase', plan: offer.plan, months: offer.months }
}

/** It can be paid, or was paid. Late money takes the use again that a dead payment gave back. */
function holdsCode({ codeHash, status }: Pick<Payment, 'codeHash' | 'status'>): boolean {
  return codeHash !== null && status !== 'failed' && status !== 'canceled' && status !== 'expired'
}

/** What a change of a payment means for its code's uses; null: nothing. `before`: null where it is new. */
export function codeUseChange(
  before: Payment | null,
  after: Payment | null,
): { readonly hash: string; readonly delta: number } | null {
  if (!after || after.codeHash === null) return null
  const delta = Number(holdsCode(after)) - Number(before !== null && holdsCode(before))
  return delta === 0 ? null : { hash: after.codeHash, delta }
}

/** Occupies the one place for an open payment that a user has with each method. */
export function isOpen(payment: Pick<Payment, 'status'>): boolean {
  return payment.status === 'requested' || payment.status === 'pending'
}

/** Can be paid at this instant: on its page, where its method has pages. */
export function isPayable(payment: ShownPayment, now: Instant): boolean {
  return payment.status === 'pending' && now < payment.expiresAt
}

/** As users see it: an open payment past its time reads `expired` before the provider says so. */
export function publicStatusAt(payment: ShownPayment, now: Instant): PublicPaymentStatus {
  if (payment.status !== 'requested' && payment.status !== 'pending') return payment.status
  return now < payment.expiresAt ? 'pending' : 'expired'
}

/** The next look at the provider after `now`; null: the last is past. `looksAfterMs`: of the method. */
export function nextCheckAfter(
  openedAt: Instant,
  now: Instant,
  looksAfterMs: readonly number[],
): Instant | null {
  const step = looksAfterMs.find((wait) => openedAt + wait > now)
  return step === undefined ? null : openedAt + step
}

// Another amount came than was asked for, and an operator takes it: it is booked, and what was asked is kept.

export function priceAsked({ price, amountAsked }: Pick<Payment, 'price' | 'amountAsked'>): Money {
  return amountAsked === null ? price : { ...price, amount: amountAsked }
}

type SaidMoney = Pick<CheckoutReport, 'amount' | 'currency'>

/** Two reports name the same amount, and an operator who takes the payment books the same by either. */
export function isSameMoney(payment: Payment, one: SaidMoney, other: SaidMoney): boolean {
  const booked = [one, other].map((said) => asItCame(payment, said)?.price.amount)
  return one.amount === other.amount && booked[0] === booked[1]
}

/** The column is an `int`. */
const AMOUNT_MAX = 2_147_483_647

/** As it came. What the report leaves unsaid, or in another currency, is as asked. Null: no such amount. */
export function asItCame(payment: Payment, { amount, currency }: SaidMoney): Payment | null {
  const { price } = payment
  const isUnsaid = amount === null || (currency !== null && currency !== price.currency)
  if (isUnsaid || amount === price.amount) return payment
  if (amount < 1 || amount > AMOUNT_MAX) return null
  return { ...payment, price: { ...price, amount }, amountAsked: price.amount }
}

// The provider's instants. A payment counts from the provider's instant if it is possible: not before the
// checkout was made, and not in the future.

/** When the checkout was made; null where the provider does not say, or says what cannot be. */
export function checkoutMadeAt(
  payment: Payment,
  report: Pick<CheckoutReport, 'createdAt'>,
  now: Instant,
): Instant | null {
  const { createdAt } = report
  if (createdAt === null || createdAt > now + CLOCK_SKEW_MAX) return null
  return createdAt < payment.createdAt - CLOCK_SKEW_MAX ? null : createdAt
}

/** Whether the provider's instant is believed, but for the difference that two clocks may have. */
export function isInstantBelieved(payment: Payment, report: CheckoutReport, now: Instant): boolean {
  const said = report.paidAt ?? report.updatedAt
  if (said === null || said > now + CLOCK_SKEW_MAX) return false
  return said >= earliest(payment, report, now) - CLOCK_SKEW_MAX
}

/**
 * An event is made at the payment; an answer may show a later change, but nothing is paid after its end. What
 * cannot be true counts from the nearest instant that can: the checkout's making, or now.
 */
export function instantOfPayment(
  payment: Payment,
  report: CheckoutReport,
  context: { readonly now: Instant; readonly asked: boolean; readonly checkoutEndsAt: Instant },
): Instant {
  const { now, asked, checkoutEndsAt } = context
  const said = report.paidAt ?? report.updatedAt ?? now
  const notLater = said > now + CLOCK_SKEW_MAX ? now : said
  const withinCheckout = asked && report.paidAt === undefined ? Math.min(notLater, checkoutEndsAt) : notLater
  return Math.max(withinCheckout, earliest(payment, report, now))
}

/** The provider counts in whole seconds. A clock of ours that is ahead makes no payment of the future. */
function earliest(payment: Payment, report: CheckoutReport, now: Instant): Instant {
  // A second payment's row is written long after it, so the instant accepted at its review stays valid.
  const writtenAt = Math.min(payment.createdAt, payment.review?.paidAt ?? payment.createdAt)
  const madeAt = checkoutMadeAt(payment, report, now) ?? writtenAt
  return Math.min(madeAt - (madeAt % SECOND), now)
}

/** Reports a payment whose method asks no provider, by our own row. `of` says what became of it. */
export function ownReport(
  payment: Payment,
  checkoutId: string,
  of: Pick<CheckoutReport, 'status' | 'amount' | 'instrument' | 'updatedAt'> & Partial<CheckoutReport>,
): CheckoutReport {
  const { id: paymentId, userId, method, live, kind, plan, price } = payment
  const ordered = { method, checkoutId, paymentId, userId, kind, live, currency: price.currency }
  return { ...ordered, ...(plan && { planId: plan.id }), checkoutUrl: null, fees: 0, createdAt: null, ...of }
}
