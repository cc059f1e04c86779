// One request to another server: limits of time and size, no redirects, no compression, and public addresses
// only if the caller asks for that. A failure is a result, which says whether the request may have been sent.
import { lookup as systemLookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

interface HttpRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The time from the first byte sent to the last byte read. */
  readonly timeoutMs: number
  /** A longer body is not read to its end. */
  readonly maxBytes: number
  /** The addresses that may be called; by default all. */
  readonly reach?: Reach
  readonly send?: Send
}

/** Sends a request; tests replace it. Rejects if no answer came, or if it was aborted. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<SentAnswer>
type OutgoingRequest = Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body' | 'reach'>

export interface SentAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Keyed by names in lower case. Several headers of one name are a list. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export type HttpOutcome = { readonly tookMs: number } & (
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: AnswerHeaders
      /** Null if it was longer than `maxBytes` or compressed. A redirect is an answer too. */
      readonly body: Uint8Array | null
    }
  | { readonly kind: 'timeout' }
  /** `neverSent`: the connection was not made, so the other side cannot have acted. */
  | { readonly kind: 'network'; readonly neverSent: boolean; readonly detail: string }
)

export async function sendRequest(request: HttpRequest): Promise<HttpOutcome> {
  const { send = sendByNode, timeoutMs, maxBytes } = request
  const startedAt = performance.now()
  const tookMs = () => Math.round(performance.now() - startedAt)
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  try {
    const { status, headers, body: sent } = await send(request, abort.signal)
    const body = await readBounded(headers, sent, maxBytes)
    return { kind: 'answer', status, headers, body, tookMs: tookMs() }
  } catch (error) {
    if (abort.signal.aborted) return { kind: 'timeout', tookMs: tookMs() }
    return { kind: 'network', neverSent: failedToConnect(error), detail: describe(error), tookMs: tookMs() }
  } finally {
    clearTimeout(timer)
  }
}

// Shorter than other servers' timeout: on a connection that closes, it is unknown whether a request arrived.
const KEPT = { keepAlive: true, timeout: 4_000 }
const HTTP = { request: http.request, agent: new http.Agent(KEPT) }
const HTTPS = { request: https.request, agent: new https.Agent(KEPT) }

// Not `fetch`: it takes four times as long (0.8 ms instead of 0.2), and asks for compressed answers.
export const sendByNode: Send = ({ url, method, headers, body, reach }, signal) =>
  new Promise((resolve, reject) => {
    const target = new URL(url)
    const { request, agent } = target.protocol === 'https:' ? HTTPS : HTTP
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (reach && isIP(host) !== 0 && !isWithinReach(host, reach)) return reject(refusal(host))
    const sent = request(target, {
      // A kept connection may lead to an address that was checked long ago.
      ...(reach ? { agent: false, lookup: lookupWithin(reach) } : { agent }),
      method,
      signal,
      headers: {
        'user-agent': 'ishtirak',
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    })
    sent.on('response', (answer) =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
    )
    sent.on('error', reject)
    sent.end(body)
  })

export function headerOf(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

async function readBounded(
  headers: AnswerHeaders,
  body: SentAnswer['body'],
  maxBytes: number,
): Promise<Uint8Array | null> {
  const isPlain = (headerOf(headers, 'content-encoding') ?? 'identity') === 'identity'
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    // Leaving the loop ends the connection.
    if (length > maxBytes || !isPlain) return null
    chunks.push(chunk)
  }
  return isPlain ? Buffer.concat(chunks, length) : null
}

/** A certificate is refused in the handshake, before any byte of the request is sent. */
const CERTIFICATE_REFUSED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** True only if it is certain. EHOSTUNREACH and ETIMEDOUT also end established connections. */
export function failedToConnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AddressRefused) return true
  // Several addresses were tried (IPv6 and IPv4): each must have failed before sending.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(failedToConnect)
  const { code, syscall }: NodeJS.ErrnoException = error
  return syscall === 'connect' || syscall === 'getaddrinfo' || CERTIFICATE_REFUSED.has(code ?? '')
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown failure'
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  const { code, message }: NodeJS.ErrnoException = error
  return [code, message].filter(Boolean).join(': ')
}

/** `public`: the internet only. `loopback`: this machine as well. `any`: private networks too. */
export type Reach = 'public' | 'loopback' | 'any'

/** Not a network failure: this program refuses to connect there. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** All public IPv6 unicast addresses are in it. Others are refused. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * `address` is a literal IP address; anything else is unreachable. An address is public if it has no special
 * purpose (IANA) and embeds no IPv4 address, which could be a private one.
 */
export function isWithinReach(address: string, reach: Reach): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address.replace(/%.*/, ''))
  const range = parsed.range()
  if (reach === 'any' || (reach === 'loopback' && range === 'loopback')) return true
  return range === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST))
}

/**
 * For `http.request`, which calls it for names only. A name is resolved once, and the checked address is the
 * one that is connected to, so that a name server cannot answer differently the second time.
 */
export function lookupWithin(reach: Reach, lookup: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, answer) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return answer(error, '', 0)
      const allowed = found.filter(({ address }) => isWithinReach(address, reach))
      const [first] = allowed
      if (!first) return answer(refusal(hostname), '', 0)
      return options.all ? answer(null, allowed) : answer(null, first.address, first.family)
    })
  }
}

function refusal(host: string): AddressRefused {
  return new AddressRefused(`${host} is not a public address (EVENTS_ALLOW_PRIVATE=true allows it)`)
}

export const withoutSlash = (url: string) => url.replace(/\/+$/, '')
