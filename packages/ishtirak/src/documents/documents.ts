// What documents bring to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { addReceiptCommand } from './cli-receipt.js'
import { correctInvoice } from './correct-invoice.js'
import { documentCalls, documentRoutes } from './documents-of-year.route.js'
import { documentsPart } from './documents-part.js'
import { type InvoiceRoutesDeps, invoiceCalls, invoiceRoutes } from './invoice.route.js'
import { invoiceMail } from './invoice-mail.js'
import { issueOwedInvoices } from './invoices.js'
import { receiptPages } from './portal-part.js'
import { downloadReceipt, type ReadReceiptDeps, receiptPage } from './read-receipt.js'
import { receiptCalls, receiptRoutes } from './receipt.route.js'
import { type ReceiptMailDeps, receiptMails } from './receipt-mail.js'
import './words.js'

export const documents: Capability<InvoiceRoutesDeps & SubjectDeps & ReceiptMailDeps & ReadReceiptDeps> = {
  name: 'documents',
  routes: (deps) => async (app) => {
    await app.register(receiptRoutes(deps))
    await app.register(documentRoutes(deps))
    await app.register(invoiceRoutes(deps))
  },
  calls: (deps) => ({ ...receiptCalls(deps), ...documentCalls(deps), ...invoiceCalls(deps) }),
  acts: [correctInvoice],
  readings: [downloadReceipt],
  paymentParts: (deps) => [documentsPart(deps)],
  commands: addReceiptCommand,
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
