// The errors of calls. Each keeps the answer's code, and the request id that finds it in the service's log.

/** An answer other than success. */
interface Refusal {
  readonly status: number
  /** Stable, so switch on it. `unknown` if the answer is not Ishtirak's own, such as a proxy's. */
  readonly code: string
  readonly requestId: string | null
  /** The seconds to wait before the next try, if the answer says so. */
  readonly retryAfter: number | null
  /** The body (RFC 9457); empty if it is not Ishtirak's own. */
  readonly problem: Readonly<Record<string, unknown>>
}

/** The API refused. */
export class BillingApiError extends Error implements Refusal {
  override readonly name: string = 'BillingApiError'
  declare readonly status: number
  declare readonly code: string
  declare readonly requestId: string | null
  declare readonly retryAfter: number | null
  declare readonly problem: Readonly<Record<string, unknown>>
  constructor(refusal: Refusal, message = 'billing refused') {
    super(`${message}: ${inWords(refusal)}`)
    Object.assign(this, refusal)
  }
}

/**
 * `apiKey` is refused: it is not in PLATFORM_API_KEYS (401), or the operator's role may not do this (403).
 * This is no outage: it lasts until the configuration is corrected.
 */
export class BillingConfigurationError extends BillingApiError {
  override readonly name = 'BillingConfigurationError'
  constructor(refusal: Refusal) {
    super(refusal, 'billing refuses apiKey')
  }
}

/**
 * No answer in time, a broken connection, or an answer that reports a failing server (5xx, 429, 408, 3xx).
 */
export class BillingUnreachableError extends Error {
  override readonly name = 'BillingUnreachableError'
  /** Null if there was no answer, as are the fields below. */
  readonly status: number | null
  /** A code such as `provider_unavailable`: Ishtirak itself answered. */
  readonly code: string | null
  readonly requestId: string | null
  readonly retryAfter: number | null
  readonly problem: Readonly<Record<string, unknown>> | null
  constructor(refusal: Refusal | null, options?: ErrorOptions) {
    super(refusal ? `billing cannot answer: ${inWords(refusal)}` : 'billing is unreachable', options)
    this.status = refusal?.status ?? null
    this.code = refusal?.code ?? null
    this.requestId = refusal?.requestId ?? null
    this.retryAfter = refusal?.retryAfter ?? null
    this.problem = refusal?.problem ?? null
  }
}

function inWords({ status, code, requestId }: Refusal): string {
  return `${status} ${code}${requestId === null ? '' : ` (request ${requestId})`}`
}

export async function readRefusal(response: Response): Promise<Refusal> {
  const problem = readProblem(await response.text())
  const { code, request_id: requestId = response.headers.get('x-request-id') } = problem
  const seconds = response.headers.get('retry-after') ?? ''
  return {
    status: response.status,
    code: typeof code === 'string' ? code : 'unknown',
    requestId: typeof requestId === 'string' ? requestId : null,
    retryAfter: /^\d+$/.test(seconds) ? Number(seconds) : null,
    problem,
  }
}

function readProblem(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
