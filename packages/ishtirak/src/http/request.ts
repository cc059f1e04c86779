// How every request is read: id, path, language, body. JSON must be UTF-8 without characters that the
// database refuses. The webhook gets the unchanged bytes, because a signature is over bytes.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { type Locale, localeOf } from '../core/locale.js'
import { randomToken } from '../runtime/secret.js'

const processId = randomToken(9)
let requests = 0

/** The caller's id if it is harmless in a log and a header, else a new one. */
export function requestIdOf(request: { readonly headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newRequestId()
}

/** The process and a running number. It need not be secret, and a random id costs 7 µs. */
export function newRequestId(): string {
  requests += 1
  return `${processId}-${requests.toString(36)}`
}

/** Removes the query, which may contain tokens. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** Longer headers are cut: no browser sends that many languages. */
const LONGEST_LANGUAGES = 256

/** The best of our languages in `Accept-Language` (RFC 9110, 12.5.4). Pages pass their own fallback. */
export function preferredLocale(header = '', fallback: Locale = 'en'): Locale {
  const ranges = header.slice(0, LONGEST_LANGUAGES).split(',')
  const [best] = ranges
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
      // A quality that is not a number counts as "not wanted".
      return { locale: tag === '*' ? fallback : localeOf(tag), quality: Number(quality) || 0 }
    })
    .filter(({ locale, quality }) => locale && quality > 0)
    // Sorting is stable, so of equal qualities the first wins.
    .sort((one, other) => other.quality - one.quality)
  return best?.locale ?? fallback
}

/** The largest body. No body of ours comes near it; an event of Chargily is about 1.5 kB. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** `application/json` only; every other type with a body is 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { 'content-encoding': encoding = 'identity' } = request.headers
    if (encoding !== 'identity') throw new BillingError('unsupported_media_type')
    const text = decodeUtf8(body)
    parseJson(request, text, (error, value) => {
      if (error) done(error, undefined)
      // Only escapes can contain what UTF-8 decoding already refused, so most bodies are not searched.
      else if (text.includes('\\u') && holdsUnstorableText(value))
        done(new BillingError('invalid_request'), undefined)
      else done(null, value)
    })
  })
}

/**
 * For an encapsulated plugin, whose bodies may have any type: `request.body` is a Buffer of the unchanged
 * bytes, or, as a stream, they stay unread.
 */
export function acceptAnyType(app: FastifyInstance, as: 'bytes' | 'stream'): void {
  app.removeAllContentTypeParsers()
  // Fastify refuses a malformed type before any parser runs.
  app.addHook('onRequest', (request, _reply, done) => {
    request.headers['content-type'] = 'application/octet-stream'
    done()
  })
  if (as === 'stream') app.addContentTypeParser('*', (_request, _body, done) => done(null))
  else app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/** The bytes that such a route received. Without a body: an empty Buffer. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

/** True if a body follows the headers. The body of a GET or HEAD is not read. */
export function announcesBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(body: string | Buffer): string {
  if (typeof body === 'string') return body
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw new BillingError('invalid_request', { cause })
  }
}

/** True for NUL and half surrogate pairs, which PostgreSQL refuses. No recursion: bodies nest deeply. */
export function holdsUnstorableText(root: unknown): boolean {
  const waiting = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string' && !isStorable(value)) return true
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      if (!isStorable(name)) return true
      waiting.push(member)
    }
  }
  return false
}

/** True for text that UTF-8 and PostgreSQL both accept. */
export function isStorable(text: string): boolean {
  // The u flag makes only half pairs match.
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}
