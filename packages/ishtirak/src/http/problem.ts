// Turns everything that is thrown into an answer: a refusal with its code, or a bug that is logged and not
// shown; also 404, 405 with `Allow`, and input that no route ever saw. Errors are RFC 9457 problem details in
// the reader's language. Clients switch on the code.
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { BillingError, ERRORS, type ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { DatabaseUnavailable } from '../database/database.js'
import { WrongClock } from '../database/guarded-clock.js'
import { CATALOGS, problemInWords } from '../i18n/messages.js'
import { withoutSlash } from '../runtime/http-client.js'
import type { Log } from '../runtime/log.js'
import { pathOf, preferredLocale } from './request.js'

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'
/** About as long as a standby needs to take over, or an embedded database to start again. */
const DATABASE_RETRY_SECONDS = 5

/** Our codes for errors of Fastify and its plugins: by their code, else by their status. */
const CODES_OF_FASTIFY: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
}

/** The codes of Node's parser for input that it gave up on. Everything else is `invalid_request`. */
const CODES_OF_NODE: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export interface KnownRoute {
  readonly method: string
  readonly url: string
  readonly schema: FastifySchema
}

/** Error pages: HTML instead of a problem document. They must not fail, so they use no database. */
export interface RefusalPages {
  isPage(path: string): boolean
  send(request: FastifyRequest, reply: FastifyReply, error: BillingError): FastifyReply
}

declare module 'fastify' {
  interface FastifyInstance {
    refuseWithPages(pages: RefusalPages): void
    /** Every route, including hidden ones and those of plugins. */
    knownRoutes(): readonly KnownRoute[]
    /** The methods of a path in the order of `Allow`. An unknown path has none. */
    allowedMethods(path: string): readonly string[]
  }
}

