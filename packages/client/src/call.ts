// One call of the API, bounded in time and retried once when its outcome is unknown. A retry is safe, because every call
// of this API is idempotent: by its operation_id, because it sets absolute values, or because there is one open payment.

/** The API refused. `problem` is the body of its answer, RFC 9457. */
export class BillingApiError extends Error {
  override readonly name = 'BillingApiError'
  constructor(
    readonly status: number,
    /** Stable: switch on this. */
    readonly code: string,
    readonly problem: Readonly<Record<string, unknown>>,
  ) {
    super(`billing refused: ${status} ${code}`)
  }
}

/** No answer in time, a broken connection, or an answer that reports trouble of the server (5xx, 429, 3xx). */
export class BillingUnreachableError extends Error {
  override readonly name = 'BillingUnreachableError'
}

interface CallOptions {
  readonly url: string
  readonly apiKey: string
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
  readonly now: () => number
}

interface CallSettings {
  readonly body?: object | undefined
  /** In place of `body`. */
  readonly file?: Uint8Array<ArrayBuffer> | Blob
  /** Of a user, in place of the platform's key. */
  readonly accessToken?: string
  /** In place of the option. */
  readonly withinMs?: number
  /** It must not be repeated where its outcome is unknown. */
  readonly once?: boolean
}

type Call = <Answer>(method: string, path: string, settings?: CallSettings) => Promise<Answer>

const DEFAULT_TIMEOUT_MS = 2_000

export function createCall(options: CallOptions): Call {
  // Not called as a member: at the edge `fetch` refuses another `this`.
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = globalThis.fetch, now } = options
  const base = options.url.replace(/\/+$/, '')
  const attempt = async <Answer>(path: string, request: RequestInit, withinMs: number): Promise<Answer> => {
    const response = await send(`${base}${path}`, { ...request, signal: AbortSignal.timeout(withinMs) })
    return readAnswer<Answer>(response)
  }
  return async <Answer>(method: string, path: string, settings: CallSettings = {}) => {
    const { body, file, accessToken = apiKey, withinMs = timeoutMs, once = false } = settings
    const request: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(file ? { body: file } : {}),
    }
    const unreachable = (cause: unknown) => {
      if (cause instanceof BillingApiError) throw cause
      throw new BillingUnreachableError('billing is unreachable', { cause })
    }
    if (once) return attempt<Answer>(path, request, withinMs).catch(unreachable)
    const startedAt = now()
    try {
      // Half of the time: a server that hangs must leave some for the retry.
      return await attempt<Answer>(path, request, withinMs / 2)
    } catch (error) {
      if (error instanceof BillingApiError) throw error
      const left = Math.max(1, withinMs - (now() - startedAt))
      return await attempt<Answer>(path, request, left).catch(unreachable)
    }
  }
}

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  if (response.ok) {
    // The service checks its answers against the schemas that these types are made from.
    return JSON.parse(text) as Answer
  }
  if (response.status >= 500 || response.status === 429 || response.status < 400) {
    throw new BillingUnreachableError(`billing answered ${response.status}`)
  }
  const problem = readProblem(text)
  throw new BillingApiError(response.status, String(problem.code ?? 'unknown'), problem)
}

/** Empty when a proxy answered with a body of its own. */
function readProblem(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
