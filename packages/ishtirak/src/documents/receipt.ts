// A receipt for the user who paid: the snapshot that was stored at booking, printed in a language.

import { findRefundInstant } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { type IssuedDocument, invoiceInForce, namedDocument, showsRefund } from '../core/invoice.js'
import type { Locale } from '../core/locale.js'
import type { Payment } from '../core/payment.js'
import type { ReceiptRules } from '../ledger/documents.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'
import type { CommonParts } from '../ledger/parts.js'
import { findPayment } from '../ledger/payments.sql.js'
import { createWorkQueue, singleFlight } from '../runtime/async.js'
import type { Log } from '../runtime/log.js'
import { notePrint } from './printed-documents.sql.js'
import { type ReceiptForm, renderReceipt } from './render-receipt.js'
import { createTypesetter, missingForReceipts, type Typesetter } from './typesetter.js'

export interface ReceiptDeps extends Pick<CommonParts, 'database' | 'clock'> {
  readonly receipts: ReceiptRules
  readonly printer: ReturnType<typeof createReceiptPrinter>
}

/** What the requests of one process share. `color`: as for the typesetter. */
export function createReceiptPrinter(log: Log, color: string | null) {
  const missing = missingForReceipts()
  if (missing.length > 0)
    log.warn(
      { run: `npm install ${missing.join(' ')}` },
      'receipts are numbered, not printed: packages are missing',
    )
  return {
    /** Null: its packages, which are optional, are not installed. */
    typesetter: missing.length > 0 ? null : createTypesetter(color),
    /** Each page holds the main thread for some 10 ms. */
    queue: createWorkQueue(),
    /** One receipt asked for twice at once is printed once. */
    shared: singleFlight<PrintedReceipt>(),
  }
}

export interface ReceiptWish {
  readonly userId: string
  readonly paymentId: string
  /** Of a document that was issued later. Absent: what was issued with the booking. */
  readonly number?: string | undefined
  readonly locale: Locale
  /** Absent: `a4`. */
  readonly form?: ReceiptForm
}

/** Who is given a print: the buyer, who asks for it or is sent it, or an operator. */
export type PrintedFor = 'buyer' | 'mail' | 'operator'

/** A document of a payment; `pdf` is null where receipts are not printed. */
export interface Receipt<Pdf = Uint8Array | null> extends Pick<IssuedDocument, 'number' | 'snapshot'> {
  readonly pdf: Pdf
}
export type PrintedReceipt = Receipt<Uint8Array>

/** `credit-note-A-2026-000001.pdf`: what it is saved as. */
export function pdfName({ number, snapshot }: Pick<Receipt, 'number' | 'snapshot'>): string {
  return `${snapshot.kind.replace('_', '-')}-${number}.pdf`
}

/** Two seconds of work at most: a later request is better served by coming again. */
const WAITING_MAX = 100
const RETRY_SECONDS = 2

/** For a user who waits: throws `busy` as well, when too many wait already, and `receipts_unavailable`. */
export function askForReceipt(
  deps: ReceiptDeps,
  of: ReceiptWish,
  printedFor: PrintedFor = 'buyer',
): Promise<PrintedReceipt> {
  return deps.printer.shared(
    JSON.stringify([of.userId, of.paymentId, of.number, of.locale, of.form, printedFor]),
    async () => {
      const { pdf, ...receipt } = await readReceipt(deps, of, { waitingMax: WAITING_MAX, printedFor })
      if (pdf !== null) return { ...receipt, pdf }
      throw new BillingError('receipts_unavailable', { extra: { receipt_number: receipt.number } })
    },
  )
}

/** Throws `not_found`, for another user's payment and an unknown number too, and `payment_not_paid`. */
export async function findReceipt(
  { database }: Pick<ReceiptDeps, 'database'>,
  of: Pick<ReceiptWish, 'userId' | 'paymentId' | 'number'>,
) {
  const payment = await findPayment(database, of.userId, of.paymentId)
  if (!payment) throw new BillingError('not_found')
  const documents = await documentsOfPayment(database, payment)
  if (documents.length === 0) throw new BillingError('payment_not_paid')
  const document = documents.find((one) => of.number === undefined || one.number === of.number)
  if (!document) throw new BillingError('not_found')
  return { payment, documents, document }
}

/** Throws as `findReceipt` does. */
export async function readReceipt(
  deps: ReceiptDeps,
  of: ReceiptWish,
  { printedFor, waitingMax = Number.POSITIVE_INFINITY }: Printing,
): Promise<Receipt> {
  const { database, receipts, printer } = deps
  const { payment, documents, document } = await findReceipt(deps, of)
  const { number, snapshot, kind } = document
  const isRefunded = payment.status === 'refunded' && showsRefund(document, documents)
  const refundedAt = isRefunded ? await findRefundInstant(database, of) : null
  const inForce = kind === 'receipt' ? invoiceInForce(documents) : null
  const render = async (typesetter: Typesetter) => {
    const isDuplicate = await isPrintedAgain(deps, { payment, document }, printedFor)
    const copy = {
      ...{ snapshot, number, isDuplicate },
      ...(refundedAt !== null && { refundedOn: receipts.dayOf(refundedAt) }),
      ...(inForce && { invoice: namedDocument(inForce) }),
    }
    return renderReceipt(typesetter, copy, of.locale, of.form)
  }
  return { number, snapshot, pdf: await print(printer, render, waitingMax) }
}

interface Printing {
  readonly printedFor: PrintedFor
  readonly waitingMax?: number
}

/** What operators print goes to the buyer where that one stands before them. */
const isHandedOut = ({ method }: Payment) => ['cash', 'cheque'].includes(method)

/**
 * A receipt may be printed as often as one likes. Asked in the turn of the print, so that nothing is noted of
 * what is refused because typesetting is busy.
 */
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

/** Null where nothing is printed. Throws `busy` when `waitingMax` wait already. */
export async function print(
  { queue, typesetter }: ReceiptDeps['printer'],
  render: (typesetter: Typesetter) => Uint8Array | Promise<Uint8Array>,
  waitingMax = WAITING_MAX,
): Promise<Uint8Array | null> {
  if (queue.waiting >= waitingMax) throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
  return typesetter && queue.run(() => render(typesetter))
}
