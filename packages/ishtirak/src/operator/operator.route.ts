// The operator's part, behind a key with a name: look at any payment, act on it, compare the books, export a month. Without
// OPERATOR_KEYS it refuses every call. Every act is in the audit trail under the key's name.
import type { App } from '../http/app.js'
import { type EventRoutesDeps, eventRoutes } from './events.route.js'
import { type ExportRoutesDeps, exportRoutes } from './export.route.js'
import { type PaymentRoutesDeps, paymentRoutes } from './payments.route.js'
import { type ReconcileRoutesDeps, reconcileRoutes } from './reconcile.route.js'
import { type UserRoutesDeps, userRoutes } from './users.route.js'

export type OperatorRoutesDeps = PaymentRoutesDeps &
  UserRoutesDeps &
  ReconcileRoutesDeps &
  ExportRoutesDeps &
  EventRoutesDeps

export function operatorRoutes(deps: OperatorRoutesDeps) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.operators.onRequest)
    paymentRoutes(app, deps)
    userRoutes(app, deps)
    reconcileRoutes(app, deps)
    exportRoutes(app, deps)
    eventRoutes(app, deps)
  }
}
