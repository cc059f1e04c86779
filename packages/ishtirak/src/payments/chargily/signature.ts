// Whether Chargily sent these bytes: HMAC-SHA256 of the raw body, keyed with the API secret key, as bare hex
// (Chargily docs, webhooks). No timestamp is signed, so this says who, never when: replay is the event id's affair.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

export type VerifySignature = (body: Uint8Array, signature: string | undefined) => boolean

/** Several keys, because events under way during a rotation are signed with the old one. */
export function signatureVerifier(keys: readonly string[]): VerifySignature {
  const secrets = keys.map((key) => createSecretKey(key, 'utf8'))
  return (body, signature) => {
    // Not trusting the types: the values come from the network.
    if (!ArrayBuffer.isView(body) || typeof signature !== 'string') return false
    if (!/^[0-9a-f]{64}$/i.test(signature)) return false
    const given = Buffer.from(signature, 'hex')
    let verified = false
    // Every key is tried, found or not: the time does not show which one is in use.
    for (const secret of secrets) {
      const expected = createHmac('sha256', secret).update(body).digest()
      verified = timingSafeEqual(expected, given) || verified
    }
    return verified
  }
}
