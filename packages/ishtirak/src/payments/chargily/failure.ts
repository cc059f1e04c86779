// What a call that did not work means for money: tried again in vain (rejected), later (unavailable), or perhaps
// carried out after all (outcomeUnknown). In doubt it may have been: a second checkout is worse than a look.
import type { Instant } from '../../core/instant.js'
import { SECOND } from '../../core/instant.js'
import { type AnswerHeaders, type HttpOutcome, headerOf } from '../../runtime/http-client.js'
import type { ProviderFailure } from '../method.js'
import { redact } from './redact.js'
import type { JsonObject } from './values.js'
import { isObject, readAmount } from './values.js'

type Answer = Extract<HttpOutcome, { kind: 'answer' }>
type Unavailable = Extract<ProviderFailure, { kind: 'unavailable' }>

export interface FailureReading {
  readonly secrets: readonly string[]
  /** For a `Retry-After` that is a date, where the answer does not carry its own. */
  readonly now?: () => Instant
}

export function failureOfTransport(
  failed: Exclude<HttpOutcome, Answer>,
  { secrets }: FailureReading,
): ProviderFailure {
  if (failed.kind === 'timeout') {
    return unavailable('timeout', `no whole answer within ${failed.tookMs} ms`, { outcomeUnknown: true })
  }
  return unavailable('network', redact(failed.detail, secrets), { outcomeUnknown: !failed.neverSent })
}

/** For every answer that is not 2xx with JSON. `body` is the object in it, if there is one. */
export function failureOfAnswer(
  answer: Answer,
  body: JsonObject | null,
  reading: FailureReading,
): ProviderFailure {
  const { status } = answer
  const detail = `HTTP ${status}: ${sentenceOf(answer, body, reading)}`
  const retryAfterSeconds = readRetryAfter(answer.headers, reading.now)
  if (status === 429) return unavailable('rate_limited', detail, { outcomeUnknown: false, retryAfterSeconds })
  if (status >= 500) return unavailable('server_error', detail, { outcomeUnknown: true, retryAfterSeconds })
  if (status === 408) return unavailable('timeout', detail, { outcomeUnknown: true, retryAfterSeconds })
  // A 404 will be read as "no such checkout". A proxy's page must not say that of a payment.
  if (status === 404 && !speaksOfTheRecord(body))
    return unavailable('unreadable', detail, { outcomeUnknown: false })
  if (status >= 400) return { kind: 'rejected', status, detail, errors: readErrors(body?.errors, reading) }
  return unavailable('unreadable', detail, { outcomeUnknown: true })
}

/** An answer that looked well and does not say what it should. */
export function unreadable(detail: string): ProviderFailure {
  return unavailable('unreadable', detail, { outcomeUnknown: true })
}

function unavailable(
  reason: Unavailable['reason'],
  detail: string,
  how: { outcomeUnknown: boolean; retryAfterSeconds?: number | null },
): Unavailable {
  return {
    kind: 'unavailable',
    reason,
    outcomeUnknown: how.outcomeUnknown,
    retryAfterSeconds: how.retryAfterSeconds ?? null,
    detail,
  }
}

/** Laravel says "The route … could not be found." where the address is wrong, not the id. */
function speaksOfTheRecord(body: JsonObject | null): boolean {
  return body !== null && !(typeof body.message === 'string' && body.message.startsWith('The route '))
}

function sentenceOf(answer: Answer, body: JsonObject | null, { secrets }: FailureReading): string {
  if (typeof body?.message === 'string') return redact(body.message, secrets)
  const type = headerOf(answer.headers, 'content-type') ?? 'no content type'
  const size = answer.body === null ? 'too long' : `${answer.body.byteLength} bytes`
  return `no message (${redact(type, secrets)}, ${size})`
}

/** Field -> sentences, the shape of Laravel's 422. Twenty fields are more than a checkout has. */
function readErrors(value: unknown, { secrets }: FailureReading): Record<string, readonly string[]> {
  if (!isObject(value)) return {}
  const fields = Object.entries(value).slice(0, 20)
  return Object.fromEntries(
    fields.map(([field, sentences]) => [
      redact(field, secrets),
      (Array.isArray(sentences) ? sentences : [sentences])
        .filter((sentence) => typeof sentence === 'string')
        .slice(0, 5)
        .map((sentence) => redact(sentence, secrets)),
    ]),
  )
}

/** An hour: whatever a broken clock at the provider asks for, a payment is looked at before that. */
const LONGEST_WAIT_SECONDS = 3600

/** `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3), which is read against the answer's own `Date`. */
function readRetryAfter(headers: AnswerHeaders, now: FailureReading['now']): number | null {
  const text = headerOf(headers, 'retry-after')?.trim() ?? ''
  const seconds =
    readAmount(text) ?? secondsUntil(text, Date.parse(headerOf(headers, 'date') ?? '') || now?.())
  return seconds === null ? null : Math.min(Math.max(seconds, 0), LONGEST_WAIT_SECONDS)
}

function secondsUntil(httpDate: string, from: Instant | undefined): number | null {
  // Only the form in GMT: Date.parse would take nearly anything else for local time.
  if (!/^\w{3}, .* GMT$/.test(httpDate) || from === undefined) return null
  const until = Date.parse(httpDate)
  return Number.isNaN(until) ? null : Math.ceil((until - from) / SECOND)
}
