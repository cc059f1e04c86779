// What users see of themselves, all at once: the portal's source, and the same figures that the platform decides on.
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Renewal } from '../core/upgrade.js'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { viewPayment, viewStatus } from '../payments/schemas.js'
import { type Overview, type OverviewDeps, readOverview } from './overview.js'
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

/** For the platform and the overview. */
export function viewPlatformUser(overview: Overview) {
  const { email, name, locale } = overview.profile
  return {
    user_id: overview.userId,
    ...viewStatus(overview.subscription),
    limits: overview.subscription.plan.limits,
    usage: overview.usage,
    resets_at: toTimestamp(overview.resetsAt),
    over_limit: overview.overLimits.map(({ limit, projectId, used, max }) => ({
      limit,
      ...(projectId === null ? {} : { project_id: projectId }),
      used,
      max,
    })),
    renewal: overview.renewal && viewRenewal(overview.renewal),
    email,
    name,
    locale,
  }
}

export function viewOverview(overview: Overview, publicUrl: string) {
  const { pendingPayment: pending, now } = overview
  return {
    ...viewPlatformUser(overview),
    pending_payment: pending && viewPayment(pending, now, publicUrl),
  }
}

function viewRenewal(renewal: Renewal) {
  return {
    allowed: renewal.allowed,
    plan: renewal.plan.id,
    amount: renewal.plan.price,
    currency: renewal.plan.currency,
    would_start: toTimestamp(renewal.wouldStart),
    would_end: toTimestamp(renewal.wouldEnd),
    renewable_from: timestampOrNull(renewal.renewableFrom),
  }
}