/** Answers with the public form of the error: an HTML page on pages, a problem document in the API. */
export type AnswerFailure = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Must be called before routes are added, because it learns from them which methods a path allows. */
export function installFailures(app: FastifyInstance, publicUrl: string): AnswerFailure {
  watchRoutes(app)
  const known: RefusalPages[] = []
  app.decorate('refuseWithPages', (given: RefusalPages) => {
    known.push(given)
  })
  const answerFailure: AnswerFailure = (thrown, request, reply) => {
    const error = toBillingError(thrown)
    const evidence = { request_id: request.id, path: pathOf(request.url), error: thrown }
    // The caller does not learn of our own faults.
    if (error.code === 'internal_error') request.log.error(evidence, 'a bug')
    else if (ERRORS[error.code] >= 500) request.log.warn(evidence, error.code)
    // The rest of the request is not awaited.
    if (error.code === 'request_timeout') reply.header('connection', 'close')
    const pages = known.find(({ isPage }) => isPage(pathOf(request.url)))
    if (pages) return pages.send(request, reply, error)
    return sendProblem(request, reply, error, publicUrl)
  }
  app.setErrorHandler((error, request, reply) => {
    // Fastify would end the connection while a caller still sends, who would then see a reset. Node reads the
    // rest and discards it. A stop, or a host, sets the header on the raw answer.
    if (!reply.raw.hasHeader('connection')) reply.removeHeader('connection')
    return answerFailure(error, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    const methods = app.allowedMethods(pathOf(request.url))
    // The route of a folder allows the method but has no such file.
    const isMissing = methods.length === 0 || methods.includes(request.method)
    if (!isMissing) reply.header('allow', methods.join(', '))
    return answerFailure(new BillingError(isMissing ? 'not_found' : 'method_not_allowed'), request, reply)
  })
  return answerFailure
}

/** The refusal that the API answers for a thrown value. */
export function toBillingError(cause: unknown): BillingError {
  if (cause instanceof BillingError) return cause
  const later = { retryAfterSeconds: DATABASE_RETRY_SECONDS, cause }
  if (cause instanceof DatabaseUnavailable) return new BillingError('database_unavailable', later)
  if (cause instanceof WrongClock) return new BillingError('clock_wrong', later)
  return new BillingError(codeOf(cause), { cause })
}

/** Other client errors of Fastify stay client errors, also a body that ends early. The rest is a bug. */
function codeOf(thrown: unknown): ErrorCode {
  const { code = '', statusCode: status = 500 } = Object(thrown) as Partial<FastifyError>
  const other = status >= 400 && status < 500 ? 'invalid_request' : 'internal_error'
  return CODES_OF_FASTIFY[code] ?? CODES_OF_FASTIFY[status] ?? other
}

/** Fastify's `clientErrorHandler`: the bytes are no HTTP request, so there is no language. */
export function answerBrokenInput(
  error: Error & { code?: string; rawPacket?: unknown },
  socket: Socket,
  { publicUrl, requestId, log }: { publicUrl: string; requestId: string; log: Log },
): void {
  log.debug({ reason: error.code, request_id: requestId }, 'unreadable request')
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const refusal = new BillingError(CODES_OF_NODE[error.code ?? ''] ?? 'invalid_request')
  const status = ERRORS[refusal.code]
  const { title } = CATALOGS.en.error[refusal.code]
  const body = problemBody(refusal, { publicUrl, instance: '', requestId, locale: 'en' })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    'Content-Language: en',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ]
  // After the answer to a HEAD, a body would be read as the next answer.
  const { rawPacket } = error
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`)
}

function watchRoutes(app: FastifyInstance): void {
  const known: (KnownRoute & { readonly pattern: RegExp })[] = []
  app.decorate('knownRoutes', () => known)
  app.addHook('onRoute', ({ url, method, schema = {}, exposeHeadRoute = true }) => {
    const methods = [method].flat()
    if (exposeHeadRoute && methods.includes('GET')) methods.push('HEAD')
    for (const name of methods) known.push({ method: name, url, schema, pattern: patternOf(url) })
  })
  app.decorate('allowedMethods', (path: string) => {
    const methods = known.flatMap(({ pattern, method }) => (pattern.test(path) ? [method] : []))
    return [...new Set(methods)].sort()
  })
}

/** `/users/:id/limits/*` as an expression. Our patterns use only names and a star. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}

/**
 * The members in the order of the specification. Members of the error overwrite none of them. `instance`: the
 * path as the caller sees it, without its query, which may contain tokens.
 */
function problemBody(
  { code, problems, extra }: BillingError,
  of: Readonly<Record<'publicUrl' | 'instance' | 'requestId', string>> & { readonly locale: Locale },
): string {
  const { title, detail } = CATALOGS[of.locale].error[code]
  const type = `${of.publicUrl}/docs/errors#${code}`
  const { instance, requestId: request_id } = of
  const standard = { type, title, status: ERRORS[code], detail, instance, code, request_id }
  const errors = problems.map((problem) => ({
    ...{ pointer: problem.pointer, code: problem.code },
    detail: problemInWords(problem, of.locale),
  }))
  return JSON.stringify({ ...standard, ...(errors.length > 0 && { errors }), ...extra, ...standard })
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, error: BillingError, publicUrl: string) {
  const { retryAfterSeconds, code } = error
  const locale = preferredLocale(request.headers['accept-language'])
  const status = ERRORS[code]
  reply
    .code(status)
    .headers({
      'content-type': PROBLEM_TYPE,
      'content-language': locale,
      vary: [reply.getHeader('vary') ?? [], 'Accept-Language'].flat().join(', '),
      // The route may have set cache headers for its own answer, which this is not.
      'cache-control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      ...(status === 401 && { 'www-authenticate': challenge(request, code) }),
    })
    .removeHeader('etag')
  const instance = `${withoutSlash(new URL(publicUrl).pathname)}${pathOf(request.url)}`
  return reply.send(problemBody(error, { publicUrl, instance, requestId: request.id, locale }))
}

/** RFC 6750, section 3: an error is named only if a token was sent. */
function challenge(request: FastifyRequest, code: ErrorCode): string {
  const gaveToken = code !== 'invalid_signature' && /^bearer\s/i.test(request.headers.authorization ?? '')
  return gaveToken ? 'Bearer error="invalid_token"' : 'Bearer'
}

/** The schema of the body for the OpenAPI document. Some codes add members, such as `current_period_end`. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    code: Type.String({ description: 'Stable; switch on this.' }),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
    ),
  },
  { $id: 'Problem', additionalProperties: true },
)

/** One object, so that its serializer is compiled once. */
const content = { 'application/problem+json': { schema: { $ref: 'Problem#' } } }

/** The refusals of a route by status, for its `schema.response`. */
export function problemResponses(...codes: readonly ErrorCode[]) {
  const responses: Record<string, { description: string; content: typeof content }> = {}
  // If the clock is wrong, nothing in the database is read or changed.
  const all = codes.flatMap((code) =>
    code === 'database_unavailable' ? [code, 'clock_wrong' as const] : code,
  )
  for (const code of new Set(all)) {
    const status = ERRORS[code]
    const before = responses[status] ? `${responses[status].description}\n\n` : ''
    responses[status] = { description: `${before}\`${code}\`: ${CATALOGS.en.error[code].detail}`, content }
  }
  return responses
}
