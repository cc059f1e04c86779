// The plans, in the form that docs/api.md promises to keep, and the terms in which they are sold.
import { createHash } from 'node:crypto'
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
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
  const { catalogue } = deps
  return async (app: App): Promise<void> => {
    addCachedRoute(app, deps, {
      path: `${BILLING_API}/plans`,
      described: { operationId: 'getPlans', summary: 'Get plans' },
      answer: Type.Array(planSchema(catalogue.limits)),
      content: listPlans(catalogue),
    })
    addCachedRoute(app, deps, {
      path: `${BILLING_API}/offers`,
      described: {
        operationId: 'getOffers',
        summary: 'Get offers',
        description: 'Each term in which a plan is sold, in the order of the plans, the shortest first.',
      },
      answer: Type.Array(OfferSchema),
      content: listOffers(catalogue),
    })
  }
}

/** Callers rely on exactly these keys in this order, whatever else the file of plans may say. */
export function listPlans({ plans }: Catalogue): readonly PlanView[] {
  return plans.map(viewPlan)
}

export function listOffers({ plans }: Catalogue): readonly OfferView[] {
  return plans.flatMap(offersOf).map(viewOffer)
}

/** Adds a route whose answer is made once, because the catalogue does not change while the service runs. */
function addCachedRoute(
  app: App,
  { limitAnonymous }: OfferRoutesDeps,
  {
    path,
    described,
    answer,
    content,
  }: { path: string; described: FastifySchema; answer: TSchema; content: unknown },
): void {
  const notModified = Type.Null({ description: 'Not modified' })
  const response = { 200: answer, 304: notModified, ...problemResponses('rate_limited') }
  const schema: FastifySchema = { security: [], tags: ['billing'], ...described, response }
  const body = JSON.stringify(content)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  app.get(path, { schema }, (request, reply) => {
    limitAnonymous(request, reply)
    reply.headers({ etag, 'cache-control': 'public, max-age=300' })
    if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

function viewPlan({ id, name, price, currency, limits }: Plan): PlanView {
  return { id, name, price, currency, limits }
}

function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
