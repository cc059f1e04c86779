// Books what an operator took at the desk, with the line in the audit trail. The reference (the slip of the
// cash desk or the number of the cheque) makes a repetition harmless.
import { findRefundInstant, type Requester } from '../acts/audit.sql.js'
import { type QuoteDeps, readQuote } from '../checkout/quote.js'
import type { MethodTraits } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { HOUR, toTimestamp } from '../core/instant.js'
import { newPayment, ownReport, type Payment } from '../core/payment.js'
import { changeQuotes, type Quote, type Start, type Wanted } from '../core/quote.js'
import { stampDutyAt, totalOf } from '../core/receipt.js'
import { NEVER_PAID } from '../core/subscription.js'
import { decideTopUp, type Sale, type WantedTopUp } from '../core/upgrade.js'
import { ConstraintViolation, type Database } from '../database/database.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'
import { findCurrentUser } from '../ledger/load.js'
import { quoteRefusal } from '../ledger/refusals.js'
import { type SettleDeps, settlePayment } from '../ledger/settle.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import {
  type Customer,
  findUser,
  findUserByPhone,
  rememberCustomer,
  rememberUser,
} from '../ledger/users.sql.js'
import type { DeskMethod } from './desk.js'

export type RecordDeps = SettleDeps & QuoteDeps & SubjectDeps & { readonly database: Database }

type Purchase = Pick<Wanted, 'planId' | 'months'> & { readonly start: Start }

export type DeskOrder = (Purchase | WantedTopUp) & {
  readonly userId: string
  readonly method: DeskMethod
  /** The details of a user who was unknown. */
  readonly customer: Customer | null
  /** The reference in the form of `plainReference`. It identifies one payment by this method, of any user. */
  readonly reference: string
}

/** `amount` is what was taken in dinars, including stamp duty. */
type PaidDeskOrder = DeskOrder & { readonly amount: number }

/**
 * A repetition changes nothing. Throws what `quoteRefusal` names for a purchase or top-up, `unknown_method`
 * if cash is not accepted, `wrong_amount` with the amount to pay, `conflict` with the payment that has this
 * reference, or `already_refunded`.
 */
export function bookDeskSale(deps: RecordDeps, order: PaidDeskOrder, by: Requester): Promise<void> {
  // Each purchase starts where the previous one ends: many at once go no further ahead than one after the
  // other.
  return deps.inTurn(`desk ${order.userId}`, () => bookInTurn(deps, order, by))
}

async function bookInTurn(deps: RecordDeps, order: PaidDeskOrder, by: Requester): Promise<void> {
  const { clock, ids } = deps
  const { userId, reference } = order
  const method = methodNamed(deps, order.method)
  // A plan change names the payments that it changes.
  await findCurrentUser(deps, userId)
  const [quoted] = await Promise.allSettled([readSale(deps, order)])
  // Read after the quote, which may be refused because of this very payment.
  const known = await findRecorded(deps, order)
  if (known) return requireSame(deps, known, order)
  if (quoted.status === 'rejected') throw quoted.reason
  const { value: sale } = quoted
  const now = clock.now()
  const most = await highestPriceOf(deps, sale, order, now)
  const offer = offerPaid(sale, { taken: order.amount, most }, chargesOf(deps, method, now))
  await rememberPayer(deps, order, now)
  const { change } = sale
  const attempt = { id: ids.next('pay', now), userId, offer, change, method, createdAt: now }
  const payment = newPayment({ ...attempt, attemptEndsAt: now })
  const recorded: Payment = { ...payment, checkoutId: reference, nextCheckAt: null }
  const act = { ...by, act: 'payment.record' as const }
  const { price, instrument, months } = recorded
  const paid = { status: 'paid', amount: price.amount, instrument, createdAt: now, updatedAt: now } as const
  const report = ownReport(recorded, reference, { ...paid, ...(months !== null && { months }) })
  const reported = { report, event: null, source: 'operator', recorded, by: act } as const
  const outcome = await settlePayment(deps, reported).catch(referenceTakenOrThrow)
  if (outcome === 'booked') return
  // Another call with this reference was faster.
  const first = await findRecorded(deps, order)
  if (!first) throw new Error(`payment ${recorded.id} was not booked: ${outcome}`)
  return requireSame(deps, first, order)
}

/** Throws `conflict` with the user who has the telephone number: the customer is not new. */
async function rememberPayer({ database }: RecordDeps, order: PaidDeskOrder, now: number): Promise<void> {
  const { userId, customer } = order
  if (!customer) return rememberUser(database, { userId }, now)
  const owner = await rememberCustomer(database, userId, customer, now)
  if (owner !== null) throw phoneTaken(owner)
}

function phoneTaken(owner: string): BillingError {
  return new BillingError('conflict', { extra: { phone_of: owner } })
}

