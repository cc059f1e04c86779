// Sends one event to the platform: signed as Standard Webhooks says (specification 1.0), to an address that we may call,
// once. It follows no redirect, reads little of the answer, and makes of everything that happens a plain result.
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Clock } from '../runtime/clock.js'
import { systemClock } from '../runtime/clock.js'
import { isWithinReach, lookupWithin, type Reach, refusal } from '../runtime/public-address.js'

export interface EventSender {
  readonly url: string
  /** `id` is the same at every attempt: what the receiver recognises a repetition by. Never rejects. */
  send(message: { readonly id: string; readonly body: string }): Promise<SentEvent>
}

/** `answer`: it was answered completely, whatever it said. `failure`: it was not; whether it arrived is unknown. */
export type SentEvent =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'failure'; readonly detail: string }

export interface EventSenderOptions {
  readonly url: string
  /** `whsec_…`, each signs: the receiver may know the old or the new one. */
  readonly secrets: readonly string[]
  readonly reach: Reach
  /** The machine's own by default: receivers compare it with theirs, also where the sandbox has moved billing's clock. */
  readonly clock?: Clock
  readonly timeoutMs?: number
}

/** Standard Webhooks recommends 15 to 30 seconds; the lane is held as long. */
const TIMEOUT_MS = 15_000
/** Nothing in the answer is of use; whoever sends more is cut off, and his status counts. */
const ANSWER_BYTES_MAX = 65_536

export function createEventSender(options: EventSenderOptions): EventSender {
  const { url, clock = systemClock() } = options
  const signers = options.secrets.map((secret) => new Webhook(secret))
  return {
    url,
    send: ({ id, body }) => {
      const signedAt = new Date(clock.now())
      const signatures = signers.map((signer) => signer.sign(id, signedAt, body))
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'ishtirak',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
        'webhook-signature': signatures.join(' '),
      }
      return post(options, headers, body)
    },
  }
}

function post(
  { url, reach, timeoutMs = TIMEOUT_MS }: EventSenderOptions,
  headers: RequestOptions['headers'] & object,
  body: string,
): Promise<SentEvent> {
  const target = new URL(url)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const failure = (detail: string): SentEvent => ({ kind: 'failure', detail })
  if (isIP(host) !== 0 && !isWithinReach(host, reach)) return Promise.resolve(failure(refusal(host).message))
  return new Promise((resolve) => {
    const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(
      target,
      // A connection of its own: one that was kept may lead to an address that was checked long ago.
      {
        method: 'POST',
        headers,
        agent: false,
        lookup: lookupWithin(reach),
        signal: AbortSignal.timeout(timeoutMs),
      },
      (answer) => readToItsEnd(answer, resolve),
    )
    request.on('error', (error) => resolve(failure(describe(error, timeoutMs))))
    request.end(body)
  })
}

function readToItsEnd(answer: IncomingMessage, resolve: (sent: SentEvent) => void): void {
  const status = answer.statusCode ?? 0
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= ANSWER_BYTES_MAX) return
    resolve({ kind: 'answer', status })
    answer.destroy()
  })
  answer.on('end', () => resolve({ kind: 'answer', status }))
  // A receiver that dies while answering may not have kept what it was told.
  answer.on('error', (error) =>
    resolve({ kind: 'failure', detail: `broke off its answer: ${error.message}` }),
  )
  answer.on('close', () => resolve({ kind: 'failure', detail: 'broke off its answer' }))
}

function describe(error: Error, timeoutMs: number): string {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `no answer within ${timeoutMs} ms`
  if (error instanceof AggregateError) return error.errors.map(String).join('; ')
  return error.message
}
