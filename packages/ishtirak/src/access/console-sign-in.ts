// How operators come into the console, for its frame.
import type { ConsoleSignIn } from '../pages/console-frame.js'
import type { Issuer } from './issuer.js'
import { signInRefusal } from './refusal-text.js'
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
    refusalText: (error, say) => signInRefusal(deps.issuer, error, say),
  }
}
