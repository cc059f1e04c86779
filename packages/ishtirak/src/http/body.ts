// Reads request bodies. JSON must be UTF-8 and free of what the database cannot hold; what is not JSON is refused. The webhook
// route gets its bytes untouched, because a signature is over bytes, not over what they mean.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'

/** The largest that we read: no body of ours comes near it, and an event of Chargily is about 1.5 kB. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** `application/json` only; every other type with a body is 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    refuseCompressed(request)
    const text = decodeUtf8(body)
    parseJson(request, text, (error, value) => {
      if (error) done(error, undefined)
      // Only escapes can smuggle in what UTF-8 decoding already refused, so most bodies are not walked.
      else if (text.includes('\\u') && holdsUnstorableText(value))
        done(new BillingError('invalid_request'), undefined)
      else done(null, value)
    })
  })
}

/** For the encapsulated plugin of the webhook: `request.body` is a Buffer of the very bytes, whatever their type. */
export function acceptRawBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed type before any parser; the sender of signed bytes may call them anything.
    request.headers['content-type'] = 'application/octet-stream'
    done()
  })
}

/** The bytes that a route under `acceptRawBytes` received; none were sent: an empty Buffer. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

function refuseCompressed(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new BillingError('unsupported_media_type')
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

/** NUL and halves of surrogate pairs: PostgreSQL stores neither in text. Walked with a list, not by recursion: bodies nest. */
function holdsUnstorableText(root: unknown): boolean {
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

/** Text that UTF-8 and PostgreSQL can both hold. */
export function isStorable(text: string): boolean {
  // Under the u flag only halves without their partner match.
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text)
}
