// What is issued for a payment: the document of its booking, then credit notes and invoices.
import type { BuyerDetails } from '../core/buyer-details.js'
import type { Instant } from '../core/instant.js'
import { documentAfter, type IssuedDocument, invoiceInForce } from '../core/invoice.js'
import type { Payment } from '../core/payment.js'
import {
  type DocumentSnapshot,
  documentSeries,
  drawUpReceipt,
  type IssuedKind,
  totalOf,
} from '../core/receipt.js'
import type { StoredReport } from '../core/stored-report.js'
import { BY_BALANCE } from '../core/subscription.js'
import { sellerHash } from './documents.sql.js'
import type { CommonParts } from './parts.js'
import type { UserRecord } from './users.sql.js'

export type DocumentDeps = Pick<CommonParts, 'seller' | 'billingDayOf'>
type BookingDeps = DocumentDeps & Pick<CommonParts, 'methods'>

/** `report`: the report that booked the payment, if a report did. */
export function documentOfBooking(
  deps: BookingDeps,
  payment: Payment,
  user: Pick<UserRecord, 'name' | 'email' | 'buyer'> & { readonly userId: string },
  { report, now }: { readonly report: StoredReport | undefined; readonly now: Instant },
): NewDocument {
  const feeCentimes = feeCentimesOf(payment, report)
  return toIssue(receiptOf(deps, payment, user, now), { place: 0, feeCentimes })
}

/** Null: not said, or more than it took. A document never changes, so a wrong fee would spoil its month. */
function feeCentimesOf({ method, price }: Payment, report: StoredReport | undefined): number | null {
  if (method === BY_BALANCE) return 0
  const fees = report?.fees
  return fees === undefined || fees > price.amount ? null : fees * 100
}

/** Drawn up with the booking: no later change of name, tax or seller touches it. */
export function receiptOf(
  { methods, seller, billingDayOf: dayOf }: BookingDeps,
  payment: Payment,
  user: Pick<UserRecord, 'name' | 'email' | 'buyer'> & { readonly userId: string },
  now: Instant,
): DocumentSnapshot {
  const buyer = user.buyer ? { ...user, details: user.buyer } : user
  const { bearsStampDuty } = methods.of(payment.method)
  return drawUpReceipt(payment, { seller, buyer, issuedAt: now, bearsStampDuty, dayOf })
}

/**
 * `documents` are all of the payment, in order. Undefined: no invoice is in force, so nothing is taken back.
 * `owes`: the sale stands, so another invoice has to follow.
 */
export function creditNoteFor(
  deps: DocumentDeps,
  documents: readonly IssuedDocument[],
  now: Instant,
  { owes } = { owes: false },
): NewDocument | undefined {
  const invoice = invoiceInForce(documents)
  if (!invoice) return undefined
  const creditNote = documentAfter(invoice, 'credit_note', issueAt(deps, now))
  return toIssue(creditNote, { place: documents.length, owes })
}

/** The invoice after the payment's last document, which is a receipt or a credit note. */
export function invoiceFor(
  deps: DocumentDeps,
  documents: readonly IssuedDocument[],
  details: BuyerDetails,
  now: Instant,
): NewDocument {
  const last = documents.at(-1)
  if (!last || last.kind === 'invoice') throw new Error('an invoice follows a receipt or a credit note')
  const invoice = documentAfter(last, 'invoice', issueAt(deps, now))
  return toIssue({ ...invoice, buyer: { ...invoice.buyer, details } }, { place: documents.length })
}

/** What the customer paid and the stamp duty in it, in dinars. Only the duty can have centimes. */
export function describeTotal(snapshot: DocumentSnapshot) {
  return { stamp_duty: snapshot.stampDutyCentimes / 100, total: totalOf(snapshot) / 100 }
}

function issueAt({ seller, billingDayOf }: DocumentDeps, now: Instant) {
  return { seller: seller.identity, issuedAt: now, issuedOn: billingDayOf(now) }
}

/** A document to issue, for the query that saves a revision, which draws its number. */
export type NewDocument = ReturnType<typeof toIssue>

/** `place` follows the last document, so of two that are decided at once only one is issued. */
function toIssue(
  document: DocumentSnapshot,
  of: { readonly place: number; readonly owes?: boolean; readonly feeCentimes?: number | null },
) {
  const { kind, seller, issuedAt: _, issuedOn, paymentId, split, stampDutyCentimes, ...snapshot } = document
  const { live, discount = 0 } = snapshot
  const { place, owes, feeCentimes = 0 } = of
  return {
    ...{ payment_id: paymentId, place, kind: kind as IssuedKind, issued_on: issuedOn, owes },
    ...{ seller: sellerHash(seller), series: documentSeries(kind, issuedOn, live) },
    ...{ net_centimes: split.netCentimes, tax_centimes: split.taxCentimes },
    ...{ duty_centimes: stampDutyCentimes, discount_centimes: discount * 100, fee_centimes: feeCentimes },
    snapshot,
  }
}
