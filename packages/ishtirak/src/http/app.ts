// The bare HTTP service: how requests are read, limited, named, measured and refused, before any route
// exists. Routes are added as plugins (`app.register(routes)`), so that the OpenAPI document sees them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { BillingError } from '../core/error.js'
import type { Log } from '../runtime/log.js'
import { answerInTime } from './answer-deadline.js'
import type { CallerChecks } from './callers.js'
import { createMetrics, type Metrics } from './metrics.js'
import { type AnswerFailure, answerBrokenInput, installFailures, ProblemSchema } from './problem.js'
import {
  acceptJsonOnly,
  announcesBody,
  BODY_LIMIT_BYTES,
  newRequestId,
  pathOf,
  requestIdOf,
} from './request.js'
import { buildSerializer, validatorCompiler } from './schemas.js'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

interface AppParts {
  readonly log: Log
  /** The address at which users reach us, without a slash at the end. */
  readonly publicUrl: string
  /** Addresses and ranges of the proxies in front of us. */
  readonly trustedProxies?: readonly string[]
  readonly metrics?: Metrics
  /** Limits calls that match no route. */
  readonly limitAnonymous?: CallerChecks['limitAnonymous']
}

/** A user id is at most 255 characters, each at most 4 bytes of `%XX`. */
const LONGEST_PARAMETER = 255 * 4 * 3
const LONGEST_ADDRESS = 2 * LONGEST_PARAMETER
const HEADERS_TIMEOUT_MS = 10_000
/** For the whole request with the largest body (UPLOAD_CONFIG). Others have 30 s (answer-deadline.ts). */
export const REQUEST_TIMEOUT_MS = 150_000
/** Longer than the 60 seconds of proxies, so that they close first and never meet a closed connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** How long after a stop began requests may still arrive on accepted connections. */
const SILENCE_MS = 1_000
/** Requests that have arrived are answered in 6 s (answer-deadline.ts); reading takes time too. */
const STOP_MS = 10_000
/** Slower answers are logged. */
const SLOW_MS = 2_000

export function createApp(parts: AppParts): App {
  const { log, publicUrl, metrics = createMetrics(), limitAnonymous = () => undefined } = parts
  const logger: FastifyBaseLogger = log
  const app = fastify({
    loggerInstance: logger,
    // Two lines a request cost a quarter of the throughput; `watchRequests` says what is logged instead.
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request cost a tenth of the time of a small answer, mostly redaction of its one
    // field; the few lines that belong to a request name its id themselves.
    childLoggerFactory: (parent) => parent,
    genReqId: requestIdOf,
    requestIdHeader: false,
    // Ignored by default: any caller can write the header.
    trustProxy: parts.trustedProxies?.length ? [...parts.trustedProxies] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    schemaController: { compilersFactory: { buildSerializer } },
    // A route of its own for each HEAD took a tenth of the start. Node leaves out the body of the answer.
    exposeHeadRoutes: false,
    rewriteUrl(request) {
      const { method, url = '/' } = request
      if (method === 'HEAD' && this.allowedMethods(pathOf(url)).includes(method)) request.method = 'GET'
      return url
    },
    // Requests that arrive during a stop are answered: the listener is closed, so they were accepted before.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      nameAnswer(request, reply)
      answerFailure(error, request, reply)
    },
    clientErrorHandler: (error, socket) =>
      answerBrokenInput(error, socket, { publicUrl, requestId: newRequestId(), log }),
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  acceptJsonOnly(app)
  const answerFailure = installFailures(app, publicUrl)
  // Node would answer 417 without our headers. An older client's expectation is ignored (RFC 9110).
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  watchRequests(app, { metrics, limitAnonymous, answerFailure })
  leaveNoConnectionOpen(app)
  app.addSchema(ProblemSchema)
  return app
}

/**
 * Fastify closes idle connections and answers later requests with `connection: close`; one whose request was
 * under way stayed open for the whole keep-alive time (0 would mean for ever). Node counts a connection on
 * which nothing was sent as busy: browsers and proxies open some ahead.
 */
function leaveNoConnectionOpen(app: App): void {
  const connections = new Set<Socket>()
  app.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const timers: NodeJS.Timeout[] = []
  app.addHook('preClose', (done) => {
    app.server.keepAliveTimeout = 1
    const endSilent = () => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    }
    timers.push(
      // After one more turn of the event loop: a busy process may not have read requests for a second.
      setTimeout(() => setImmediate(endSilent), SILENCE_MS),
      setTimeout(() => app.server.closeAllConnections(), STOP_MS),
    )
    done()
  })
  app.addHook('onClose', (_app, done) => {
    for (const timer of timers) clearTimeout(timer)
    done()
  })
}

/** One hook before and one after, because every request pays for each further hook. */
function watchRequests(
  app: FastifyInstance,
  {
    metrics,
    limitAnonymous,
    answerFailure,
  }: Required<Pick<AppParts, 'metrics' | 'limitAnonymous'>> & { readonly answerFailure: AnswerFailure },
): void {
  app.addHook('onRequest', (request, reply, done) => {
    nameAnswer(request, reply)
    answerInTime(request, reply, answerFailure)
    // A call that matches no route, before its body is read.
    if (request.is404) limitAnonymous(request, reply)
    done(refusalOf(request))
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply
    metrics.observeRequest({ method: request.method, route: routeOf(request), status }, elapsedTime / 1_000)
    if (elapsedTime > SLOW_MS || status >= 500) logAnswer(request, reply)
    done()
  })
}

/** The headers of every answer, refusals included. */
function nameAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
}

function refusalOf({ url, headers, raw }: FastifyRequest): Error | undefined {
  // A host's parser has already read the body, so that the stream is empty.
  if (raw.readableDidRead && announcesBody(raw))
    return new Error('the host has read this body: mount Ishtirak before the parsers of bodies')
  if (headers.expect !== undefined && raw.httpVersion === '1.1' && !/\b100-continue\b/i.test(headers.expect))
    return new BillingError('expectation_failed')
  if (url.length > LONGEST_ADDRESS) return new BillingError('uri_too_long')
  // A NUL would reach the database as text, which refuses it.
  if (url.includes('%00')) return new BillingError('invalid_request')
  return undefined
}

function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { method, url } = request
  const duration_ms = Math.round(reply.elapsedTime)
  request.log.warn(
    { request_id: request.id, method, path: pathOf(url), status: reply.statusCode, duration_ms },
    'slow or failed request',
  )
}

export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown'
}

/** The names after a colon in a path, in order. */
export type ParamsIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer After}`
    ? [Name, ...ParamsIn<After>]
    : [Rest]
  : []
