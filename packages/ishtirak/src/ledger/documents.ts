// What is issued for a payment beside its receipt: a credit note, or an invoice that comes later.
import type { BuyerDetails } from '../core/buyer-details.js'
import type { Instant } from '../core/instant.js'
import { creditNoteOf, type IssuedDocument, invoiceInForce, laterInvoice } from '../core/invoice.js'
import { documentSeries, type IssuedKind, type ReceiptSnapshot } from '../core/receipt.js'
import type { ReceiptRules } from './change-user.js'
import type { NewDocument } from './documents.sql.js'
import type { CommonParts } from './parts.js'

export interface DocumentDeps extends Pick<CommonParts, 'ids'> {
  readonly receipts: ReceiptRules
}

/**
 * `documents`: all of the payment, in order. Null: no invoice is in force, so nothing is to be taken back.
 * `owes`: the sale stands, so that another invoice is to follow.
 */
export function creditNoteFor(
  deps: DocumentDeps,
  documents: readonly IssuedDocument[],
  now: Instant,
  { owes } = { owes: false },
): NewDocument | null {
  const invoice = invoiceInForce(documents)
  return (
    invoice && {
      ...toIssue(deps, documents, 'credit_note', creditNoteOf(invoice, issueAt(deps, now)), now),
      owes,
    }
  )
}

/** What follows the last of the payment's documents, which is a receipt or a credit note. */
export function invoiceFor(
  deps: DocumentDeps,
  documents: readonly IssuedDocument[],
  details: BuyerDetails,
  now: Instant,
): NewDocument {
  const last = documents.at(-1)
  if (!last || last.kind === 'invoice') throw new Error('an invoice follows a receipt or a credit note')
  return toIssue(deps, documents, 'invoice', laterInvoice(last, issueAt(deps, now), details), now)
}

function issueAt({ receipts: { seller, dayOf } }: DocumentDeps, now: Instant) {
  return { seller: seller.identity, issuedAt: now, issuedOn: dayOf(now) }
}

/** Its place is behind all that were issued after the first. */
function toIssue(
  { ids }: DocumentDeps,
  documents: readonly IssuedDocument[],
  kind: IssuedKind,
  snapshot: ReceiptSnapshot,
  now: Instant,
): NewDocument {
  const { issuedOn, live, paymentId } = snapshot
  const series = documentSeries(kind, issuedOn, live)
  const at = { payment_id: paymentId, place: documents.length }
  return { id: ids.next('pap', now), kind, series, snapshot, ...at, owes: false }
}
