// A user's status now.
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { BILLING_API, BillingStatusSchema, USER_ROUTE, viewStatus } from '../ledger/schemas.js'
import { readStatus, type StatusDeps } from './status.js'

export type StatusRoutesDeps = StatusDeps & Pick<CallerChecks, 'identify'>

export function statusRoutes(deps: StatusRoutesDeps) {
  const schema = {
    ...USER_ROUTE,
    operationId: 'getStatus',
    summary: 'Get billing status',
    description: 'Computed from what was paid and the time of asking.',
    response: {
      200: BillingStatusSchema,
      ...problemResponses('unauthenticated', 'rate_limited', 'database_unavailable'),
    },
  }
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    app.get(`${BILLING_API}/status`, { schema, onRequest: users.onRequest }, async (request) => {
      const { userId } = users.of(request)
      return viewStatus(await readStatus(deps, userId, request.id))
    })
  }
}
