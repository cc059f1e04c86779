// What receipts bring to the service.
import type { Capability } from '../acts/capability.js'
import { paperCalls, paperRoutes } from './papers.route.js'
import { receiptPages } from './portal-part.js'
import { type ReceiptRoutesDeps, receiptCalls, receiptRoutes } from './receipt.route.js'
import { type ReceiptMailDeps, receiptMails } from './receipt-mail.js'
import './words.js'

export const receipts: Capability<ReceiptRoutesDeps & ReceiptMailDeps> = {
  name: 'receipts',
  routes: (deps) => async (app) => {
    await app.register(receiptRoutes(deps))
    await app.register(paperRoutes(deps))
  },
  calls: (deps) => ({ ...receiptCalls(deps), ...paperCalls(deps) }),
  mails: receiptMails,
  portal: receiptPages,
}
