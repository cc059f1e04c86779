// One call to Chargily's API: the key goes in, a JSON object or a failure comes out, one line is logged.
// It never repeats a call: whether that is safe is known only to the one who keeps the payment.
import type { Clock } from '../../runtime/clock.js'
import { type HttpOutcome, type Send, sendRequest } from '../../runtime/http-client.js'
import type { ProviderAnswer } from '../method.js'
import type { ChargilyAccount } from './account.js'
import { failureOfAnswer, failureOfTransport } from './failure.js'
import type { JsonObject } from './values.js'
import { isObject, parseJson } from './values.js'

interface ProviderCall {
  readonly method: 'GET' | 'POST'
  /** Below the base URL, with its query. */
  readonly path: string
  readonly body?: JsonObject
  readonly timeoutMs: number
}

export type CallProvider = (call: ProviderCall) => Promise<ProviderAnswer<JsonObject>>

/** Safe to write anywhere: no key, no body, no header. */
type ProviderLog = (line: Readonly<Record<string, unknown>>) => void

export interface CallDeps {
  /** How requests go out; the network by default. */
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
        // Without it Laravel may answer a mistake with a page or a redirect.
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
  if (outcome.kind !== 'answer') return { ok: false, failure: failureOfTransport(outcome, reading) }
  const value = outcome.body === null ? undefined : parseJson(outcome.body)
  const body = isObject(value) ? value : null
  if (body !== null && outcome.status >= 200 && outcome.status < 300) return { ok: true, value: body }
  return { ok: false, failure: failureOfAnswer(outcome, body, reading) }
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
