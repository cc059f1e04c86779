// Invoices and credit notes: which payment has one, which one is owed, and what each shows. An invoice is
// never edited: a credit note takes it back, and another may follow (décret exécutif 05-468).
import type { Payment } from './payment.js'
import type { DocumentSnapshot, NamedDocument } from './receipt.js'

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

/** Whether it shows that its money went back. A corrected invoice and a credit note show nothing of it. */
export function showsRefund({ kind, number }: IssuedDocument, documents: readonly IssuedDocument[]): boolean {
  return (
    kind === 'receipt' || number === documents.findLast((document) => document.kind === 'invoice')?.number
  )
}

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

/** Names `last` and repeats what it says of the sale. The day of issue is its date: numbers rise with it. */
export function documentAfter(
  last: IssuedDocument,
  kind: 'invoice' | 'credit_note',
  issue: Pick<DocumentSnapshot, 'seller' | 'issuedAt' | 'issuedOn'>,
): DocumentSnapshot {
  return { ...last.snapshot, ...issue, kind, about: namedDocument(last) }
}
