// What documents bring to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { correctInvoice } from './correct-invoice.js'
import { type DocumentsWish, documentsOfYear } from './documents-of-year.call.js'
import { documentsPart } from './documents-part.js'
import { type DocumentView, document, documentsOf, invoice } from './invoice.call.js'
import { invoiceMail } from './invoice-mail.js'
import { type InvoiceDeps, issueOwedInvoices } from './invoices.js'
import { receiptPages } from './portal-part.js'
import { downloadReceipt, type ReadReceiptDeps, receiptPage } from './read-receipt.js'
import { type PdfWish, receipt } from './receipt.call.js'
import { type ReceiptMailDeps, receiptMails } from './receipt-mail.js'
import './words.js'

export interface ReceiptCalls {
  /**
   * PDF. In the language of the profile, else in Arabic, where no other is asked for. Throws
   * `payment_not_paid`, `busy`, `receipts_unavailable`.
   */
  receipt(userId: string, paymentId: string, asked?: PdfWish): Promise<Uint8Array>
  /**
   * The receipts of a year as a table in UTF-8. The language is that of `receipt`. Throws `not_found` where
   * there is none.
   */
  documents(userId: string, asked: DocumentsWish): Promise<Uint8Array>
  /**
   * The invoice of a payment: it is issued where there is none. Throws `payment_not_paid`,
   * `already_refunded`, `buyer_incomplete`, and `conflict` for money that sold nothing yet.
   */
  invoice(userId: string, paymentId: string): Promise<DocumentView>
  /** What was issued for a payment, in order. */
  documentsOf(userId: string, paymentId: string): Promise<readonly DocumentView[]>
  /** PDF, by its number. The language is that of `receipt`. Throws what `receipt` throws. */
  document(userId: string, paymentId: string, number: string, asked?: PdfWish): Promise<Uint8Array>
}

export const documentCalls = [receipt, documentsOfYear, invoice, documentsOf, document]

export const documents: Capability<InvoiceDeps & SubjectDeps & ReceiptMailDeps & ReadReceiptDeps> = {
  name: 'documents',
  calls: documentCalls,
  acts: [correctInvoice],
  readings: [downloadReceipt],
  paymentParts: (deps) => [documentsPart(deps)],
  console: receiptPage,
  mails: (deps) => [...receiptMails(deps), invoiceMail(deps)],
  jobs: (deps) => [
    // To companies that have given their details, and in place of invoices that were taken back.
    {
      name: 'issue-invoices',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: (goesOn) => issueOwedInvoices(deps, goesOn),
    },
  ],
  portal: receiptPages,
}
