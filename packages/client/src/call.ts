// One call of the API: bounded in time, and repeated once where nobody knows what became of it. Repeating is safe, since
// every call of this API says the same when it is sent twice: by its operation_id, or because it is absolute.

/** The API answered, and its answer was a refusal. `problem` is its body, RFC 9457. */
export class BillingRefused extends Error {
  override readonly name = 'BillingRefused'
  constructor(
    readonly status: number,
    /** Stable: switch on this. */
    readonly code: string,
    readonly problem: Readonly<Record<string, unknown>>,
  ) {
    super(`billing refused: ${status} ${code}`)
  }
}

/** No answer in time, a broken connection, or an answer that tells of trouble on the other side. */
export class BillingUnreachable extends Error {
  override readonly name = 'BillingUnreachable'
}

export interface CallOptions {
  readonly url: string
  readonly apiKey: string
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
  readonly now: () => number
}

export type Call = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

const DEFAULT_TIMEOUT_MS = 2_000

export function createCall(options: CallOptions): Call {
  // On its own, not as a member: at the edge `fetch` refuses another `this`.
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = globalThis.fetch, now } = options
  const base = options.url.replace(/\/+$/, '')
  const attempt = async <Answer>(path: string, request: RequestInit, withinMs: number): Promise<Answer> => {
    const response = await send(`${base}${path}`, { ...request, signal: AbortSignal.timeout(withinMs) })
    return readAnswer<Answer>(response)
  }
  return async <Answer>(method: string, path: string, body?: object) => {
    const request: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }
    const startedAt = now()
    try {
      // Half of the time for the first: a server that hangs must leave some for a second.
      return await attempt<Answer>(path, request, timeoutMs / 2)
    } catch (error) {
      if (error instanceof BillingRefused) throw error
      const left = Math.max(1, timeoutMs - (now() - startedAt))
      return await attempt<Answer>(path, request, left).catch((second: unknown) => {
        if (second instanceof BillingRefused) throw second
        throw new BillingUnreachable('billing is out of reach', { cause: second })
      })
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
    throw new BillingUnreachable(`billing answered ${response.status}`)
  }
  const problem = readProblem(text)
  throw new BillingRefused(response.status, String(problem.code ?? 'unknown'), problem)
}

/** A proxy between us may answer in its own words: then there is no problem body, only the status. */
function readProblem(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
