// Documents as a capability: calls, acts, mail, portal parts, and the job that issues owed invoices.

import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import {
  type DocumentsWish,
  type DocumentView,
  document,
  documentsOf,
  documentsOfYear,
  invoice,
  type PdfWish,
  receipt,
} from './documents.call.js'
import { correctInvoice, documentsPart } from './documents-part.js'
import { issueOwedInvoices } from './invoices.js'
import { receiptPages } from './portal-part.js'
import { downloadReceipt, type ReadReceiptDeps } from './read-receipt.js'
import { documentMails, type ReceiptMailDeps } from './receipt-mail.js'

export interface ReceiptCalls {
  /**
   * A PDF in the wanted language, else in the profile's, else in Arabic. Throws `payment_not_paid`, `busy`,
   * `receipts_unavailable`.
   */
  receipt(userId: string, paymentId: string, asked?: PdfWish): Promise<Uint8Array>
  /** A year's receipts as a table in UTF-8, in the language as for `receipt`. Throws `not_found` if none. */
  documents(userId: string, asked: DocumentsWish): Promise<Uint8Array>
  /**
   * The invoice of a payment, which is issued if there is none. Throws `payment_not_paid`,
   * `already_refunded`, `buyer_incomplete`, and `conflict` for a top-up.
   */
  invoice(userId: string, paymentId: string): Promise<DocumentView>
  /** The documents of a payment, in order. */
  documentsOf(userId: string, paymentId: string): Promise<readonly DocumentView[]>
  /** The PDF of this document, in the language as for `receipt`. Throws what `receipt` throws. */
  document(userId: string, paymentId: string, number: string, asked?: PdfWish): Promise<Uint8Array>
}

export const documentCalls = [receipt, documentsOfYear, invoice, documentsOf, document]

export const documents: Capability<ChangeDeps & SubjectDeps & ReceiptMailDeps & ReadReceiptDeps> = {
  name: 'documents',
  calls: documentCalls,
  acts: [correctInvoice],
  readings: [downloadReceipt],
  paymentParts: (deps) => [documentsPart(deps)],
  mails: documentMails,
  jobs: (deps) => [
    // Companies that have given their details get invoices, also in place of those that were taken back.
    {
      name: 'issue-invoices',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: (goesOn) => issueOwedInvoices(deps, goesOn),
    },
  ],
  portal: receiptPages,
}
