// The body of every error: RFC 9457 problem details in the reader's language, under a code that clients switch on.
// It only renders; which error a failure becomes is decided in failures.ts.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type BillingError, ERRORS, type ErrorCode, VALIDATION_PROBLEMS } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { pathOf, preferredLocale } from './request.js'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** What of the request goes into the body. */
interface ProblemContext {
  readonly publicUrl: string
  /** The path without its query, which may hold tokens. */
  readonly instance: string
  readonly requestId: string
  readonly locale: Locale
}

/** The members in the order of the specification; what the error adds comes last and overwrites none of them. */
export function problemBody(error: BillingError, context: ProblemContext): Record<string, unknown> {
  const { status, title, detail } = ERRORS[error.code]
  const standard = {
    type: `${context.publicUrl}/docs/errors#${error.code}`,
    title: title[context.locale],
    status,
    detail: detail[context.locale],
    instance: context.instance,
    code: error.code,
    request_id: context.requestId,
  }
  const errors = error.problems.map(({ pointer, code }) => ({
    pointer,
    code,
    detail: VALIDATION_PROBLEMS[code][context.locale],
  }))
  return { ...standard, ...(errors.length > 0 ? { errors } : {}), ...error.extra, ...standard }
}

/** Answers with the error and the header fields that belong to it. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  error: BillingError,
  publicUrl: string,
): FastifyReply {
  const locale = preferredLocale(request.headers['accept-language'])
  const instance = pathOf(request.url)
  const body = problemBody(error, { publicUrl, instance, requestId: request.id, locale })
  reply
    .code(ERRORS[error.code].status)
    .headers({
      'content-type': PROBLEM_TYPE,
      'content-language': locale,
      vary: 'Accept-Language',
      // The route may have promised a cache something for its answer; this is not that answer.
      'cache-control': 'no-store',
    })
    .removeHeader('etag')
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
  if (ERRORS[error.code].status === 401) reply.header('www-authenticate', challenge(request, error.code))
  return reply.send(JSON.stringify(body))
}

/** RFC 6750, section 3: an error is only named where a token was given. */
function challenge(request: FastifyRequest, code: ErrorCode): string {
  const gaveToken = code !== 'invalid_signature' && /^bearer\s/i.test(request.headers.authorization ?? '')
  return gaveToken ? 'Bearer error="invalid_token"' : 'Bearer'
}

/** The same body, for the OpenAPI document. Some codes add members, such as `current_period_end`. */
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

interface ProblemResponse {
  description: string
  content: { 'application/problem+json': { schema: object } }
}

/** For a route's `schema.response`: what it may refuse, by status. */
export function problemResponses(...codes: readonly ErrorCode[]): Record<string, ProblemResponse> {
  const responses: Record<string, ProblemResponse> = {}
  for (const code of codes) {
    const { status, detail } = ERRORS[code]
    const before = responses[status]?.description
    responses[status] = {
      description: [...(before ? [before] : []), `\`${code}\`: ${detail.en}`].join('\n\n'),
      content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
    }
  }
  return responses
}
