// The bare HTTP service: how requests are read, limited, named, measured and refused, before any route
// exists. Routes are added as plugins (`app.register(routes)`), so that the OpenAPI document sees them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fastifyCors, { type FastifyCorsOptions } from '@fastify/cors'
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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The time limit of the body, if it is not 30 s, in which a slow phone sends 64 KiB. */
    readonly bodyTimeoutMs?: number
  }
}

interface AppParts {
  readonly log: Log
  /** The address at which users reach us, without a slash at the end. */
  readonly publicUrl: string
  /** Addresses and ranges of the proxies in front of us. */
  readonly trustedProxies?: readonly string[]
  /** CORS_ORIGINS, such as `https://app.example`. */
  readonly corsOrigins?: readonly string[]
  readonly metrics?: Metrics
  /** Limits calls that match no route. */
  readonly limitAnonymous?: CallerChecks['limitAnonymous']
}

/** A user id is at most 255 characters, each at most 4 bytes of `%XX`. */
const LONGEST_PARAMETER = 255 * 4 * 3
const LONGEST_ADDRESS = 2 * LONGEST_PARAMETER
const HEADERS_TIMEOUT_MS = 10_000
/** The largest body (UPLOAD_CONFIG) arrives in this time. */
export const REQUEST_TIMEOUT_MS = 150_000
/** Longer than the 60 seconds of proxies, so that they close first and never meet a closed connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** How long after a stop began requests may still arrive on accepted connections. */
const SILENCE_MS = 1_000
/** Requests that have arrived are answered in 6 s; reading takes time too. */
const STOP_MS = 10_000
/** Slower answers are logged. */
const SLOW_MS = 2_000

export function createApp(parts: AppParts): App {
  const { log, publicUrl, trustedProxies = [], corsOrigins = [] } = parts
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
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
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
  watchRequests(app, parts, answerFailure)
  leaveNoConnectionOpen(app)
  if (corsOrigins.length > 0) allowOrigins(app, corsOrigins)
  app.addSchema(ProblemSchema)
  return app
}

/**
 * Fastify closes idle connections and answers later requests with `connection: close`; one whose request was
 * under way stayed open for the whole keep-alive time (0 would mean for ever). Node counts a connection on
 * which nothing was sent as busy: browsers and proxies open some ahead.
 */
function leaveNoConnectionOpen(app: FastifyInstance): void {
  const connections = new Set<Socket>()
  app.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const endSilent = () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
  app.addHook('preClose', (done) => {
    app.server.keepAliveTimeout = 1
    // After one more turn of the event loop: a busy process may not have read requests for a second.
    setTimeout(() => setImmediate(endSilent), SILENCE_MS).unref()
    setTimeout(() => app.server.closeAllConnections(), STOP_MS).unref()
    done()
  })
}

const API_OF_USERS = '/api/v1/billing/'

/**
 * The pages of these origins may call the users' API from a browser. They send the user's token themselves,
 * and no cookie is used. All other paths answer as if no origin was sent.
 */
function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const options: FastifyCorsOptions = {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['retry-after', 'x-request-id'],
    maxAge: 600,
    strictPreflight: false,
  }
  app.register(fastifyCors, {
    delegator: (request, done) =>
      done(null, pathOf(request.url).startsWith(API_OF_USERS) ? options : { origin: false }),
  })
}

/** One hook before and one after, because every request pays for each further hook. */
function watchRequests(
  app: FastifyInstance,
  { log, metrics = createMetrics(), limitAnonymous }: AppParts,
  answerFailure: AnswerFailure,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    nameAnswer(request, reply)
    answerInTime(request, reply, answerFailure)
    // A call that matches no route, before its body is read.
    if (request.is404) limitAnonymous?.(request, reply)
    done(refusalOf(request))
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply
    metrics.observeRequest({ method: request.method, route: routeOf(request), status }, elapsedTime / 1_000)
    if (elapsedTime > SLOW_MS || status >= 500) {
      const { id: request_id, method, url } = request
      const answer = { request_id, method, path: pathOf(url), status, duration_ms: Math.round(elapsedTime) }
      log.warn(answer, 'slow or failed request')
    }
    done()
  })
}

/**
 * A request that has arrived completely is answered within 6 s. Its work may still be done later, and the
 * answer says so. The database gives up earlier (CALL_LIMIT_MS).
 */
function answerInTime(request: FastifyRequest, reply: FastifyReply, fail: AnswerFailure): void {
  const { raw, routeOptions } = request
  let timer: NodeJS.Timeout | undefined
  const failAfter = (ms: number, code: 'took_too_long' | 'request_timeout', of = {}) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!reply.raw.headersSent && !reply.raw.destroyed) fail(new BillingError(code, of), request, reply)
    }, ms).unref()
  }
  const limitWork = () => failAfter(5_300, 'took_too_long', { retryAfterSeconds: 5 })
  if (announcesBody(raw)) {
    failAfter(routeOptions.config.bodyTimeoutMs ?? 30_000, 'request_timeout')
    raw.on('end', limitWork)
  } else limitWork()
  reply.raw.on('close', () => clearTimeout(timer))
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

export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown'
}

/** The names after a colon in a path, in order. */
export type ParamsIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer After}`
    ? [Name, ...ParamsIn<After>]
    : [Rest]
  : []
