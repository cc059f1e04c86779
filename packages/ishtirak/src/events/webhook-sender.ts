// Sends one event to the platform's address: signed as Standard Webhooks says (specification 1.0), to where
// we may call, once. Everything that happens becomes a plain result.
import { Webhook } from 'standardwebhooks'
import { type Clock, systemClock } from '../runtime/clock.js'
import { type Reach, sendRequest } from '../runtime/http-client.js'
import type { Tracing } from '../runtime/tracing.js'
import {
  type EventSender,
  noAnswer,
  type OutgoingMessage,
  SEND_MS,
  type SentEvent,
  tracedSender,
} from './event-sender.js'

export interface EventSenderOptions {
  readonly url: string
  /** `whsec_…`, each signs: the receiver may know the old or the new one. */
  readonly secrets: readonly string[]
  readonly reach: Reach
  /** By default the machine's own, which receivers compare with theirs, not the one the sandbox moves. */
  readonly clock?: Clock
  readonly timeoutMs?: number
  readonly tracing?: Tracing | undefined
}

/** Nothing in the answer is of use; a longer one is cut off, and its status counts. */
const ANSWER_BYTES_MAX = 65_536

export function createEventSender(options: EventSenderOptions): EventSender {
  const { url, reach, clock = systemClock(), timeoutMs = SEND_MS, tracing } = options
  const send = tracing?.send('platform')
  const signers = options.secrets.map((secret) => new Webhook(secret))
  const sendOnce = async ({ id, body }: OutgoingMessage): Promise<SentEvent> => {
    const signedAt = new Date(clock.now())
    const signatures = signers.map((signer) => signer.sign(id, signedAt, body))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    }
    const request = { url, method: 'POST' as const, headers, body, reach, timeoutMs, ...(send && { send }) }
    const outcome = await sendRequest({ ...request, maxBytes: ANSWER_BYTES_MAX })
    if (outcome.kind === 'timeout') return { kind: 'failure', detail: noAnswer(timeoutMs) }
    if (outcome.kind !== 'answer') return { kind: 'failure', detail: outcome.detail }
    const { status, body: answered } = outcome
    return { kind: 'answer', status, ...(answered && { body: answered }) }
  }
  return tracedSender({ url, send: sendOnce }, tracing)
}
