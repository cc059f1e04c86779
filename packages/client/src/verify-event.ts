// Verifies events by Standard Webhooks (standardwebhooks.com, specification 1.0): the signature covers id,
// time and body, and several may be valid at once while secrets are rotated. An invalid event is never
// parsed.
import type { EventCauses, EventData, EventType } from './api.js'

/** Discriminated by `type`. Clients must ignore types that they do not know: there will be more. */
export type BillingEvent = {
  [Type in EventType]: {
    /** The `webhook-id`, the same when an event is delivered again. */
    readonly id: string
    readonly type: Type
    readonly timestamp: string
    readonly data: EventData & Required<Pick<EventData, EventCauses[Type]>>
  }
}[EventType]

/** Signed with none of the secrets, or too old or too new. Answer 401 and do nothing else. */
export class InvalidEventError extends Error {
  override readonly name = 'InvalidEventError'
}

export type EventHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** The specification's own tolerance, for clocks that differ and against replays. */
const TOLERANCE_SECONDS = 300

/**
 * Returns the event, or throws `InvalidEventError`. `body` is the raw body, byte for byte; `secrets` are
 * `whsec_…`, both the old and the new one while rotating. A malformed secret throws `TypeError`.
 */
export async function verifyEvent(
  body: string | Uint8Array,
  headers: EventHeaders,
  secrets: string | readonly string[],
  { now = Date.now }: { readonly now?: () => number } = {},
): Promise<BillingEvent> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (!/^\d{1,12}$/.test(timestamp)) throw new InvalidEventError('the timestamp is not a number of seconds')
  if (Math.abs(now() / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new InvalidEventError('the timestamp is too far from now')
  }
  const payload = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signatures = headerOf(headers, 'webhook-signature').split(' ').flatMap(readSignature)
  const signed = joinSigned(id, timestamp, body)
  for (const secret of [secrets].flat()) {
    // Computed once, however many signatures an attacker sends.
    const expected = new Uint8Array(await crypto.subtle.sign('HMAC', await importSecret(secret), signed))
    if (signatures.some((signature) => isEqual(signature, expected))) return readEvent(payload, id)
  }
  throw new InvalidEventError('no signature matches')
}

function readEvent(payload: string, id: string): BillingEvent {
  // Trusted, because billing signed it.
  return { ...JSON.parse(payload), id } as BillingEvent
}

function headerOf(headers: EventHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new InvalidEventError(`${name} is missing`)
  return value
}

/** `v1,<base64>`; other versions are ignored. */
function readSignature(text: string): Uint8Array<ArrayBuffer>[] {
  const [version, encoded = ''] = text.split(',')
  if (version !== 'v1' || !/^[A-Za-z0-9+/]{43}=$/.test(encoded)) return []
  return [fromBase64(encoded)]
}

/** Constant time for texts of equal length. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.reduce((differing, byte, at) => differing | (byte ^ (other[at] ?? 0)), 0) === 0
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
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign'])
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  // In a program without a compiler, an unset variable may be passed.
  const encoded = typeof secret === 'string' ? secret.replace(/^whsec_/, '') : ''
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded) || encoded === '')
    throw new TypeError('a secret is whsec_ followed by base64')
  return fromBase64(encoded)
}

/** Throws `TypeError` if one is malformed or there is none. */
export function checkSecrets(secrets: string | readonly string[]): void {
  const all = [secrets].flat()
  if (all.length === 0) throw new TypeError('secrets is empty')
  for (const secret of all) bytesOf(secret)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
