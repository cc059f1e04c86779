// What a user sees of himself, all at once: the portal's source, and the same figures that the platform decides on.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Billing } from '../../billing/billing.js'
import type { App } from '../app.js'
import type { UserIdentity } from '../auth.js'
import { problemResponses } from '../problem.js'
import { OverviewSchema } from '../schemas-platform.js'
import { viewOverview } from '../view-overview.js'

export interface OverviewRoutesParts {
  readonly billing: Billing
  readonly publicUrl: string
  readonly identify: (request: FastifyRequest, reply: FastifyReply) => Promise<UserIdentity>
}

export function overviewRoutes({ billing, publicUrl, identify }: OverviewRoutesParts) {
  const schema = {
    security: [{ user: [] }],
    tags: ['billing'],
    summary: 'Overview',
    description:
      'Plan, limits, usage, what a renewal would buy, and the checkout that is waiting to be paid.',
    response: {
      200: OverviewSchema,
      ...problemResponses('unauthenticated', 'rate_limited', 'database_unavailable'),
    },
  }
  return async (app: App): Promise<void> => {
    app.get('/api/v1/billing/overview', { schema }, async (request, reply) => {
      const { userId } = await identify(request, reply)
      return viewOverview(await billing.overview(userId, request.id), publicUrl)
    })
  }
}
