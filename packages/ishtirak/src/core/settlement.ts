// What follows from a report of the provider. Webhook, read-through, sweep and operator all decide here.
// Pure. It trusts our own row and never the report.

import { type NewEntry, withEntry } from './balance.js'
import { bookChange, orderAsQuoted } from './change.js'
import type { CheckoutReport, CheckoutStatus, MethodTraits } from './checkout.js'
import type { Decision } from './decision.js'
import { type Differing, describeDifference, NO_ADDRESS } from './difference.js'
import type { EventType } from './event-types.js'
import type { Instant } from './instant.js'
import {
  atReportedAmount,
  checkoutMadeAt,
  instantOfPayment,
  isOpen,
  isSameMoney,
  nextCheckAfter,
  type Payment,
  priceAsked,
  type Review,
} from './payment.js'
import type { Plan } from './plan.js'
import { renewabilityAt } from './quote.js'
import {
  type BillingRules,
  dueRenewal,
  extend,
  graceEndsAt,
  type Period,
  purchaseAt,
  type SubscriptionFacts,
} from './subscription.js'

export interface SettlementFacts {
  /** Our payment, found by the checkout's id, else by our id in its metadata. */
  readonly payment: Payment
  readonly subscription: SubscriptionFacts
}

export interface SettlementContext {
  readonly now: Instant
  readonly rules: BillingRules
  /** The payment's method. */
  readonly method: Pick<MethodTraits, 'lookupsAfterMs' | 'settledBy'>
  /** Draws an id for a second payment, if two checkouts were paid. */
  readonly freshPaymentId: () => string
  /** The report answers our lookup, so a final status is final. A later event may overtake an event. */
  readonly isAnswer: boolean
  /** Set if the operator has seen the differences and accepts the money as it is. */
  readonly accepted?: boolean
}

export type SettlementOutcome =
  | 'booked'
  | 'booked_second'
  | 'review'
  | 'moved'
  | 'unchanged'
  /** A new checkout that differs from its order. No user sees it, and it is ended at the provider. */
  | 'refused'
  /** It has no purpose any more but can still be paid, so it must be ended at the provider. */
  | 'withdrawn'
  | 'other_checkout'

export interface Settlement extends Decision {
  readonly outcome: SettlementOutcome
  /** Null: nothing changes. */
  readonly payment: Payment | null
  /** Null: the subscription stays. */
  readonly subscription: SubscriptionFacts | null
}

export function decideSettlement(
  facts: SettlementFacts,
  report: CheckoutReport,
  context: SettlementContext,
): Settlement {
  const { payment } = facts
  const isSecond = payment.checkoutId !== null && payment.checkoutId !== report.checkoutId
  if (isSecond) return decideSecond(facts, report, context)
  if (payment.status === 'paid' || payment.status === 'refunded') return nothing('unchanged')
  const adopted = adopt(payment, report, payment, context.now)
  return settle({ subscription: facts.subscription, stored: payment, adopted }, report, context)
}

/** Both checkouts of one payment were paid: the second buys as much again, and the operator sees it. */
function decideSecond(
  { payment: first, subscription }: SettlementFacts,
  report: CheckoutReport,
  context: SettlementContext,
): Settlement {
  if (report.status !== 'paid') return nothing('other_checkout')
  const second: Payment = {
    ...first,
    price: priceAsked(first),
    ...(first.change && { change: orderAsQuoted(first.change, first.price.amount) }),
    amountAsked: null,
    id: context.freshPaymentId(),
    secondOf: first.id,
    keptAt: null,
    status: 'pending',
    createdAt: context.now,
    expiresAt: context.now + (first.expiresAt - first.createdAt),
    paidAt: null,
    periodStart: null,
    periodEnd: null,
    review: null,
    checkoutId: null,
    checkoutUrl: null,
  }
  const adopted = adopt(second, report, first, context.now)
  const decision = settle({ subscription, stored: first, adopted }, report, context)
  return {
    ...decision,
    isNew: true,
    outcome: decision.outcome === 'booked' ? 'booked_second' : decision.outcome,
  }
}

