// The account at Chargily: which keys, which mode, which address, and whether Chargily signed a message with
// one of these keys. What may be configured, settings.ts says.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { withoutSlash } from '../../../runtime/http-client.js'

export interface ChargilyAccount {
  readonly live: boolean
  readonly secretKey: string
  /** The secret key and further ones whose signatures are accepted. */
  readonly webhookKeys: readonly string[]
  /** Without a slash at its end. */
  readonly baseUrl: string
}

export interface AccountSettings {
  readonly secretKey: string
  readonly webhookKeys?: readonly string[]
  readonly apiUrl?: string
}

export function openAccount(settings: AccountSettings): ChargilyAccount {
  const { secretKey, webhookKeys = [], apiUrl = 'https://pay.chargily.net' } = settings
  const live = isLiveKey(secretKey)
  return {
    live,
    secretKey,
    webhookKeys: [secretKey, ...webhookKeys],
    baseUrl: baseUrlOf(new URL(apiUrl), live),
  }
}

/** Chargily API reference, authentication. */
export function isLiveKey(key: string): boolean {
  return key.startsWith('live_sk_')
}

function baseUrlOf({ origin, pathname }: URL, live: boolean): string {
  const path = withoutSlash(pathname)
  if (path.endsWith('/api/v2')) return `${origin}${path}`
  return `${origin}${path}${live ? '' : '/test'}/api/v2`
}

export type VerifySignature = (body: Uint8Array, signature: string | undefined) => boolean

/**
 * HMAC-SHA256 of the raw body, keyed with the secret key, as hex (Chargily docs, webhooks). No timestamp is
 * signed: an event's id tells a replay. During a rotation events are signed with the old key.
 */
export function signatureVerifier(
  keys: readonly string[],
  noteKey: (key: string) => void = () => undefined,
): VerifySignature {
  const secrets = keys.map((key) => ({ key, secret: createSecretKey(key, 'utf8') }))
  return (body, signature) => {
    // Not trusting the types: the values come from the network.
    if (!ArrayBuffer.isView(body) || typeof signature !== 'string') return false
    if (!/^[0-9a-f]{64}$/i.test(signature)) return false
    const given = Buffer.from(signature, 'hex')
    let verifiedBy: string | undefined
    // Every key is tried, found or not: the time does not show which one is in use.
    for (const { key, secret } of secrets) {
      const expected = createHmac('sha256', secret).update(body).digest()
      if (timingSafeEqual(expected, given)) verifiedBy = key
    }
    if (verifiedBy !== undefined) noteKey(verifiedBy)
    return verifiedBy !== undefined
  }
}
