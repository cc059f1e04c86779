// One call of the API. It has a time limit and is retried once if its outcome is unknown and the answer asks
// for no longer pause. A retry is safe because every call of this API is idempotent: by its operation_id,
// because it sets absolute values, or because only one payment can be open.
import { BillingApiError, BillingConfigurationError, BillingUnreachableError, readRefusal } from './errors.js'

/** The person who acts for an account, by the platform's own id. Without a role: the account's owner. */
export interface Person {
  id: string
  role?: 'owner' | 'payer' | 'reader'
}

interface CallOptions {
  readonly url: string
  readonly apiKey: string
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

export interface CallSettings {
  readonly body?: object | undefined
  /** The body of an upload, instead of `body`. */
  readonly file?: Uint8Array<ArrayBuffer> | Blob
  /** The type of the answer; absent: JSON. */
  readonly accept?: 'application/pdf'
  /** The time limit if the options set none. */
  readonly withinMs?: number
  /** The person who acts for the account. */
  readonly person?: Person
  /** True if it must not be repeated after an unknown outcome. */
  readonly once?: boolean
}

export type Call = <Answer>(method: string, path: string, settings?: CallSettings) => Promise<Answer>

const DEFAULT_TIMEOUT_MS = 2_000
const JSON_TYPE = 'application/json'

const URL_PATTERN = /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/
/** A header can carry only keys like this. */
const KEY_PATTERN = /^[\x20-\x7e]+$/

/** Throws `TypeError`. `fetch` would refuse such options as if in an outage, with the key in its message. */
function checkOptions({ url, apiKey }: CallOptions): void {
  if (!URL_PATTERN.test(url) || !URL.canParse(url))
    throw new TypeError('url must be the address of billing, as https://billing.example.dz')
  if (typeof apiKey !== 'string' || !KEY_PATTERN.test(apiKey))
    throw new TypeError('apiKey must be one of the keys of the service, in ASCII on one line')
}

export function createCall(options: CallOptions): Call {
  checkOptions(options)
  // Called as a function: on edge platforms `fetch` refuses another `this`.
  const { apiKey, fetch: send = globalThis.fetch } = options
  const base = options.url.replace(/\/+$/, '')
  return async <Answer>(method: string, path: string, settings: CallSettings = {}) => {
    const { body, file, accept = JSON_TYPE, once = false } = settings
    const withinMs = options.timeoutMs ?? settings.withinMs ?? DEFAULT_TIMEOUT_MS
    const request: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept,
        ...(body ? { 'content-type': JSON_TYPE } : {}),
        ...(settings.person ? personHeaders(settings.person) : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(file ? { body: file } : {}),
    }
    const attempt = (ms: number) =>
      within(ms, async (signal) =>
        readAnswer<Answer>(await send(`${base}${path}`, { ...request, signal }), settings),
      ).catch(throwKnown)
    if (once) return attempt(withinMs)
    const startedAt = performance.now()
    try {
      // Half of the time: if a server hangs, the other half is for the retry.
      return await attempt(withinMs / 2)
    } catch (first) {
      const leftMs = withinMs - (performance.now() - startedAt)
      if (!(first instanceof BillingUnreachableError) || (first.retryAfter ?? 0) * 1_000 > leftMs) throw first
      // If both attempts fail, the error with a reason is thrown.
      return await attempt(leftMs).catch((second) => {
        throw second instanceof BillingUnreachableError && second.status === null ? first : second
      })
    }
  }
}

function personHeaders({ id, role }: Person): Record<string, string> {
  return {
    'ishtirak-person': encodeURIComponent(id),
    ...(role && { 'ishtirak-billing-role': role }),
  }
}

function throwKnown(error: unknown): never {
  if (error instanceof BillingApiError || error instanceof BillingUnreachableError) throw error
  throw new BillingUnreachableError(null, { cause: error })
}

/** Ends in time even if `send` or the body of its answer ignores the signal. */
async function within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      const error = new DOMException(`no answer within ${Math.round(ms)} ms`, 'TimeoutError')
      reject(error)
      abort.abort(error)
    }
    timer = setTimeout(giveUp, ms)
  })
  try {
    return await Promise.race([work(abort.signal), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

async function readAnswer<Answer>(response: Response, settings: CallSettings): Promise<Answer> {
  const { accept = JSON_TYPE, person } = settings
  // The service validates its answers with the schemas from which these types are made.
  if (response.ok && accept === JSON_TYPE) return JSON.parse(await response.text()) as Answer
  if (response.ok) return new Uint8Array(await response.arrayBuffer()) as Answer
  const refusal = await readRefusal(response)
  const { status, code } = refusal
  if (status >= 500 || status < 400 || [408, 429].includes(status)) throw new BillingUnreachableError(refusal)
  // The person may not order; the key is right.
  const isOfPerson = person !== undefined && code === 'forbidden'
  if ([401, 403].includes(status) && !isOfPerson) throw new BillingConfigurationError(refusal)
  throw new BillingApiError(refusal)
}
