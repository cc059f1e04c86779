// Sends one event to the platform: signed as Standard Webhooks says (specification 1.0), to an address that
// we may call, once. Everything that happens becomes a plain result.
import { Webhook } from 'standardwebhooks'
import { type Clock, systemClock } from '../runtime/clock.js'
import { type Reach, sendRequest } from '../runtime/http-client.js'
import type { Tracing } from '../runtime/tracing.js'

export interface EventSender {
  readonly url: string
  /** `id` is the same at every attempt: what the receiver recognises a repetition by. Never rejects. */
  send(message: OutgoingMessage): Promise<SentEvent>
}

interface OutgoingMessage {
  readonly id: string
  readonly body: string
  /** What it is a part of, where traces are collected. */
  readonly traceparent?: string | null
}

/** `answer`: complete, whatever it said. `failure`: not; whether it arrived is unknown. */
export type SentEvent =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'failure'; readonly detail: string }

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

/** Standard Webhooks recommends 15 to 30 seconds; the lane is busy as long. */
const TIMEOUT_MS = 15_000
/** Nothing in the answer is of use; a longer one is cut off, and its status counts. */
const ANSWER_BYTES_MAX = 65_536

export function createEventSender(options: EventSenderOptions): EventSender {
  const { url, reach, clock = systemClock(), timeoutMs = TIMEOUT_MS, tracing } = options
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
    if (outcome.kind === 'answer') return { kind: 'answer', status: outcome.status }
    const detail = outcome.kind === 'timeout' ? `no answer within ${timeoutMs} ms` : outcome.detail
    return { kind: 'failure', detail }
  }
  if (!tracing) return { url, send: sendOnce }
  const traced = (message: OutgoingMessage) =>
    tracing.span('event delivery', message.traceparent ?? null, () => sendOnce(message))
  return { url, send: traced }
}
