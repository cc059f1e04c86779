// Sends one event once, signed (Standard Webhooks 1.0) to the address or to the function of a host.
import { inspect } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { plainText } from '../acts/cli-tables.js'
import type { HostEvent } from '../core/event.js'
import { type Clock, systemClock } from '../runtime/clock.js'
import { type Reach, sendRequest } from '../runtime/http-client.js'
import type { Log } from '../runtime/log.js'
import type { Tracing } from '../runtime/tracing.js'

export interface EventSender {
  /** The address as it is stored. If it changes, the new one gets all that the old one has not confirmed. */
  readonly url: string
  /** A receiver recognises a repetition by `id`, which is the same at every attempt. Never rejects. */
  send(event: { readonly id: string; readonly body: string }): Promise<SentEvent>
}

/** `answer`: complete, whatever its status. `failure`: it is unknown whether the event arrived. */
type SentEvent =
  | { readonly kind: 'answer'; readonly status: number; readonly body?: Uint8Array }
  | { readonly kind: 'failure'; readonly detail: string }

export const isAccepted = (sent: SentEvent): boolean =>
  sent.kind === 'answer' && sent.status >= 200 && sent.status < 300

/** Standard Webhooks recommends 15 to 30 seconds. The user's other events wait as long. */
export const SEND_MS = 15_000

export interface EventSenderOptions {
  readonly url: string
  /** `whsec_…`. Each of them signs: a receiver may know the old or the new one. */
  readonly secrets: readonly string[]
  readonly reach: Reach
  /** Default: the machine's clock, which receivers compare with theirs, and not the one the sandbox moves. */
  readonly clock?: Clock
  readonly timeoutMs?: number
  readonly tracing?: Tracing | undefined
}

/** A longer answer is cut off. Only its status is needed. */
const ANSWER_BYTES_MAX = 65_536

export function createEventSender(options: EventSenderOptions): EventSender {
  const { url, reach, clock = systemClock(), timeoutMs = SEND_MS, tracing } = options
  const send = tracing?.send('platform')
  const signers = options.secrets.map((secret) => new Webhook(secret))
  return {
    url,
    send: async ({ id, body }) => {
      const signedAt = new Date(clock.now())
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(id, signedAt, body)).join(' '),
      }
      const request = { url, method: 'POST' as const, headers, body, reach, timeoutMs, ...(send && { send }) }
      const outcome = await sendRequest({ ...request, maxBytes: ANSWER_BYTES_MAX })
      if (outcome.kind === 'timeout') return noAnswer(timeoutMs)
      if (outcome.kind !== 'answer') return { kind: 'failure', detail: outcome.detail }
      const { status, body: answered } = outcome
      return { kind: 'answer', status, ...(answered && { body: answered }) }
    },
  }
}

/** If it throws or rejects, or takes more than 15 s, the event comes again. */
export type OnEvent = (event: HostEvent) => unknown

/** The address that is stored for the function of a host. */
export const ON_EVENT = 'onEvent'

/** Characters of an error that operators see. */
const DETAIL_LENGTH_MAX = 200

export function createHostSender(onEvent: OnEvent, { log }: { readonly log: Log }): EventSender {
  return {
    url: ON_EVENT,
    send: async ({ id, body }) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<SentEvent>((resolve) => {
        timer = setTimeout(() => resolve(noAnswer(SEND_MS)), SEND_MS)
      })
      const handle = async (): Promise<SentEvent> => {
        await onEvent({ id, ...JSON.parse(body) })
        return { kind: 'answer', status: 200 }
      }
      try {
        return await Promise.race([handle(), late])
      } catch (error) {
        log.error({ err: error, event_id: id }, 'onEvent failed: the event will be sent again')
        // The database cannot store some control characters, which `plainText` replaces.
        const text = plainText(error instanceof Error ? String(error) : inspect(error))
        return { kind: 'failure', detail: `onEvent: ${text}`.slice(0, DETAIL_LENGTH_MAX) }
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const noAnswer = (withinMs: number): SentEvent => ({
  kind: 'failure',
  detail: `no answer within ${withinMs} ms`,
})
