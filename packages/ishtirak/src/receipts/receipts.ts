// What receipts bring to the service.
import type { Capability } from '../acts/capability.js'
import { type ReceiptRoutesDeps, receiptRoutes } from './receipt.route.js'
import { statementRoutes } from './statement.route.js'

export const receipts: Capability<ReceiptRoutesDeps> = {
  name: 'receipts',
  routes: (deps) => async (app) => {
    await app.register(receiptRoutes(deps))
    await app.register(statementRoutes(deps))
  },
}
