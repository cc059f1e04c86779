// Reads `Authorization: Bearer …` (RFC 6750, section 2.1). It only takes the text apart; whether to believe it is decided
// by those who call it.
import { BillingError, type ErrorCode } from '../core/error.js'

/** No token of a sane issuer is longer, and a long one would cost us before it costs its sender. */
const LONGEST_TOKEN = 8 * 1024

/** The token as it was sent. Throws `refusal` for anything that is no bearer token. */
export function bearerToken(header: string | undefined, refusal: ErrorCode = 'unauthenticated'): string {
  if (header === undefined || header.length > LONGEST_TOKEN) throw new BillingError(refusal)
  const [, token] = /^bearer +([\w.~+/-]+=*)$/i.exec(header) ?? []
  if (token === undefined) throw new BillingError(refusal)
  return token
}
