// Books what an operator took at the desk: one query saves the payment, the paid time, the receipt and the
// line in the audit trail. The reference (the slip of the cash desk or the number of the cheque) makes a
// repetition harmless.

import { type By, findRefundInstant } from '../acts/audit.sql.js'
import { type QuoteDeps, readQuote } from '../checkout/quote.js'
import type { MethodTraits } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { HOUR, toTimestamp } from '../core/instant.js'
import { newPayment, ownReport, type Payment } from '../core/payment.js'
import { changeQuotes, type Quote, type Start } from '../core/quote.js'
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

interface Purchase {
  readonly planId: string
  readonly months: number
  readonly start: Start
}

export type AskedAtDesk = (Purchase | WantedTopUp) & {
  readonly userId: string
  readonly method: DeskMethod
  /** The details of a user who was unknown. */
  readonly customer: Customer | null
  /** The reference in the form of `plainReference`. It identifies one payment by this method, of any user. */
  readonly reference: string
}

/** `amount` is what was taken in dinars, including stamp duty. */
type TakenAtDesk = AskedAtDesk & { readonly amount: number }

/**
 * A repetition changes nothing. Throws what `quoteRefusal` names for a purchase or top-up, `unknown_method`
 * if cash is not accepted, `wrong_amount` with the amount to pay, `conflict` with the payment that has this
 * reference, or `already_refunded`.
 */
export function bookTaken(deps: RecordDeps, taken: TakenAtDesk, by: By): Promise<void> {
  // Each purchase starts where the previous one ends: many at once go no further ahead than one after the
  // other.
  return deps.inTurn(`desk ${taken.userId}`, () => bookInTurn(deps, taken, by))
}

async function bookInTurn(deps: RecordDeps, taken: TakenAtDesk, by: By): Promise<void> {
  const { clock, ids } = deps
  const { userId, reference } = taken
  const method = methodNamed(deps, taken.method)
  // A plan change names the payments that it changes.
  await findCurrentUser(deps, userId)
  const [quoted] = await Promise.allSettled([readSale(deps, taken)])
  // Read after the quote, which may be refused because of this very payment.
  const known = await findRecorded(deps, taken)
  if (known) return requireSame(deps, known, taken)
  if (quoted.status === 'rejected') throw quoted.reason
  const { value: sale } = quoted
  const now = clock.now()
  const most = await mostOf(deps, sale, taken, now)
  const offer = offerTaken(deps, { sale, most, method, amount: taken.amount, now })
  await rememberPayer(deps, taken, now)
  const { change } = sale
  const attempt = { id: ids.next('pay', now), userId, offer, change, method, createdAt: now }
  const payment = newPayment({ ...attempt, attemptEndsAt: now })
  const recorded: Payment = { ...payment, checkoutId: reference, nextCheckAt: null }
  const act = { ...by, act: 'payment.record' as const }
  const { price, instrument, months } = recorded
  const came = { status: 'paid', amount: price.amount, instrument, createdAt: now, updatedAt: now } as const
  const report = ownReport(recorded, reference, { ...came, ...(months !== null && { months }) })
  const reported = { report, event: null, source: 'operator', recorded, by: act } as const
  const outcome = await settlePayment(deps, reported).catch(takenOrThrow)
  if (outcome === 'booked') return
  // Another call with this reference was faster.
  const first = await findRecorded(deps, taken)
  if (!first) throw new Error(`payment ${recorded.id} was not booked: ${outcome}`)
  return requireSame(deps, first, taken)
}

/** Throws `conflict` with the user who has the telephone number: the customer is not new. */
async function rememberPayer({ database }: RecordDeps, taken: TakenAtDesk, now: number): Promise<void> {
  const { userId, customer } = taken
  if (!customer) return rememberUser(database, { userId }, now)
  const owner = await rememberCustomer(database, userId, customer, now)
  if (owner !== null) throw phoneTaken(owner)
}

function phoneTaken(owner: string): BillingError {
  return new BillingError('conflict', { extra: { phone_of: owner } })
}

/** The highest price of the last hour. */
async function mostOf(
  { database, rules }: RecordDeps,
  { change, offer, amount }: Sale,
  { userId }: TakenAtDesk,
  now: number,
): Promise<number> {
  if (!change || !('plan' in offer)) return amount
  const { subscription = NEVER_PAID } = (await findUser(database, userId)) ?? {}
  const quotes = changeQuotes(subscription, now - HOUR, rules)
  const before = quotes.find((quote) => 'plan' in quote.offer && quote.offer.plan.id === offer.plan.id)
  return Math.max(amount, before?.amount ?? amount)
}