interface ReportedPayment {
  /** The payment as our row is. */
  readonly stored: Payment
  /** The payment with what only the report says: the checkout, its page, the instrument. */
  readonly adopted: Payment
}

function settle(
  { subscription, ...of }: ReportedPayment & { readonly subscription: SubscriptionFacts },
  report: CheckoutReport,
  context: SettlementContext,
): Settlement {
  const { stored, adopted: payment } = of
  const { now, isAnswer } = context
  const paidAt = instantOfPayment(stored, report, { now, isAnswer, checkoutEndsAt: payment.expiresAt })
  if (!isFinal(report.status)) return settlePending(of, report, context, paidAt)
  // A closed and unpaid payment costs nothing, whatever else the report says.
  const isClosed = report.status !== 'paid' && !isOpen(stored) && stored.status !== 'review'
  // The operator accepts the amount under review, not one that was reported meanwhile.
  const { review } = stored
  const isAsReviewed = report.status !== 'paid' || (review !== null && isSameMoney(stored, report, review))
  const acceptedPayment = context.accepted && isAsReviewed ? atReportedAmount(payment, report) : null
  const differences = acceptedPayment || isClosed ? [] : differencesBetween(stored, report, context.method)
  if (differences.length > 0) return sendToReview(payment, report, differences, paidAt)
  if (report.status === 'paid')
    return book(subscription, acceptedPayment ?? payment, { paidAt, provedAt: report.provedAt }, context)
  return close(of, { status: report.status, refusal: report.refusal }, context)
}

/**
 * Adopts a new checkout. A pending report about a known one changes nothing. The schedule of lookups counts
 * from the creation of the checkout: a request may be hours older than its checkout, which can be paid for
 * half an hour.
 */
function settlePending(
  { stored, adopted: payment }: ReportedPayment,
  report: CheckoutReport,
  { now, method }: SettlementContext,
  paidAt: Instant,
): Settlement {
  if (stored.status === 'canceled') {
    const isNewCheckout = stored.checkoutId === null
    const found = { ...stored, checkoutId: report.checkoutId, nextCheckAt: now }
    return { ...nothing('withdrawn'), payment: isNewCheckout ? found : null }
  }
  if (stored.status !== 'requested') return nothing('unchanged')
  const lacksPage = method.settledBy === 'provider' && payment.checkoutUrl === null
  const differences = [...differencesBetween(stored, report, method), ...(lacksPage ? [NO_ADDRESS] : [])]
  if (differences.length > 0) {
    const review = reviewOf(report, differences, paidAt)
    const refused: Payment = { ...payment, checkoutUrl: null, status: 'canceled', review, nextCheckAt: now }
    return { ...nothing('refused'), payment: refused }
  }
  const madeAt = checkoutMadeAt(stored, report, now) ?? now
  const nextCheckAt = nextCheckAfter(madeAt, now, method.lookupsAfterMs) ?? payment.nextCheckAt
  // A payer who has a page of the provider needs no instructions.
  const events: readonly EventType[] = method.settledBy === 'operator' ? ['payment.requested'] : []
  return { ...nothing('moved'), payment: { ...payment, status: 'pending', nextCheckAt }, events }
}

function sendToReview(
  payment: Payment,
  report: CheckoutReport,
  differences: readonly string[],
  paidAt: Instant,
): Settlement {
  // An operator decides on the latest report, because an amount may have been corrected.
  const { review: before } = payment
  const changesReview =
    report.status === 'paid' && (before?.status !== 'paid' || !isSameMoney(payment, before, report))
  if (payment.status === 'review' && !changesReview) return nothing('unchanged')
  const review = reviewOf(report, differences, paidAt)
  return {
    ...nothing('review'),
    payment: { ...payment, status: 'review', review },
    events: ['payment.review'],
  }
}

