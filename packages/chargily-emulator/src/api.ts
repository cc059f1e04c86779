// The REST API, mounted once for each mode. It authenticates and answers as Laravel does; what a route does
// is in api-checkouts.ts and api-resources.ts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkoutRoutes } from './api-checkouts.js'
import { applyCallFaults } from './api-faults.js'
import { customerRoutes, paymentLinkRoutes, priceRoutes, productRoutes } from './api-resources.js'
import { ApiError, notFound } from './errors.js'
import { type ApiContext, answerError } from './routes.js'

export function apiRoutes(context: ApiContext) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (request, reply) => {
      authenticate(context, request)
      context.checkoutService.endDue()
      await applyCallFaults(context, request, reply)
    })
    app.setErrorHandler((error, request, reply) => answerError(context, error, { request, reply }))
    app.setNotFoundHandler((request) => {
      throw notAllowed(request, request.url.slice(app.prefix.length)) ?? notFound()
    })
    customerRoutes(app, context)
    productRoutes(app, context)
    priceRoutes(app, context)
    checkoutRoutes(app, context)
    paymentLinkRoutes(app, context)
  }
}

function authenticate({ keys, livemode }: ApiContext, request: FastifyRequest): void {
  const [, key] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (key === undefined || !keys.accepts(key, livemode))
    throw new ApiError(401, { message: 'Unauthenticated.' })
}

/** Paths that exist for other methods. Updates are POST: the PATCH of the JavaScript client gets 405. */
const METHODS: readonly (readonly [RegExp, string])[] = [
  [/^\/balance$/, 'GET, HEAD'],
  [/^\/(customers|products|prices|checkouts|payment-links)$/, 'GET, HEAD, POST'],
  [/^\/(customers|products)\/[^/]+$/, 'GET, HEAD, POST, DELETE'],
  [/^\/(prices|payment-links)\/[^/]+$/, 'GET, HEAD, POST'],
  [/^\/checkouts\/[^/]+$/, 'GET, HEAD'],
  [/^\/(checkouts|payment-links)\/[^/]+\/items$/, 'GET, HEAD'],
  [/^\/products\/[^/]+\/prices$/, 'GET, HEAD'],
  [/^\/checkouts\/[^/]+\/expire$/, 'POST'],
]

/** Null when the path exists for no method. `route` is the path below the API's own. */
function notAllowed({ method, url }: FastifyRequest, route: string): ApiError | null {
  const [withoutQuery = ''] = route.split('?')
  const methods = METHODS.find(([pattern]) => pattern.test(withoutQuery))?.[1]
  if (methods === undefined) return null
  const [path = ''] = url.slice(1).split('?')
  const message = `The ${method} method is not supported for route ${path}. Supported methods: ${methods}.`
  return new ApiError(405, { message }, { Allow: methods })
}
