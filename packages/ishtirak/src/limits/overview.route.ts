// What a user sees of himself, all at once: the portal's source, and the same figures that the platform decides on.

import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { Billing } from '../main/billing.js'
import { viewOverview } from './overview-view.js'
import { OverviewSchema } from './schemas.js'

export interface OverviewRoutesParts {
  readonly billing: Billing
  readonly publicUrl: string
  readonly identify: CallerChecks['identify']
}

export function overviewRoutes({ billing, publicUrl, identify }: OverviewRoutesParts) {
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
    const users = callersBy(identify)
    app.get('/api/v1/billing/overview', { schema, onRequest: users.onRequest }, async (request) => {
      const { userId } = users.of(request)
      return viewOverview(await billing.overview(userId, request.id), publicUrl)
    })
  }
}
