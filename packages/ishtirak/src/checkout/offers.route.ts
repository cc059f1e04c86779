// The plans, in the form that docs/api.md promises to keep, and the terms in which they are sold.
import { createHash } from 'node:crypto'
import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { type Catalogue, offersOf } from '../core/plan.js'
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

type OfferRoutesDeps = Pick<CallerChecks, 'limitAnonymous'> & Pick<CommonParts, 'catalogue'>

export function offerRoutes(deps: OfferRoutesDeps) {
  const { catalogue } = deps
  return async (app: App): Promise<void> => {
    addCachedRoute(app, deps, 'plans', listPlans(catalogue), {
      ...{ operationId: 'getPlans', summary: 'Get plans' },
      response: { 200: Type.Array(planSchema(catalogue.limits)) },
    })
    addCachedRoute(app, deps, 'offers', listOffers(catalogue), {
      ...{ operationId: 'getOffers', summary: 'Get offers' },
      description: 'Each term in which a plan is sold, in the order of the plans, the shortest first.',
      response: { 200: Type.Array(OfferSchema) },
    })
  }
}

/** Callers rely on exactly these keys in this order, whatever else the file of plans may say. */
export function listPlans({ plans }: Catalogue): readonly PlanView[] {
  return plans.map(({ id, name, price, currency, limits }) => ({ id, name, price, currency, limits }))
}

export function listOffers({ plans }: Catalogue): readonly OfferView[] {
  return plans.flatMap(offersOf).map(viewOffer)
}

/** Adds a route whose answer is made once, because the catalogue does not change while the service runs. */
function addCachedRoute(
  app: App,
  { limitAnonymous }: OfferRoutesDeps,
  path: string,
  content: unknown,
  described: FastifySchema & { readonly response: object },
): void {
  const notModified = Type.Null({ description: 'Not modified' })
  const response = { ...described.response, 304: notModified, ...problemResponses('rate_limited') }
  const schema: FastifySchema = { security: [], tags: ['billing'], ...described, response }
  const body = JSON.stringify(content)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  app.get(`${BILLING_API}/${path}`, { schema }, (request, reply) => {
    limitAnonymous(request, reply)
    reply.headers({ etag, 'cache-control': 'public, max-age=300' })
    if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
