// What the configuration says about the account at Chargily: which keys, which mode, which address, and
// whether Chargily signed a message with one of these keys. Refuses at start what would otherwise fail, or
// leak, at the first payment. No message repeats a key.
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

/** The configuration cannot be worked with; the message says what to change. */
export class ChargilySetupError extends Error {
  override readonly name = 'ChargilySetupError'
}

export interface AccountSettings {
  readonly secretKey: string
  readonly webhookKeys?: readonly string[]
  readonly apiUrl?: string
}

export function openAccount(settings: AccountSettings): ChargilyAccount {
  const live = isLiveKey(settings.secretKey, 'The Chargily secret key')
  const furtherKeys = settings.webhookKeys ?? []
  for (const key of furtherKeys) {
    // Test keys are not kept secret: with one of them accepted here, anyone could sign live payments.
    if (isLiveKey(key, 'A further webhook key of Chargily') !== live) {
      throw new ChargilySetupError(
        'The further webhook keys of Chargily must be of the mode of the secret key.',
      )
    }
  }
  return {
    live,
    secretKey: settings.secretKey,
    webhookKeys: [settings.secretKey, ...furtherKeys],
    baseUrl: baseUrlOf(settings.apiUrl ?? 'https://pay.chargily.net', live),
  }
}

/** Chargily API reference, authentication. An empty key would verify any signature. */
function isLiveKey(key: string, whose: string): boolean {
  const prefix = /^(test|live)_sk_[\x21-\x7e]+$/.exec(key)?.[1]
  if (prefix !== undefined) return prefix === 'live'
  const hint = /^(test|live)_pk_/.test(key) ? ' This is the public key; the secret one is wanted.' : ''
  throw new ChargilySetupError(`${whose} must begin with test_sk_ or live_sk_ and hold no spaces.${hint}`)
}

function baseUrlOf(apiUrl: string, live: boolean): string {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new ChargilySetupError(
      'The Chargily API address must be an http(s) URL without user, query or fragment.',
    )
  }
  if (live && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new ChargilySetupError('A live key is sent over https only, or to this very machine.')
  }
  const path = withoutSlash(url.pathname)
  if (path.endsWith('/api/v2')) return `${url.origin}${path}`
  return `${url.origin}${path}${live ? '' : '/test'}/api/v2`
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

export type VerifySignature = (body: Uint8Array, signature: string | undefined) => boolean

/**
 * HMAC-SHA256 of the raw body, keyed with the API secret key, as bare hex (Chargily docs, webhooks). No
 * timestamp is signed: a replay is recognised by the event's id. Several keys, because events under way
 * during a rotation are signed with the old one.
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
