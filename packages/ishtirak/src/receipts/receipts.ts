// What receipts bring to the service.
import type { Capability } from '../acts/capability.js'
import { SECOND } from '../core/instant.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { addReceiptCommand } from './cli-receipt.js'
import { correctFacture } from './correct-facture.js'
import { type FactureRoutesDeps, factureCalls, factureRoutes } from './facture.route.js'
import { factureMail } from './facture-mail.js'
import { issueOwedFactures } from './factures.js'
import { paperCalls, paperRoutes } from './papers.route.js'
import { papersPart } from './papers-part.js'
import { receiptPages } from './portal-part.js'
import { downloadReceipt, type ReadReceiptDeps, receiptPage } from './read-receipt.js'
import { receiptCalls, receiptRoutes } from './receipt.route.js'
import { type ReceiptMailDeps, receiptMails } from './receipt-mail.js'
import './words.js'

export const receipts: Capability<FactureRoutesDeps & SubjectDeps & ReceiptMailDeps & ReadReceiptDeps> = {
  name: 'receipts',
  routes: (deps) => async (app) => {
    await app.register(receiptRoutes(deps))
    await app.register(paperRoutes(deps))
    await app.register(factureRoutes(deps))
  },
  calls: (deps) => ({ ...receiptCalls(deps), ...paperCalls(deps), ...factureCalls(deps) }),
  acts: [correctFacture],
  readings: [downloadReceipt],
  paymentParts: (deps) => [papersPart(deps)],
  commands: addReceiptCommand,
  console: receiptPage,
  mails: (deps) => [...receiptMails(deps), factureMail(deps)],
  jobs: (deps) => [
    // To companies that have given their details, and in place of factures that were taken back.
    {
      name: 'issue-factures',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: (goesOn) => issueOwedFactures(deps, goesOn),
    },
  ],
  portal: receiptPages,
}
