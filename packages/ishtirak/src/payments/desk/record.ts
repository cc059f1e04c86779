// What an operator took at the desk, entered in the books: one statement saves the payment, the paid time, the receipt and the
// line in the audit trail. The reference makes a repetition harmless: the slip of the cash desk, or the number of the cheque.
import type { CheckoutReport, MethodTraits } from '../../core/checkout.js'
import { BillingError } from '../../core/error.js'
import { toTimestamp } from '../../core/instant.js'
import { newPayment, type Payment } from '../../core/payment.js'
import type { Offer } from '../../core/plan.js'
import { type ReceiptSnapshot, stampDutyAt, totalOf } from '../../core/receipt.js'
import { statement } from '../../database/database.js'
import { json } from '../../database/rows.js'
import { type By, findRefundInstant } from '../audit.sql.js'
import { type QuoteDeps, readQuote } from '../quote.js'
import { type SettleDeps, settlePayment } from '../settle.js'
import { rememberUser } from '../users.sql.js'
import type { DeskMethod } from './desk.js'

export type RecordDeps = SettleDeps & QuoteDeps

export interface TakenAtDesk {
  readonly userId: string
  readonly planId: string
  readonly months: number
  readonly method: DeskMethod
  /** In dinars: what was taken, stamp duty included. */
  readonly amount: number
  /** Names one payment by this method, of whichever user. */
  readonly reference: string
}

/**
 * Gives the id of the payment, which a repetition finds again. Throws what `quoteRefusal` names, `unknown_method` where cash is
 * not taken, `wrong_amount` with what is to be paid, `conflict` with the payment that has this reference, or `already_refunded`.
 */
export async function recordPayment(deps: RecordDeps, taken: TakenAtDesk, by: By): Promise<string> {
  const { methods, clock, ids, database } = deps
  const { userId, planId, months, reference } = taken
  const method = methods.all.find(({ name }) => name === taken.method)
  if (!method) throw new BillingError('unknown_method')
  const [quoted] = await Promise.allSettled([readQuote(deps, { userId, planId, months })])
  // After the quote, which may be refused because of this very payment.
  const known = await findRecorded(deps, taken)
  if (known) return sameAs(deps, known, taken)
  if (quoted.status === 'rejected') throw quoted.reason
  const { offer } = quoted.value
  const now = clock.now()
  checkAmount(deps, { offer, method, amount: taken.amount, now })
  await rememberUser(database, { userId }, now)
  const attempt = { id: ids.next('pay', now), userId, offer, method, createdAt: now, attemptEndsAt: now }
  const recorded: Payment = { ...newPayment(attempt), checkoutId: reference, nextCheckAt: null }
  const act = { ...by, act: 'payment.record' }
  const report = reportOf(recorded, reference, now)
  const outcome = await settlePayment(deps, { report, event: null, source: 'operator', recorded, by: act })
  if (outcome === 'booked') return recorded.id
  // Another call with this reference was faster.
  const first = await findRecorded(deps, taken)
  if (!first) throw new Error(`payment ${recorded.id} was not booked: ${outcome}`)
  return sameAs(deps, first, taken)
}

async function findRecorded(
  { settlements }: RecordDeps,
  { method, reference }: TakenAtDesk,
): Promise<Payment | null> {
  const found = await settlements.load({ method, checkoutId: reference, paymentId: null })
  return found?.payment ?? null
}

const selectSnapshot = statement(
  'desk.receipt',
  'select snapshot from receipts where user_id = $1 and payment_id = $2',
)

async function sameAs(deps: RecordDeps, payment: Payment, taken: TakenAtDesk): Promise<string> {
  const { id, userId, plan, months, status } = payment
  const of = { userId, paymentId: id }
  const [receipt] = await deps.database.query(selectSnapshot, [userId, id])
  const total = receipt ? totalOf(json<ReceiptSnapshot>(receipt, 'snapshot')) : null
  const isSame = userId === taken.userId && plan.id === taken.planId && months === taken.months
  if (!isSame || total === null || !isAmount(taken.amount, total)) {
    throw new BillingError('conflict', { extra: { payment_id: id, payment_status: status } })
  }
  if (status !== 'refunded') return id
  const at = await findRefundInstant(deps.database, of)
  const extra = { payment_id: id, ...(at === null ? {} : { refunded_at: toTimestamp(at) }) }
  throw new BillingError('already_refunded', { extra })
}

/** Nothing is booked before the whole of it was taken. */
function checkAmount(
  { receipts: { seller, dayOf } }: RecordDeps,
  of: { readonly offer: Offer; readonly method: MethodTraits; readonly amount: number; readonly now: number },
): void {
  const { amount: price } = of.offer.price
  const duty = of.method.bearsStampDuty ? stampDutyAt(seller, price, dayOf(of.now)) : 0
  const total = price * 100 + duty
  if (isAmount(of.amount, total)) return
  throw new BillingError('wrong_amount', { extra: { price, stamp_duty: duty / 100, amount: total / 100 } })
}

/** Half dinars are exact in binary, tenths are not: equal is what is the same to a tenth of a centime. */
function isAmount(dinars: number, centimes: number): boolean {
  return Math.round(dinars * 1_000) === centimes * 10
}

function reportOf(payment: Payment, reference: string, now: number): CheckoutReport {
  return {
    method: payment.method,
    checkoutId: reference,
    status: 'paid',
    amount: payment.price.amount,
    currency: payment.price.currency,
    live: payment.live,
    paymentId: payment.id,
    userId: payment.userId,
    planId: payment.plan.id,
    months: payment.months,
    instrument: payment.instrument,
    checkoutUrl: null,
    createdAt: now,
    updatedAt: now,
  }
}
