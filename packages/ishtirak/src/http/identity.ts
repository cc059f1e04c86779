// What a verified token says of its user. The id must be usable as it is, or the token is refused; the rest is a courtesy
// of the platform and is dropped where it makes no sense.
import type { JWTPayload } from 'jose'
import { BillingError } from '../core/error.js'
import { type Locale, localeOf } from '../core/locale.js'
import { isUserId } from '../core/user-id.js'

export interface UserIdentity {
  /** The platform's own id of the user, as `domain/user-id.ts` allows. */
  readonly userId: string
  readonly email?: string
  readonly name?: string
  readonly locale?: Locale
}

/** RFC 5321, section 4.5.3.1.3. */
const LONGEST_EMAIL = 254
const LONGEST_NAME = 200

export function readIdentity(payload: JWTPayload): UserIdentity {
  const userId: unknown = payload.sub
  if (!isUserId(userId)) throw new BillingError('unauthenticated')
  const { email, name, locale } = payload
  const spoken = typeof locale === 'string' ? localeOf(locale) : undefined
  return {
    userId,
    ...(isLine(email, LONGEST_EMAIL) && /^[^\s@]+@[^\s@]+$/.test(email) ? { email } : {}),
    ...(isLine(name, LONGEST_NAME) ? { name } : {}),
    ...(spoken ? { locale: spoken } : {}),
  }
}

/** Text on one line that the database can hold: no control character, no half of a surrogate pair. */
export function isLine(value: unknown, longest: number): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= longest &&
    !/[\p{Cc}\p{Surrogate}]/u.test(value)
  )
}
