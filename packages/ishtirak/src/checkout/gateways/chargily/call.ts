// One call to Chargily's API. It returns a JSON object or a failure, and logs one line. It never repeats a
// call, because only the payment shows whether that is safe. A failure is rejected, unavailable, or perhaps
// carried out (outcomeUnknown): a second checkout is worse than a lookup.
import { type Instant, SECOND } from '../../../core/instant.js'
import type { ProviderAnswer, ProviderFailure } from '../../../ledger/method.js'
import type { Clock } from '../../../runtime/clock.js'
import {
  type AnswerHeaders,
  type HttpOutcome,
  headerOf,
  type Send,
  sendRequest,
} from '../../../runtime/http-client.js'
import type { ChargilyAccount } from './account.js'
import { isObject, type JsonObject, parseJsonBytes, readAmount } from './report.js'

interface ProviderCall {
  readonly method: 'GET' | 'POST'
  /** The path below the base URL, with its query. */
  readonly path: string
  readonly body?: JsonObject
  readonly timeoutMs: number
}

export type CallProvider = (call: ProviderCall) => Promise<ProviderAnswer<JsonObject>>

/** The line has no key, body or header, so it may be logged. */
type ProviderLog = (line: Readonly<Record<string, unknown>>) => void

export interface CallDeps {
  /** How requests are sent; by default over the network. */
  readonly send?: Send
  readonly clock?: Clock
  readonly log?: ProviderLog
}

/** A page of 50 checkouts with their merchant blocks is about 100 kB; ten times that is a mistake. */
const LONGEST_ANSWER_BYTES = 1024 * 1024

export function createCallProvider(account: ChargilyAccount, deps: CallDeps): CallProvider {
  return async (call) => {
    const outcome = await sendRequest({
      url: `${account.baseUrl}${call.path}`,
      method: call.method,
      headers: {
        // Otherwise Laravel may answer an error with a page or a redirect.
        accept: 'application/json',
        authorization: `Bearer ${account.secretKey}`,
        ...(call.body && { 'content-type': 'application/json' }),
      },
      ...(call.body && { body: JSON.stringify(call.body) }),
      timeoutMs: call.timeoutMs,
      maxBytes: LONGEST_ANSWER_BYTES,
      ...(deps.send && { send: deps.send }),
    })
    const answer = judge(outcome, account, deps)
    deps.log?.(lineOf(call, outcome, answer))
    return answer
  }
}

function judge(
  outcome: HttpOutcome,
  account: ChargilyAccount,
  { clock }: CallDeps,
): ProviderAnswer<JsonObject> {
  const reading = { secrets: account.webhookKeys, ...(clock && { now: () => clock.now() }) }
  if (outcome.kind !== 'answer') return failureOfTransport(outcome, reading)
  const value = outcome.body === null ? undefined : parseJsonBytes(outcome.body)
  const body = isObject(value) ? value : null
  if (body !== null && outcome.status >= 200 && outcome.status < 300) return { ok: true, value: body }
  return failureOfAnswer(outcome, body, reading)
}

function lineOf(
  call: ProviderCall,
  outcome: HttpOutcome,
  answer: ProviderAnswer<JsonObject>,
): Record<string, unknown> {
  return {
    event: answer.ok ? 'provider_called' : 'provider_call_failed',
    method: call.method,
    path: call.path,
    status: outcome.kind === 'answer' ? outcome.status : null,
    took_ms: outcome.tookMs,
    ...(!answer.ok && { failure: answer.failure }),
  }
}

type Answer = Extract<HttpOutcome, { kind: 'answer' }>
type Failed = Extract<ProviderAnswer<never>, { ok: false }>
type Unavailable = Extract<ProviderFailure, { kind: 'unavailable' }>

interface FailureReading {
  readonly secrets: readonly string[]
  /** Needed for a `Retry-After` with a date, if the answer has no `Date` of its own. */
  readonly now?: () => Instant
}

