// A user's status now.
import { BillingStatusSchema, viewStatus } from '../ledger/schemas.js'
import { forBothCallers, type UserRoutesDeps } from '../ledger/user-routes.js'
import { readStatus, type StatusDeps } from './status.js'

export type StatusRoutesDeps = StatusDeps & UserRoutesDeps

export function statusRoutes(deps: StatusRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const schema = {
      ...callers.operation('getStatus'),
      summary: 'Get billing status',
      description: 'Computed from what was paid and the time of asking.',
      params: callers.params({}),
      response: { 200: BillingStatusSchema, ...callers.refusals() },
    }
    app.get(`${path}/status`, { schema, onRequest }, async (request) => {
      const { user, requestId } = callers.callOf(request)
      return viewStatus(await readStatus(deps, user.userId, requestId))
    })
  })
}
