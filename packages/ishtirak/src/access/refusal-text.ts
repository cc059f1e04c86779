// Why a sign-in was refused, in the words of the console.
import type { BillingError } from '../core/error.js'
import { ROLES } from '../core/role.js'
import type { SayConsole } from '../i18n/console.js'
import { type Issuer, isSignInLack } from './issuer.js'

/** Null: it was no sign-in. */
export function signInRefusal(
  issuer: Issuer | null,
  { code, extra }: BillingError,
  say: SayConsole,
): string | null {
  const host = issuer?.host ?? ''
  if (code === 'authentication_unavailable') return say('issuerUnavailable', { issuer: host })
  if (code !== 'sign_in_refused' || !isSignInLack(extra.reason)) return null
  return say(`refused_${extra.reason}`, {
    issuer: host,
    claim: String(extra.claim),
    roles: ROLES.join(', '),
  })
}