/** Throws what `quoteRefusal` names. */
async function readSale(deps: RecordDeps, wanted: AskedAtDesk): Promise<Quote | Sale> {
  if (!('topUp' in wanted)) return readQuote(deps, wanted)
  const { subscription = NEVER_PAID } = (await findUser(deps.database, wanted.userId)) ?? {}
  const decision = decideTopUp(subscription, wanted, deps.clock.now(), deps.rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  return decision.quote
}

/**
 * Two simultaneous calls for different users with one reference read nothing that the other changes, so only
 * the constraint keeps them apart.
 */
function takenOrThrow(error: unknown): 'taken' {
  if (error instanceof ConstraintViolation && error.constraint === 'payments_by_reference') return 'taken'
  throw error
}

export async function findRecorded(
  { settlements }: RecordDeps,
  { method, reference }: Pick<AskedAtDesk, 'method' | 'reference'>,
): Promise<Payment | null> {
  const found = await settlements.load({ method, checkoutId: reference, paymentId: null })
  return found?.payment ?? null
}

async function requireSame(deps: RecordDeps, payment: Payment, taken: TakenAtDesk): Promise<void> {
  const { id, userId, status } = payment
  const of = { userId, paymentId: id }
  const [first] = await documentsOfPayment(deps.database, payment)
  const total = first ? totalOf(first.snapshot) : null
  const isSame = userId === taken.userId && isSameSale(payment, taken)
  if (!isSame || total === null || !isAmount(taken.amount, total)) throw referenceTaken(payment)
  if (status !== 'refunded') return
  const at = await findRefundInstant(deps.database, of)
  const extra = { payment_id: id, ...(at === null ? {} : { refunded_at: toTimestamp(at) }) }
  throw new BillingError('already_refunded', { extra })
}

function isSameSale({ kind, plan, months, price }: Payment, taken: TakenAtDesk): boolean {
  if ('topUp' in taken) return kind === 'top_up' && price.amount === taken.topUp
  return plan?.id === taken.planId && months === (taken.start === 'now' ? null : taken.months)
}

function referenceTaken({ id, status }: Payment): BillingError {
  const problems = [{ pointer: '/reference', code: 'not_allowed' as const }]
  return new BillingError('conflict', { problems, extra: { payment_id: id, payment_status: status } })
}

/**
 * The amount to take, and what it would buy now. Throws what `bookTaken` would for the purchase, and
 * `conflict` with the payment that has this reference, whatever it bought.
 */
export async function quoteAtDesk(deps: RecordDeps, wanted: AskedAtDesk) {
  const method = methodNamed(deps, wanted.method)
  const known = await findRecorded(deps, wanted)
  if (known) throw referenceTaken(known)
  const owner = wanted.customer?.phone ? await findUserByPhone(deps.database, wanted.customer.phone) : null
  if (owner !== null && owner !== wanted.userId) throw phoneTaken(owner)
  const sale = await readSale(deps, wanted)
  return { sale, ...chargeOf(deps, { price: sale.amount, method, now: deps.clock.now() }) }
}

function methodNamed({ methods }: RecordDeps, wanted: DeskMethod) {
  const method = methods.all.find(({ name }) => name === wanted)
  if (!method) throw new BillingError('unknown_method')
  return method
}

interface Charged {
  readonly price: number
  readonly method: MethodTraits
  readonly now: number
}

function chargeOf({ receipts: { seller, dayOf } }: RecordDeps, { price, method, now }: Charged) {
  const dutyCentimes = method.bearsStampDuty ? stampDutyAt(seller, price, dayOf(now)) : 0
  return { price, dutyCentimes, totalCentimes: price * 100 + dutyCentimes }
}

/**
 * The sale at the amount that was taken. Nothing is booked unless the whole price was taken. A plan change
 * gets cheaper as time passes, so its price at any time within the last hour is accepted.
 */
function offerTaken(
  deps: RecordDeps,
  of: Omit<Charged, 'price'> & { readonly sale: Sale; readonly amount: number; readonly most: number },
): Sale['offer'] {
  const { offer, amount: least } = of.sale
  const { most } = of
  for (let price = least; price <= most; price++) {
    const { totalCentimes } = chargeOf(deps, { ...of, price })
    if (isAmount(of.amount, totalCentimes)) return { ...offer, price: { ...offer.price, amount: price } }
  }
  const { price, dutyCentimes, totalCentimes } = chargeOf(deps, { ...of, price: least })
  const extra = { price, stamp_duty: dutyCentimes / 100, amount: totalCentimes / 100 }
  throw new BillingError('wrong_amount', { extra })
}

/** Half dinars are exact in binary, tenths are not: amounts within a tenth of a centime are equal. */
function isAmount(dinars: number, centimes: number): boolean {
  return Math.round(dinars * 1_000) === centimes * 10
}