/** The highest price that the sale had within the last hour. Only that of a plan change falls. */
async function highestPriceOf(
  { database, rules }: RecordDeps,
  { change, offer, amount }: Sale,
  { userId }: PaidDeskOrder,
  now: number,
): Promise<number> {
  if (!change || !('plan' in offer)) return amount
  const { subscription = NEVER_PAID } = (await findUser(database, userId)) ?? {}
  const quotes = changeQuotes(subscription, now - HOUR, rules)
  const before = quotes.find((quote) => 'plan' in quote.offer && quote.offer.plan.id === offer.plan.id)
  return Math.max(amount, before?.amount ?? amount)
}

/** Throws what `quoteRefusal` names. */
async function readSale(deps: RecordDeps, order: DeskOrder): Promise<Quote | Sale> {
  if (!('topUp' in order)) return (await readQuote(deps, order)).quote
  const { subscription = NEVER_PAID } = (await findUser(deps.database, order.userId)) ?? {}
  const decision = decideTopUp(subscription, order, deps.clock.now(), deps.rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  return decision.quote
}

/** Only the constraint keeps two simultaneous calls for different users with one reference apart. */
function referenceTakenOrThrow(error: unknown): 'taken' {
  if (error instanceof ConstraintViolation && error.constraint === 'payments_by_reference') return 'taken'
  throw error
}

export async function findRecorded({ settlements }: RecordDeps, { method, reference }: DeskOrder) {
  const found = await settlements.load({ method, checkoutId: reference, paymentId: null })
  return found?.payment ?? null
}

async function requireSame(deps: RecordDeps, payment: Payment, order: PaidDeskOrder): Promise<void> {
  const { id, userId, status } = payment
  const [first] = await documentsOfPayment(deps.database, payment)
  const total = first ? totalOf(first.snapshot) : null
  const isSame = userId === order.userId && isSameSale(payment, order)
  if (!isSame || total === null || !isAmount(order.amount, total)) throw referenceTaken(payment)
  if (status !== 'refunded') return
  const at = await findRefundInstant(deps.database, { userId, paymentId: id })
  const extra = { payment_id: id, ...(at === null ? {} : { refunded_at: toTimestamp(at) }) }
  throw new BillingError('already_refunded', { extra })
}

function isSameSale({ kind, plan, months, price }: Payment, order: PaidDeskOrder): boolean {
  if ('topUp' in order) return kind === 'top_up' && price.amount === order.topUp
  return plan?.id === order.planId && months === (order.start === 'now' ? null : order.months)
}

function referenceTaken({ id, status }: Payment): BillingError {
  const problems = [{ pointer: '/reference', code: 'not_allowed' as const }]
  return new BillingError('conflict', { problems, extra: { payment_id: id, payment_status: status } })
}

/**
 * The amount to take, and what it would buy now. Throws what `bookDeskSale` would for the purchase, and
 * `conflict` with the payment that has this reference, whatever it bought.
 */
export async function quoteAtDesk(deps: RecordDeps, order: DeskOrder) {
  const { userId, customer } = order
  const method = methodNamed(deps, order.method)
  const known = await findRecorded(deps, order)
  if (known) throw referenceTaken(known)
  const owner = customer?.phone ? await findUserByPhone(deps.database, customer.phone) : null
  if (owner !== null && owner !== userId) throw phoneTaken(owner)
  const sale = await readSale(deps, order)
  return { sale, ...chargesOf(deps, method, deps.clock.now())(sale.amount) }
}

function methodNamed({ methods }: RecordDeps, wanted: DeskMethod) {
  const method = methods.all.find(({ name }) => name === wanted)
  if (!method) throw new BillingError('unknown_method')
  return method
}

/** Returns what must be taken for a price, with the stamp duty of the day if the method bears it. */
function chargesOf({ seller, billingDayOf }: RecordDeps, method: MethodTraits, now: number) {
  return (price: number) => {
    const dutyCentimes = method.bearsStampDuty ? stampDutyAt(seller, price, billingDayOf(now)) : 0
    return { price, dutyCentimes, totalCentimes: price * 100 + dutyCentimes }
  }
}

/**
 * The offer at the price that was taken. Nothing is booked unless the whole price was taken. A plan change
 * gets cheaper as time passes, so its price at any time within the last hour, `most` at most, is accepted.
 */
function offerPaid(
  { offer, amount: least }: Sale,
  { taken, most }: { readonly taken: number; readonly most: number },
  chargeOf: ReturnType<typeof chargesOf>,
): Sale['offer'] {
  for (let price = least; price <= most; price++)
    if (isAmount(taken, chargeOf(price).totalCentimes))
      return { ...offer, price: { ...offer.price, amount: price } }
  const { price, dutyCentimes, totalCentimes } = chargeOf(least)
  const extra = { price, stamp_duty: dutyCentimes / 100, amount: totalCentimes / 100 }
  throw new BillingError('wrong_amount', { extra })
}

/** Half dinars are exact in binary, tenths are not: amounts within a tenth of a centime are equal. */
function isAmount(dinars: number, centimes: number): boolean {
  return Math.round(dinars * 1_000) === centimes * 10
}
