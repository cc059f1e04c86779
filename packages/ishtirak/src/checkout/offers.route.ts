// The offers: the plans in the form of seed.md, and the terms in which they are sold.
import { createHash } from 'node:crypto'
import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { type Catalogue, offersOf, type Plan } from '../core/plan.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  BILLING_API,
  OfferSchema,
  type OfferView,
  type PlanView,
  planSchema,
  viewOffer,
} from '../ledger/schemas.js'

export type OfferRoutesDeps = Pick<CallerChecks, 'limitAnonymous'> & Pick<CommonParts, 'catalogue'>

export function offerRoutes(deps: OfferRoutesDeps) {
  const open = { security: [], tags: ['billing'] }
  const others = { 304: Type.Null({ description: 'Not modified' }), ...problemResponses('rate_limited') }
  const plansSchema = {
    ...open,
    operationId: 'getPlans',
    summary: 'Get plans',
    response: { 200: Type.Array(planSchema(deps.catalogue.limits)), ...others },
  }
  const offersSchema = {
    ...open,
    operationId: 'getOffers',
    summary: 'Get offers',
    description: 'Each term in which a plan is sold, in the order of the plans, the shortest first.',
    response: { 200: Type.Array(OfferSchema), ...others },
  }
  return async (app: App): Promise<void> => {
    unchanging(app, deps, {
      path: `${BILLING_API}/plans`,
      schema: plansSchema,
      content: listPlans(deps.catalogue),
    })
    unchanging(app, deps, {
      path: `${BILLING_API}/offers`,
      schema: offersSchema,
      content: listOffers(deps.catalogue),
    })
  }
}

/** Exactly the keys of seed.md section 2, in that order, whatever else the file of plans may say. */
export function listPlans({ plans }: Catalogue): readonly PlanView[] {
  return plans.map(viewPlan)
}

export function listOffers({ plans }: Catalogue): readonly OfferView[] {
  return plans.flatMap(offersOf).map(viewOffer)
}

/** The catalogue does not change while the service runs, so its texts are made once. */
function unchanging(
  app: App,
  { limitAnonymous }: OfferRoutesDeps,
  { path, schema, content }: { path: string; schema: FastifySchema; content: unknown },
): void {
  const body = JSON.stringify(content)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  app.get(path, { schema }, (request, reply) => {
    limitAnonymous(request, reply)
    reply.headers({ etag, 'cache-control': 'public, max-age=300' })
    if (holdsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

function viewPlan({ id, name, price, currency, limits }: Plan): PlanView {
  return { id, name, price, currency, limits }
}

function holdsTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