function failureOfTransport(failed: Exclude<HttpOutcome, Answer>, { secrets }: FailureReading): Failed {
  if (failed.kind === 'timeout')
    return unavailable('timeout', `no whole answer within ${failed.tookMs} ms`, { outcomeUnknown: true })
  return unavailable('network', redact(failed.detail, secrets), { outcomeUnknown: !failed.neverSent })
}

/** For every answer other than 2xx with JSON. `body` is its object, if it has one. */
function failureOfAnswer(answer: Answer, body: JsonObject | null, reading: FailureReading): Failed {
  const { status } = answer
  const detail = `HTTP ${status}: ${sentenceOf(answer, body, reading)}`
  const retryAfterSeconds = readRetryAfter(answer.headers, reading.now)
  if (status === 429) return unavailable('rate_limited', detail, { outcomeUnknown: false, retryAfterSeconds })
  if (status >= 500) return unavailable('server_error', detail, { outcomeUnknown: true, retryAfterSeconds })
  if (status === 408) return unavailable('timeout', detail, { outcomeUnknown: true, retryAfterSeconds })
  // A 404 means "no such checkout". A proxy's page must not say that of a payment.
  if (status === 404 && !speaksOfTheRecord(body))
    return unavailable('unreadable', detail, { outcomeUnknown: false })
  return status >= 400 ? rejected(status, detail) : unreadable(detail)
}

export function rejected(status: number, detail: string): Failed {
  return { ok: false, failure: { kind: 'rejected', status, detail } }
}

/** An answer with a good status but unexpected content. */
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
function speaksOfTheRecord(body: JsonObject | null): boolean {
  return body !== null && !(typeof body.message === 'string' && body.message.startsWith('The route '))
}

function sentenceOf(answer: Answer, body: JsonObject | null, { secrets }: FailureReading): string {
  if (typeof body?.message === 'string') return redact(body.message, secrets)
  const type = headerOf(answer.headers, 'content-type') ?? 'no content type'
  const size = answer.body === null ? 'too long' : `${answer.body.byteLength} bytes`
  return `no message (${redact(type, secrets)}, ${size})`
}

/** An hour: whatever a broken clock of the provider asks for, a payment is looked up before that. */
const LONGEST_WAIT_SECONDS = 3600

/** `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3), read against the answer's `Date`. */
function readRetryAfter(headers: AnswerHeaders, now: FailureReading['now']): number | null {
  const text = headerOf(headers, 'retry-after')?.trim() ?? ''
  const seconds =
    readAmount(text) ?? secondsUntil(text, Date.parse(headerOf(headers, 'date') ?? '') || now?.())
  return seconds === null ? null : Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS)
}

function secondsUntil(httpDate: string, from: Instant | undefined): number | null {
  // Only dates in GMT: Date.parse would read nearly anything else as local time.
  if (!/^\w{3}, .* GMT$/.test(httpDate) || from === undefined) return null
  const until = Date.parse(httpDate)
  return Number.isNaN(until) ? null : Math.ceil((until - from) / SECOND)
}

/** 300 characters: a sentence or two, not a page of HTML. */
const LONGEST = 300

/** The provider may repeat what it was sent: keys, signatures and e-mail addresses are removed. */
export function redact(text: string, secrets: readonly string[] = []): string {
  // More than is kept, so that no key is cut before it is found; limited for time.
  let safe = text.slice(0, 10 * LONGEST)
  for (const secret of secrets) safe = safe.replaceAll(secret, '[key]')
  return (
    safe
      .replace(/(?:test|live)_[sp]k_[\w-]*/g, '[key]')
      .replace(/\b[0-9a-f]{64}\b/gi, '[signature]')
      // Only from the beginning of a word: otherwise the time would grow with the square of its length.
      .replace(/(?<![^\s"'<>()])[^\s"'<>()]+@[^\s"'<>()]+/g, '[e-mail]')
      // PostgreSQL refuses NUL, and a log line is one line.
      .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .slice(0, LONGEST)
  )
}
