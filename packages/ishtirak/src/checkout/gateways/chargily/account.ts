// The account at Chargily: its keys, mode and address, and the signatures made with its keys.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { withoutSlash } from '../../../runtime/http-client.js'

export interface AccountSettings {
  readonly secretKey: string
  readonly webhookKeys?: readonly string[]
  readonly apiUrl?: string
}

export const CHARGILY_URL = 'https://pay.chargily.net'

/** Live keys begin like this (Chargily API reference, authentication). */
export function isLiveKey(key: string): boolean {
  return key.startsWith('live_sk_')
}

/** The address of the API in the mode of the key, without a slash at its end. */
export function apiAddressOf({ secretKey, apiUrl = CHARGILY_URL }: AccountSettings): string {
  const { origin, pathname } = new URL(apiUrl)
  const path = withoutSlash(pathname)
  if (path.endsWith('/api/v2')) return `${origin}${path}`
  return `${origin}${path}${isLiveKey(secretKey) ? '' : '/test'}/api/v2`
}

/**
 * HMAC-SHA256 of the raw body, keyed with the secret key, as hex (Chargily docs, webhooks). There is no
 * signed timestamp, so the event's id detects a replay. During a rotation events are signed with the old key.
 */
export function signatureVerifier(
  keys: readonly string[],
  noteKey: (key: string) => void = () => undefined,
): (body: Uint8Array, signature: string | undefined) => boolean {
  const secrets = keys.map((key) => ({ key, secret: createSecretKey(key, 'utf8') }))
  return (body, signature) => {
    // Types are checked at run time, because the values come from the network.
    if (!ArrayBuffer.isView(body) || typeof signature !== 'string') return false
    if (!/^[0-9a-f]{64}$/i.test(signature)) return false
    const given = Buffer.from(signature, 'hex')
    let verifiedBy: string | undefined
    // Every key is tried, so that the time does not show which one matches.
    for (const { key, secret } of secrets) {
      const expected = createHmac('sha256', secret).update(body).digest()
      if (timingSafeEqual(expected, given)) verifiedBy = key
    }
    if (verifiedBy !== undefined) noteKey(verifiedBy)
    return verifiedBy !== undefined
  }
}
