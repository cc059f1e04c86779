// Is this request really an event of billing? Standard Webhooks (standardwebhooks.com, specification 1.0): the signature
// covers id, time and body; several may be valid at once while secrets are rotated. What is not genuine is never parsed.
import type { EventData, EventType } from './types.js'

type WithPayment = EventData & Required<Pick<EventData, 'payment'>>

/** One of the events, told apart by `type`. Clients ignore types that they do not know: there will be more. */
export type BillingEvent = {
  [Type in EventType]: {
    /** The `webhook-id`: an event that is delivered twice carries the same. */
    readonly id: string
    readonly type: Type
    readonly timestamp: string
    readonly data: Type extends `payment.${string}` ? WithPayment : EventData
  }
}[EventType]

/** Not signed with one of the secrets, or not now. Answer 401 and do nothing. */
export class EventNotGenuine extends Error {
  override readonly name = 'EventNotGenuine'
}

export type EventHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** What two machines' clocks may differ by: the specification's own tolerance. A replay is worth nothing later. */
const TOLERANCE_SECONDS = 300

/**
 * Gives the event, or throws `EventNotGenuine`. `body` is the raw body, byte for byte; `secrets` are `whsec_…`, the old
 * one beside the new while rotating.
 */
export async function verifyEvent(
  body: string | Uint8Array,
  headers: EventHeaders,
  secrets: string | readonly string[],
  { now = Date.now }: { readonly now?: () => number } = {},
): Promise<BillingEvent> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp)) throw new EventNotGenuine('the timestamp is no number of seconds')
  if (Math.abs(now() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new EventNotGenuine('the timestamp is too far from now')
  }
  const payload = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signatures = headerOf(headers, 'webhook-signature').split(' ').flatMap(readSignature)
  const signed = joinSigned(id, timestamp, body)
  for (const secret of [secrets].flat()) {
    const key = await importSecret(secret)
    for (const signature of signatures) {
      // Compared inside WebCrypto, in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return readEvent(payload, id)
    }
  }
  throw new EventNotGenuine('no signature fits')
}

function readEvent(payload: string, id: string): BillingEvent {
  // Signed by billing, which writes nothing else; the types are those of its own event.
  return { ...JSON.parse(payload), id } as BillingEvent
}

function headerOf(headers: EventHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new EventNotGenuine(`${name} is missing`)
  return value
}

/** `v1,<base64>`; other versions are somebody else's business. */
function readSignature(text: string): Uint8Array<ArrayBuffer>[] {
  const [version, encoded = ''] = text.split(',')
  if (version !== 'v1' || !/^[A-Za-z0-9+/]{43}=$/.test(encoded)) return []
  return [fromBase64(encoded)]
}

function joinSigned(id: string, timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const head = encoder.encode(`${id}.${timestamp}.`)
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)
  return signed
}

function importSecret(secret: string): Promise<CryptoKey> {
  const encoded = secret.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw new TypeError('a secret is whsec_ and base64')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', fromBase64(encoded), algorithm, false, ['verify'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
