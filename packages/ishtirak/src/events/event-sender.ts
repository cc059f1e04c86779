// The way an event goes out: to the platform's address, or to a function of the host.
import type { Tracing } from '../runtime/tracing.js'

export interface EventSender {
  /** Where to, as it is stored: another one gets all that this one has not confirmed. */
  readonly url: string
  /** `id` is the same at every attempt: what the receiver recognises a repetition by. Never rejects. */
  send(message: OutgoingMessage): Promise<SentEvent>
}

export interface OutgoingMessage {
  readonly id: string
  readonly body: string
  /** What it is a part of, where traces are collected. */
  readonly traceparent?: string
}

/**
 * `answer`: complete, whatever it said; `body` where there was one that was short. `failure`: not; whether it
 * arrived is unknown.
 */
export type SentEvent =
  | { readonly kind: 'answer'; readonly status: number; readonly body?: Uint8Array }
  | { readonly kind: 'failure'; readonly detail: string }

/** Standard Webhooks recommends 15 to 30 seconds; the lane is busy as long. */
export const SEND_MS = 15_000

export function noAnswer(withinMs: number): string {
  return `no answer within ${withinMs} ms`
}

export function tracedSender(sender: EventSender, tracing: Tracing | undefined): EventSender {
  if (!tracing) return sender
  const send: EventSender['send'] = (message) =>
    tracing.span('event delivery', message.traceparent ?? null, () => sender.send(message))
  return { ...sender, send }
}
