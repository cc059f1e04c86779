// Documents of payments: the snapshot that was stored when the document was issued, printed in a language.
import { findRefundInstant } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { type IssuedDocument, invoiceInForce, namedDocument, showsRefund } from '../core/invoice.js'
import type { Locale } from '../core/locale.js'
import type { Payment } from '../core/payment.js'
import type { CommonParts } from '../ledger/parts.js'
import { createWorkQueue, singleFlight } from '../runtime/async.js'
import type { Log } from '../runtime/log.js'
import { notePrint } from './documents.sql.js'
import { documentsOfUser } from './invoices.js'
import { type ReceiptForm, renderReceipt } from './render-receipt.js'
import { createTypesetter, missingForReceipts, type Typesetter } from './typesetter.js'

export interface ReceiptDeps extends Pick<CommonParts, 'database' | 'clock' | 'seller' | 'billingDayOf'> {
  readonly printer: ReturnType<typeof createReceiptPrinter>
}

export function createReceiptPrinter(log: Log, color: string | null) {
  const missing = missingForReceipts()
  if (missing.length > 0)
    log.warn(
      { run: `npm install ${missing.join(' ')}` },
      'receipts get numbers and no PDF: optional packages are missing. Install them, then start again',
    )
  return {
    /** Null: its optional packages are not installed. */
    typesetter: missing.length > 0 ? null : createTypesetter(color),
    /** Each page blocks the main thread for some 10 ms. */
    queue: createWorkQueue(),
    /** Simultaneous requests for one receipt print it once. */
    shared: singleFlight<PrintedReceipt>(),
  }
}

export interface ReceiptWish {
  readonly userId: string
  readonly paymentId: string
  /** The number of a later document. Absent: the document of the booking. */
  readonly number?: string | undefined
  readonly locale: Locale
  readonly form?: ReceiptForm
}

type PrintedFor = 'buyer' | 'mail' | 'operator'

/** A document of a payment. `content` is its PDF, or null if receipts are not printed. */
export interface Receipt<Content = Uint8Array | null> {
  readonly number: string
  /** The file name for saving: `credit-note-A-2026-000001.pdf`. */
  readonly name: string
  readonly content: Content
}
export type PrintedReceipt = Receipt<Uint8Array>

/** Two seconds of work at most. A later request should come again. */
const WAITING_MAX = 100
const RETRY_SECONDS = 2

/** For a user who waits. Throws also `busy` if too many wait already, and `receipts_unavailable`. */
export function askForReceipt(
  deps: ReceiptDeps,
  of: ReceiptWish,
  printedFor: PrintedFor = 'buyer',
): Promise<PrintedReceipt> {
  return deps.printer.shared(
    JSON.stringify([of.userId, of.paymentId, of.number, of.locale, of.form, printedFor]),
    async () => {
      const { content, ...receipt } = await readReceipt(deps, of, printedFor, WAITING_MAX)
      if (content !== null) return { ...receipt, content }
      throw new BillingError('receipts_unavailable', { extra: { receipt_number: receipt.number } })
    },
  )
}

/** Throws `not_found` (also for another user's payment and an unknown number) and `payment_not_paid`. */
export async function findReceipt(
  deps: Pick<ReceiptDeps, 'database'>,
  of: Pick<ReceiptWish, 'userId' | 'paymentId' | 'number'>,
) {
  const { payment, documents } = await documentsOfUser(deps, of)
  if (documents.length === 0) throw new BillingError('payment_not_paid')
  const document = documents.find((one) => of.number === undefined || one.number === of.number)
  if (!document) throw new BillingError('not_found')
  return { payment, documents, document }
}

/** Throws as `findReceipt` does, and `busy` if `waitingMax` prints wait already. */
export async function readReceipt(
  deps: ReceiptDeps,
  of: ReceiptWish,
  printedFor: PrintedFor,
  waitingMax = Number.POSITIVE_INFINITY,
): Promise<Receipt> {
  const { database, billingDayOf, printer } = deps
  const { payment, documents, document } = await findReceipt(deps, of)
  const { number, snapshot, kind } = document
  const isRefunded = payment.status === 'refunded' && showsRefund(document, documents)
  const refundedAt = isRefunded ? await findRefundInstant(database, of) : null
  const inForce = kind === 'receipt' ? invoiceInForce(documents) : null
  const render = async (typesetter: Typesetter) => {
    const isDuplicate = await isPrintedAgain(deps, { payment, document }, printedFor)
    const copy = {
      ...{ snapshot, number, isDuplicate },
      ...(refundedAt !== null && { refundedOn: billingDayOf(refundedAt) }),
      ...(inForce && { invoice: namedDocument(inForce) }),
    }
    return renderReceipt(typesetter, copy, of.locale, of.form)
  }
  const name = `${kind.replace('_', '-')}-${number}.pdf`
  return { number, name, content: await print(printer, render, waitingMax) }
}

/** At the counter the buyer is present, so an operator's print is handed to them. */
const isHandedOut = ({ method }: Payment) => ['cash', 'cheque'].includes(method)

/** Called in the turn of the print, so that nothing is recorded if typesetting is busy. */
async function isPrintedAgain(
  { database, clock }: ReceiptDeps,
  { payment, document: { kind, number } }: { readonly payment: Payment; readonly document: IssuedDocument },
  printedFor: PrintedFor,
): Promise<boolean> {
  if (kind === 'receipt') return false
  if (printedFor === 'operator' && !isHandedOut(payment)) return true
  const byMail = printedFor === 'mail'
  const first = await notePrint(database, number, { byMail, now: clock.now() })
  return !first.isNew && !(byMail && first.byMail)
}

/** Null if nothing is printed. Throws `busy` if `waitingMax` wait already. */
export async function print(
  { queue, typesetter }: ReceiptDeps['printer'],
  render: (typesetter: Typesetter) => Uint8Array | Promise<Uint8Array>,
  waitingMax = WAITING_MAX,
): Promise<Uint8Array | null> {
  if (queue.waiting >= waitingMax) throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
  return typesetter && queue.run(() => render(typesetter))
}
