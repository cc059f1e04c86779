// One call to Chargily's API. It returns a JSON object or a failure, and logs one line. It never repeats a
// call, because only the payment shows whether that is safe. A failure is rejected, unavailable, or perhaps
// carried out (outcomeUnknown): a second checkout is worse than a lookup.
import { SECOND } from '../../../core/instant.js'
import type { ProviderAnswer, ProviderFailure } from '../../../ledger/method.js'
import {
  type AnswerHeaders,
  type HttpOutcome,
  headerOf,
  type Send,
  sendRequest,
} from '../../../runtime/http-client.js'
import { type AccountSettings, apiAddressOf } from './account.js'
import { isObject, type JsonObject, parseJsonBytes, readAmount } from './report.js'

export interface CallSettings extends AccountSettings {
  readonly send?: Send
  /** Gets a line for each call. It has no key, body or header, so it may be logged. */
  readonly log?: (line: Readonly<Record<string, unknown>>) => void
  readonly timeouts?: { readonly writeMs?: number; readonly readMs?: number }
}

export type Provider = ReturnType<typeof createProvider>

/** A page of 50 checkouts with their merchant blocks is about 100 kB; ten times that is a mistake. */
const LONGEST_ANSWER_BYTES = 1024 * 1024

/** A path is the one below the API's address, with its query. */
export function createProvider(settings: CallSettings) {
  const { secretKey, webhookKeys = [], send, log } = settings
  const secrets = [secretKey, ...webhookKeys]
  const address = apiAddressOf(settings)
  // A user waits for a new checkout, and a lost answer costs a search. The sweep repeats a read.
  const { writeMs = 4_000, readMs = 5_000 } = settings.timeouts ?? {}
  const call = async (method: 'GET' | 'POST', path: string, timeoutMs: number, body?: JsonObject) => {
    const outcome = await sendRequest({
      url: `${address}${path}`,
      method,
      headers: {
        // Otherwise Laravel may answer an error with a page or a redirect.
        accept: 'application/json',
        authorization: `Bearer ${secretKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs,
      maxBytes: LONGEST_ANSWER_BYTES,
      ...(send && { send }),
    })
    const answer = readOutcome(outcome, secrets)
    log?.({
      event: answer.ok ? 'provider_called' : 'provider_call_failed',
      method,
      path,
      status: outcome.kind === 'answer' ? outcome.status : null,
      took_ms: outcome.tookMs,
      ...(!answer.ok && { failure: answer.failure }),
    })
    return answer
  }
  return {
    get: (path: string) => call('GET', path, readMs),
    post: (path: string, body?: JsonObject) => call('POST', path, writeMs, body),
  }
}

function readOutcome(outcome: HttpOutcome, secrets: readonly string[]): ProviderAnswer<JsonObject> {
  if (outcome.kind === 'timeout')
    return unavailable('timeout', `no whole answer within ${outcome.tookMs} ms`, { outcomeUnknown: true })
  if (outcome.kind === 'network')
    return unavailable('network', redact(outcome.detail, secrets), { outcomeUnknown: !outcome.neverSent })
  const value = outcome.body === null ? undefined : parseJsonBytes(outcome.body)
  const body = isObject(value) ? value : null
  if (body !== null && outcome.status >= 200 && outcome.status < 300) return { ok: true, value: body }
  return failureOfAnswer(outcome, body, secrets)
}

type Answer = Extract<HttpOutcome, { kind: 'answer' }>
type Failed = Extract<ProviderAnswer<never>, { ok: false }>
type Unavailable = Extract<ProviderFailure, { kind: 'unavailable' }>

/** For every answer other than 2xx with JSON. `body` is its object, if it has one. */
function failureOfAnswer(answer: Answer, body: JsonObject | null, secrets: readonly string[]): Failed {
  const { status, headers } = answer
  const detail = `HTTP ${status}: ${messageOf(answer, body, secrets)}`
  const retryAfterSeconds = readRetryAfter(headers)
  if (status === 429) return unavailable('rate_limited', detail, { outcomeUnknown: false, retryAfterSeconds })
  if (status >= 500) return unavailable('server_error', detail, { outcomeUnknown: true, retryAfterSeconds })
  if (status === 408) return unavailable('timeout', detail, { outcomeUnknown: true, retryAfterSeconds })
  // A 404 means "no such checkout". A proxy's page must not say that of a payment.
  if (status === 404 && !isAboutTheRecord(body))
    return unavailable('unreadable', detail, { outcomeUnknown: false })
  return status >= 400 ? rejected(status, detail) : unreadable(detail)
}

/** An hour: whatever a broken clock of the provider asks for, a payment is looked up before that. */
const LONGEST_WAIT_SECONDS = 3600

/** A number of seconds, or an HTTP date, which is compared with the answer's own `Date`. */
function readRetryAfter(headers: AnswerHeaders): number | null {
  const text = headerOf(headers, 'retry-after')?.trim() ?? ''
  const sentAt = Date.parse(headerOf(headers, 'date') ?? '')
  const seconds = readAmount(text) ?? (text.endsWith(' GMT') ? (Date.parse(text) - sentAt) / SECOND : -1)
  return seconds >= 0 ? Math.min(Math.ceil(seconds), LONGEST_WAIT_SECONDS) : null
}

export function rejected(status: number, detail: string): Failed {
  return { ok: false, failure: { kind: 'rejected', status, detail } }
}

export function unreadable(detail: string): Failed {
  return unavailable('unreadable', detail, { outcomeUnknown: true })
}

function unavailable(
  reason: Unavailable['reason'],
  detail: string,
  { outcomeUnknown, retryAfterSeconds = null }: Pick<Unavailable, 'outcomeUnknown'> & Partial<Unavailable>,
): Failed {
  return { ok: false, failure: { kind: 'unavailable', reason, outcomeUnknown, retryAfterSeconds, detail } }
}

/** Laravel says "The route … could not be found." if the address is wrong, not the id. */
function isAboutTheRecord(body: JsonObject | null): boolean {
  return body !== null && !(typeof body.message === 'string' && body.message.startsWith('The route '))
}

function messageOf(answer: Answer, body: JsonObject | null, secrets: readonly string[]): string {
  if (typeof body?.message === 'string') return redact(body.message, secrets)
  const type = headerOf(answer.headers, 'content-type') ?? 'no content type'
  const size = answer.body === null ? 'too long' : `${answer.body.byteLength} bytes`
  return `no message (${redact(type, secrets)}, ${size})`
}

/** 300 characters: a sentence or two, not a page of HTML. */
const DETAIL_LENGTH_MAX = 300

/** The provider may repeat what it was sent: keys, signatures and e-mail addresses are removed. */
export function redact(text: string, secrets: readonly string[] = []): string {
  // More than is kept, so that no key is cut before it is found; limited for time.
  let safe = text.slice(0, 10 * DETAIL_LENGTH_MAX)
  for (const secret of secrets) safe = safe.replaceAll(secret, '[key]')
  return (
    safe
      .replace(/(?:test|live)_[sp]k_[\w-]*/g, '[key]')
      .replace(/\b[0-9a-f]{64}\b/gi, '[signature]')
      // Only from the beginning of a word: otherwise the time would grow with the square of its length.
      .replace(/(?<![^\s"'<>()])[^\s"'<>()]+@[^\s"'<>()]+/g, '[e-mail]')
      // PostgreSQL refuses NUL, and a log line is one line.
      .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .slice(0, DETAIL_LENGTH_MAX)
  )
}
