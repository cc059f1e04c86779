// What a user sees of himself, all at once: the portal's source, and the same figures that the platform decides on.
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { type OverviewDeps, readOverview } from './overview.js'
import { viewOverview } from './overview-view.js'
import { OverviewSchema } from './schemas.js'

export interface OverviewRoutesDeps extends OverviewDeps {
  readonly publicUrl: string
  readonly identify: CallerChecks['identify']
}

export function overviewRoutes(deps: OverviewRoutesDeps) {
  const schema = {
    security: [{ user: [] }],
    tags: ['portal'],
    operationId: 'getOverview',
    summary: 'Overview',
    description:
      'Plan, limits, usage, what a renewal would buy, and the checkout that is waiting to be paid.',
    response: {
      200: OverviewSchema,
      ...problemResponses('unauthenticated', 'rate_limited', 'database_unavailable'),
    },
  }
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    app.get('/api/v1/billing/overview', { schema, onRequest: users.onRequest }, async (request) => {
      const { userId } = users.of(request)
      return viewOverview(await readOverview(deps, userId, request.id), deps.publicUrl)
    })
  }
}
