// The REST side: one plugin, mounted once for each mode. It authenticates, carries out the faults of the API and
// turns refusals into Laravel's answers; what each route does stands in the api-*.ts beside it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkoutRoutes } from './api-checkouts.js'
import { customerRoutes } from './api-customers.js'
import { holdUp } from './api-faults.js'
import { paymentLinkRoutes } from './api-payment-links.js'
import { catalogueRoutes } from './api-resources.js'
import { ApiRefusal } from './errors.js'
import { type ApiContext, sendJson } from './routes.js'

export function apiRoutes(context: ApiContext) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (request, reply) => {
      authenticate(context, request)
      context.checkoutService.endDue()
      await holdUp(context.desk, request, reply)
    })
    app.setErrorHandler((error, request, reply) => answerError(context, error, { request, reply }))
    app.setNotFoundHandler((request) => {
      const methods = methodsOf(request.url.slice(app.prefix.length))
      throw methods ? methodRefusal(request, methods) : new ApiRefusal(404, { message: 'Not Found.' })
    })
    customerRoutes(app, context)
    catalogueRoutes(app, context)
    checkoutRoutes(app, context)
    paymentLinkRoutes(app, context)
  }
}

function authenticate({ desk, livemode }: ApiContext, request: FastifyRequest): void {
  const [, key] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (key === undefined || !desk.keys.accepts(key, livemode))
    throw new ApiRefusal(401, { message: 'Unauthenticated.' })
}

function answerError(
  { desk }: ApiContext,
  error: unknown,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  if (error instanceof ApiRefusal)
    return sendJson(reply.code(error.status).headers(error.headers), error.body)
  const status = statusOf(error)
  if (status >= 500) desk.log({ message: 'bug', url: request.url, error: String(error) })
  return sendJson(reply.code(status), { message: status >= 500 ? 'Server Error' : 'Bad Request' })
}

/** Fastify's own refusals (a body too large, a broken header) carry their status; anything else is our bug. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500
  return typeof status === 'number' ? status : 500
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

function methodsOf(path: string): string | undefined {
  const [withoutQuery = ''] = path.split('?')
  return METHODS.find(([pattern]) => pattern.test(withoutQuery))?.[1]
}

function methodRefusal(request: FastifyRequest, methods: string): ApiRefusal {
  const [path = ''] = request.url.slice(1).split('?')
  const message = `The ${request.method} method is not supported for route ${path}. Supported methods: ${methods}.`
  return new ApiRefusal(405, { message }, { Allow: methods })
}
