// What there is to buy, and the purchase: a month of a plan, bought or renewed.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Locale } from '../core/locale.js'
import type { Plan } from '../core/plan.js'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { preferredLocale } from '../http/request.js'
import {
  BASE,
  type PlanView,
  planSchema,
  UpgradeRequestSchema,
  UpgradeResultSchema,
  USER_ROUTE,
} from './schemas.js'
import { type UpgradeDeps, upgrade } from './upgrade.js'

export type UpgradeRoutesDeps = UpgradeDeps & Pick<CallerChecks, 'identify' | 'limitAnonymous'>

export function upgradeRoutes(deps: UpgradeRoutesDeps) {
  const schema = {
    ...USER_ROUTE,
    operationId: 'upgradePlan',
    summary: 'Upgrade plan',
    description:
      'Opens a checkout at the provider; send the user to `checkout_url`. It is also the renewal, in the last days of the paid time and in grace.',
    body: UpgradeRequestSchema,
    response: {
      200: UpgradeResultSchema,
      ...problemResponses(
        'malformed_json',
        'unauthenticated',
        'already_subscribed',
        'unknown_plan',
        'plan_not_purchasable',
        'validation_failed',
        'too_many_checkouts',
        'rate_limited',
        'provider_rejected',
        'provider_unavailable',
        'database_unavailable',
      ),
    },
  }
  return async (app: App): Promise<void> => {
    plansRoute(app, deps)
    const users = callersBy(deps.identify)
    app.post(`${BASE}/upgrade`, { schema, onRequest: users.onRequest }, async (request) => {
      const user = users.of(request)
      const locale: Locale = user.locale ?? preferredLocale(request.headers['accept-language']) ?? 'ar'
      const wanted = { user, planId: request.body.plan, locale, requestId: request.id }
      const { checkoutUrl, paymentId } = await upgrade(deps, wanted)
      return { checkout_url: checkoutUrl, payment_id: paymentId }
    })
  }
}

/** The catalogue does not change while the service runs: its text is made once. */
function plansRoute(app: FastifyInstance, { catalogue, limitAnonymous }: UpgradeRoutesDeps): void {
  const body = JSON.stringify(catalogue.plans.map(viewPlan))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const schema = {
    security: [],
    tags: ['billing'],
    operationId: 'getPlans',
    summary: 'Get plans',
    response: {
      200: Type.Array(planSchema(catalogue.limits)),
      304: Type.Null({ description: 'Not modified' }),
      ...problemResponses('rate_limited'),
    },
  }
  app.get(`${BASE}/plans`, { schema }, (request, reply) => {
    limitAnonymous(request, reply)
    reply.headers({ etag, 'cache-control': 'public, max-age=300' })
    if (holdsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

/** Exactly the keys of seed.md section 2, in that order, whatever else the file of plans may say. */
export function viewPlan({ id, name, price, currency, limits }: Plan): PlanView {
  return { id, name, price, currency, limits }
}

function holdsTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