function reviewOf(report: CheckoutReport, differences: readonly string[], paidAt: Instant): Review {
  const { status, amount, currency, checkoutId } = report
  return { differences, status, paidAt, amount, currency, checkoutId }
}

function book(
  subscription: SubscriptionFacts,
  payment: Payment,
  { paidAt, provedAt = paidAt }: { readonly paidAt: Instant; readonly provedAt: Instant | undefined },
  context: SettlementContext,
): Settlement {
  const { now, rules } = context
  if (payment.kind === 'top_up') return bookTopUp(subscription, payment, { paidAt, provedAt }, rules)
  if (payment.kind === 'change') return bookChangeOf(payment, payment.plan, subscription, paidAt, context)
  const proved = purchaseAt(subscription, provedAt, payment.months, rules)
  // A new run begins at the payment, not at its proof. The same holds if the bought time would be over by
  // then.
  const goesOn = proved.renews && proved.period.end > paidAt
  const purchase = goesOn ? proved : purchaseAt(subscription, paidAt, payment.months, rules)
  const amount = payment.price.amount
  const { id, plan, instrument } = payment
  const extended = extend(subscription, purchase, { id, plan, instrument, amount }, now)
  return {
    ...nothing('booked'),
    payment: paidPayment(payment, paidAt, purchase.period),
    subscription: extended,
    withdrawsOpen: !renewabilityAt(extended, now, rules).allowed,
    events: ['payment.paid', purchase.renews ? 'subscription.renewed' : 'subscription.activated'],
  }
}

/** `period` is the time that it bought; null: none. */
export function paidPayment<Kind extends Payment>(
  payment: Kind,
  paidAt: Instant,
  period: Period | null,
): Kind {
  const bought = { periodStart: period?.start ?? null, periodEnd: period?.end ?? null }
  return { ...payment, status: 'paid', paidAt, ...bought, nextCheckAt: null }
}

/** Takes effect at the instant of payment. For a transfer that is when an operator confirms it. */
function bookChangeOf(
  payment: Payment,
  plan: Plan,
  subscription: SubscriptionFacts,
  paidAt: Instant,
  { now, rules }: SettlementContext,
): Settlement {
  const at = Math.min(paidAt, now)
  const { id, change: order, instrument } = payment
  const { amount } = payment.price
  const booked = bookChange(subscription, { id, plan, instrument, order, amount, at }, now, rules)
  const { changed, added, period, surplus } = booked
  const entry: NewEntry | null =
    surplus > 0 ? { kind: 'surplus', amount: surplus, paymentId: id, note: null, at } : null
  const events: readonly EventType[] = [
    'payment.paid',
    ...(changed ? (['subscription.changed'] as const) : []),
    ...(added ? ([added.renews ? 'subscription.renewed' : 'subscription.activated'] as const) : []),
    ...(entry ? (['balance.changed'] as const) : []),
  ]
  return {
    ...nothing('booked'),
    payment: paidPayment({ ...payment, change: booked.order }, paidAt, period),
    subscription: entry ? withEntry(booked.subscription, entry) : booked.subscription,
    ...(entry && { entry }),
    // Other open payments were quoted for the time before the change.
    withdrawsOpen: true,
    events,
    change: changed ?? undefined,
  }
}

/** Money that buys no time. Its entry puts it on the balance. */
function bookTopUp(
  subscription: SubscriptionFacts,
  payment: Payment,
  said: { readonly paidAt: Instant; readonly provedAt: Instant },
  rules: BillingRules,
): Settlement {
  const { id: paymentId, price } = payment
  const entryAt = (at: Instant) =>
    ({ kind: 'top_up', amount: price.amount, paymentId, note: null, at }) satisfies NewEntry
  const goesOn = continuesRun(subscription, entryAt(said.provedAt), said.paidAt, rules)
  const entry = entryAt(goesOn ? said.provedAt : said.paidAt)
  return {
    ...nothing('booked'),
    payment: paidPayment(payment, said.paidAt, null),
    subscription: withEntry(subscription, entry),
    entry,
    events: ['payment.paid', 'balance.changed'],
  }
}

