// What receipts bring to the service.
import type { Capability } from '../acts/capability.js'
import { addReceiptCommand } from './cli-receipt.js'
import { paperCalls, paperRoutes } from './papers.route.js'
import { receiptPages } from './portal-part.js'
import { downloadReceipt, type ReadReceiptDeps, receiptPage } from './read-receipt.js'
import { type ReceiptRoutesDeps, receiptCalls, receiptRoutes } from './receipt.route.js'
import { type ReceiptMailDeps, receiptMails } from './receipt-mail.js'
import './words.js'

export const receipts: Capability<ReceiptRoutesDeps & ReceiptMailDeps & ReadReceiptDeps> = {
  name: 'receipts',
  routes: (deps) => async (app) => {
    await app.register(receiptRoutes(deps))
    await app.register(paperRoutes(deps))
  },
  calls: (deps) => ({ ...receiptCalls(deps), ...paperCalls(deps) }),
  readings: [downloadReceipt],
  commands: addReceiptCommand,
  console: receiptPage,
  mails: receiptMails,
  portal: receiptPages,
}
