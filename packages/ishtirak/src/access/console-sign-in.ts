// The console's sign-in, for its frame.
import type { BillingError } from '../core/error.js'
import { ROLES } from '../core/role.js'
import type { SayConsole } from '../i18n/console.js'
import type { ConsoleSignIn } from '../pages/console-frame.js'
import { type Issuer, isSignInLack } from './issuer.js'
import { findOperatorSession, OPERATOR_SESSION_MS, type SessionsDeps, signOut } from './sessions.js'
import { signInPath } from './sign-in.route.js'

export function consoleSignIn(
  deps: Omit<SessionsDeps, 'issuer'> & { readonly issuer: Issuer | null },
): ConsoleSignIn {
  return {
    find: (token) => findOperatorSession(deps, token),
    end: async (token) => {
      const session = await findOperatorSession(deps, token)
      if (session) await signOut(deps, session)
    },
    lastsMs: OPERATOR_SESSION_MS,
    pathFor: (base, url) => signInPath({ base }, url),
    refusalText: (error, say) => signInRefusal(deps, error, say),
  }
}

/** Null: the error is not about a sign-in. */
function signInRefusal(
  { issuer, operatorRoles }: Pick<SessionsDeps, 'operatorRoles'> & { readonly issuer: Issuer | null },
  { code, extra }: BillingError,
  say: SayConsole,
): string | null {
  const host = issuer?.host ?? ''
  if (code === 'authentication_unavailable') return say('issuerUnavailable', { issuer: host })
  if (code !== 'sign_in_refused' || !isSignInLack(extra.reason)) return null
  return say(`refused_${extra.reason}`, {
    issuer: host,
    claim: String(extra.claim),
    roles: [...ROLES, ...Object.keys(operatorRoles)].join(', '),
  })
}