/** True for money that was proved during a run of paid time, unless the ordered time is over by `paidAt`. */
function continuesRun(
  subscription: SubscriptionFacts,
  entry: NewEntry,
  paidAt: Instant,
  rules: BillingRules,
): boolean {
  const { paidUntil, endedAt, periods } = subscription
  if (paidUntil === null || endedAt !== null || entry.at >= graceEndsAt(paidUntil, periods, rules))
    return false
  const due = dueRenewal(withEntry(subscription, entry), paidAt, rules)
  return due === null || due.added.period.end > paidAt
}

/** Closes an open payment, or one that an operator refuses; others stay. A final answer ends the lookups. */
function close(
  { stored, adopted: payment }: ReportedPayment,
  of: { readonly status: Exclude<FinalStatus, 'paid'>; readonly refusal: string | undefined },
  { isAnswer, accepted, method }: SettlementContext,
): Settlement {
  const { status, refusal } = of
  const nextCheckAt = isAnswer ? null : payment.nextCheckAt
  const isAccepted = accepted === true && method.settledBy === 'provider'
  const endsReview = stored.status === 'review' && (isAccepted || refusal !== undefined)
  const isRefused = refusal !== undefined && stored.status === 'expired'
  if (isOpen(stored) || endsReview || isRefused) {
    const event: EventType | null =
      refusal !== undefined ? 'payment.refused' : status === 'failed' ? 'payment.failed' : null
    return {
      ...nothing('moved'),
      payment: { ...payment, status, nextCheckAt },
      events: event ? [event] : [],
      reason: refusal,
    }
  }
  if (stored.status === 'review' || nextCheckAt === stored.nextCheckAt) return nothing('unchanged')
  return { ...nothing('unchanged'), payment: { ...stored, nextCheckAt } }
}

/** How the report differs from our row. Fields that the report leaves out are no difference. */
function differencesBetween(
  payment: Payment,
  report: CheckoutReport,
  { settledBy }: Pick<MethodTraits, 'settledBy'>,
): readonly string[] {
  const { amount, currency } = priceAsked(payment)
  const compared: readonly (readonly [Differing, ours: unknown, theirs: unknown])[] = [
    // Without an amount or our id, the report is not known to be about this payment.
    ['amount', amount, report.amount],
    ['currency', currency, report.currency ?? undefined],
    ['live', payment.live, report.live ?? undefined],
    ['payment_id', payment.id, report.paymentId],
    ['user_id', payment.userId, report.userId ?? undefined],
    ['kind', payment.kind, report.kind],
    ['plan_id', payment.plan?.id ?? null, report.planId],
    ['months', payment.months, report.months],
  ]
  return compared
    .filter(([, ours, theirs]) => theirs !== undefined && ours !== theirs)
    .map(([name, ours, theirs]) =>
      describeDifference(name, { ours: String(ours), by: settledBy, theirs: String(theirs) }),
    )
}

function adopt(payment: Payment, report: CheckoutReport, stored: Payment, now: Instant): Payment {
  const lifetime = payment.expiresAt - payment.createdAt
  const madeAt = payment.checkoutId === null ? checkoutMadeAt(stored, report, now) : null
  return {
    ...payment,
    checkoutId: report.checkoutId,
    checkoutUrl: payment.checkoutUrl ?? report.checkoutUrl,
    expiresAt: madeAt === null ? payment.expiresAt : madeAt + lifetime,
    instrument: report.instrument ?? payment.instrument,
  }
}

type FinalStatus = 'paid' | 'failed' | 'canceled' | 'expired'

function isFinal(status: CheckoutStatus): status is FinalStatus {
  return status === 'paid' || status === 'failed' || status === 'canceled' || status === 'expired'
}

function nothing(outcome: SettlementOutcome): Settlement {
  return { outcome, payment: null, subscription: null, events: [] }
}
