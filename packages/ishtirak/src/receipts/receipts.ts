// What receipts bring to the service.
import type { Capability } from '../acts/capability.js'
import { receiptPages } from './portal-part.js'
import { type ReceiptRoutesDeps, receiptRoutes } from './receipt.route.js'
import { type ReceiptMailDeps, receiptMails } from './receipt-mail.js'
import './words.js'

export const receipts: Capability<ReceiptRoutesDeps & ReceiptMailDeps> = {
  name: 'receipts',
  routes: receiptRoutes,
  mails: receiptMails,
  portal: receiptPages,
}
