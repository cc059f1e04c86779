// One HTTP exchange with somebody else's server: a time limit over the whole of it, a size limit, no redirects.
// What goes wrong out there comes back as data, with the one thing that matters for money: could it have been sent?

export interface ExchangeRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs: number
  /** Counted after decompression; what is longer is not read to its end. */
  readonly maxBytes: number
  readonly fetch?: typeof fetch
}

export type Exchange =
  /** `body` is null where it was longer than `maxBytes`. A redirect is an answer like any other. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Headers
      readonly body: Uint8Array | null
      readonly tookMs: number
    }
  | { readonly kind: 'timeout'; readonly tookMs: number }
  /** `neverSent`: the connection was not made, so the other side cannot have acted. */
  | {
      readonly kind: 'network'
      readonly neverSent: boolean
      readonly detail: string
      readonly tookMs: number
    }

export async function exchange(request: ExchangeRequest): Promise<Exchange> {
  const startedAt = performance.now()
  const tookMs = () => Math.round(performance.now() - startedAt)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), request.timeoutMs)
  try {
    const response = await (request.fetch ?? fetch)(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      redirect: 'manual',
      signal: limit.signal,
    })
    const body = await readBounded(response, request.maxBytes)
    return { kind: 'answer', status: response.status, headers: response.headers, body, tookMs: tookMs() }
  } catch (error) {
    if (limit.signal.aborted) return { kind: 'timeout', tookMs: tookMs() }
    return { kind: 'network', neverSent: failedToConnect(error), detail: describe(error), tookMs: tookMs() }
  } finally {
    clearTimeout(timer)
  }
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array()
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks, length)
    length += value.byteLength
    if (length > maxBytes) {
      await reader.cancel()
      return null
    }
    chunks.push(value)
  }
}

/** A certificate is refused in the handshake, before a byte of the request has gone out. */
const CERTIFICATE_REFUSED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/**
 * True only where it is certain. The system call tells more than the code: EHOSTUNREACH and ETIMEDOUT
 * also end connections that were long made.
 */
export function failedToConnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // Several addresses were tried (IPv6 and IPv4): each of them must have failed before sending.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(failedToConnect)
  const syscall = property(error, 'syscall')
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  const code = property(error, 'code')
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || CERTIFICATE_REFUSED.has(code)) return true
  return failedToConnect(error.cause)
}

/** The innermost code or sentence: `fetch failed` alone helps nobody. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown failure'
  if (error.cause instanceof Error) return describe(error.cause)
  return [property(error, 'code'), error.message].filter((part) => part !== '').join(': ')
}

function property(error: Error, name: 'code' | 'syscall'): string {
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : ''
}
