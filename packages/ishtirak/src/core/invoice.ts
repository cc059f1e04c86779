// Invoices and credit notes: which payment has one, which one is owed, and what each shows. An invoice is
// never edited: a credit note takes it back, and another may follow (décret exécutif 05-468).
import type { BuyerDetails } from './buyer-details.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import type { DocumentSnapshot, NamedDocument, SellerIdentity } from './receipt.js'

/** A document that a payment has, by its number. */
export interface IssuedDocument extends NamedDocument {
  readonly snapshot: DocumentSnapshot
}

/** The invoice that no credit note has taken back; null: none. `documents` are all of a payment, in order. */
export function invoiceInForce<Document extends IssuedDocument>(
  documents: readonly Document[],
): Document | null {
  const last = documents.at(-1)
  return last?.kind === 'invoice' ? last : null
}

/**
 * Whether a document shows that its money went back. A corrected invoice and a credit note show none of their
 * own.
 */
export function showsRefund({ kind, number }: IssuedDocument, documents: readonly IssuedDocument[]): boolean {
  return (
    kind === 'receipt' || number === documents.findLast((document) => document.kind === 'invoice')?.number
  )
}

/** The fields by which another document names this one. */
export const namedDocument = ({ kind, number, issuedOn }: NamedDocument): NamedDocument => ({
  kind,
  number,
  issuedOn,
})

/** Why a payment cannot have an invoice; null: it can. A top-up has sold nothing yet, so it has none. */
export function invoiceRefusal(
  { status, kind }: Pick<Payment, 'status' | 'kind'>,
  documents: readonly IssuedDocument[],
): 'already_refunded' | 'payment_not_paid' | 'conflict' | null {
  if (status === 'refunded') return 'already_refunded'
  if (status !== 'paid') return 'payment_not_paid'
  return kind === 'top_up' || documents[0]?.snapshot.tax.kind === 'advance' ? 'conflict' : null
}

interface Issue {
  readonly seller: SellerIdentity
  readonly issuedAt: Instant
  /** `YYYY-MM-DD` in the billing time zone. */
  readonly issuedOn: string
}

/**
 * The invoice that follows `last`, a receipt or a credit note, which it names. It repeats what the first
 * document said of the sale. Its date is the day of issue, because numbers rise with dates.
 */
export function laterInvoice(
  last: IssuedDocument,
  { seller, issuedAt, issuedOn }: Issue,
  details: BuyerDetails,
): DocumentSnapshot {
  const { snapshot } = last
  const buyer = { ...snapshot.buyer, details }
  return { ...snapshot, kind: 'invoice', about: namedDocument(last), seller, buyer, issuedAt, issuedOn }
}

/** Takes the whole invoice back, with the buyer as the invoice shows them. */
export function creditNoteOf(
  invoice: IssuedDocument,
  { seller, issuedAt, issuedOn }: Issue,
): DocumentSnapshot {
  return {
    ...invoice.snapshot,
    kind: 'credit_note',
    about: namedDocument(invoice),
    seller,
    issuedAt,
    issuedOn,
  }
}
