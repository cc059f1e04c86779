// What all routes share: their context, how a body is read, and how JSON, lists, pages and errors are
// answered.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { modePath } from './api-json.js'
import type { CheckoutService } from './checkout-service.js'
import type { EmulatorContext } from './context.js'
import { ApiError, notFound } from './errors.js'
import { readInput, Validator } from './laravel.js'
import { encodePhpJson, type JsonObject } from './php-json.js'
import { findIn, type Row, type Table } from './store.js'

export interface ServerContext extends EmulatorContext {
  readonly checkoutService: CheckoutService
  advance(seconds: number): Promise<void>
}

/** The API and the payment page exist once for each mode. */
export interface ApiContext extends ServerContext {
  readonly livemode: boolean
}

/** A route whose path names one resource. */
export interface ById {
  Params: { id: string }
}

export function inputOf(request: FastifyRequest): JsonObject {
  return readInput(request.headers['content-type'], request.body)
}

/** With 200 unless a status was set: creating answers 200 too, not 201. */
export function sendJson(reply: FastifyReply, body: JsonObject): FastifyReply {
  // As bytes: Fastify adds a charset to the type of a string, and Laravel names none.
  return reply.type('application/json').send(Buffer.from(encodePhpJson(body)))
}

/** `ownForms`: the forms of the page post to the emulator only, and the browser says where they come from. */
export function sendPage(reply: FastifyReply, html: string, ownForms = false): FastifyReply {
  // On the payment page, browsers would apply `form-action` to the redirect after the form, which leads to
  // the merchant.
  const formAction = ownForms ? "form-action 'self'; " : ''
  return reply
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        `default-src 'none'; style-src 'unsafe-inline'; ${formAction}` +
        "base-uri 'none'; frame-ancestors 'none'",
      'Referrer-Policy': ownForms ? 'same-origin' : 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .send(html)
}

export function answerError(
  context: EmulatorContext,
  error: unknown,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  if (error instanceof ApiError) return sendJson(reply.code(error.status).headers(error.headers), error.body)
  // Fastify's own errors (a body too large, a broken header) have a status; anything else is a bug.
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 500) context.log({ message: 'bug', url: request.url, error: String(error) })
  return sendJson(reply.code(status), { message: status >= 500 ? 'Server Error' : 'Bad Request' })
}

export function findOr404<Kind extends Row>(table: Table<Kind>, id: string, livemode: boolean): Kind {
  const found = findIn(table, id, livemode)
  if (!found) throw notFound()
  return found
}

const DEFAULT_PER_PAGE = 10
/** Chargily docs, API reference, the list pages: 1 to 50. */
const MAX_PER_PAGE = 50

/**
 * Laravel's paginator without `from`, `to` and `links`, newest first. How Chargily sorts is not documented,
 * but a client that looks for its lost checkout should find it on the first page.
 */
export function listOf<Kind>(
  { publicUrl, livemode }: ApiContext,
  request: FastifyRequest,
  records: readonly Kind[],
  toJson: (record: Kind) => JsonObject,
): JsonObject {
  const { page, perPage } = readPaging(request)
  const [route = ''] = request.url.split('?')
  const path = `${publicUrl()}${modePath(livemode)}${route.replace(/^\/test/, '')}`
  const lastPage = Math.max(1, Math.ceil(records.length / perPage))
  const urlOf = (number: number) => (number < 1 || number > lastPage ? null : `${path}?page=${number}`)
  return {
    livemode,
    current_page: page,
    data: records.slice((page - 1) * perPage, page * perPage).map(toJson),
    first_page_url: urlOf(1),
    last_page: lastPage,
    last_page_url: urlOf(lastPage),
    next_page_url: urlOf(page + 1),
    path,
    per_page: perPage,
    prev_page_url: urlOf(page - 1),
    total: records.length,
  }
}

function readPaging({ url }: FastifyRequest): { page: number; perPage: number } {
  const query = new URL(url, 'http://any').searchParams
  const validator = new Validator({ per_page: query.get('per_page') || null })
  const perPage = validator.integer('per_page', 1) ?? DEFAULT_PER_PAGE
  if (perPage > MAX_PER_PAGE) validator.addFieldError('per_page', `must not be greater than ${MAX_PER_PAGE}.`)
  validator.throwIfInvalid()
  // Laravel's paginator takes a page that is not a positive integer for the first.
  const page = query.get('page') ?? ''
  return { page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1, perPage }
}
