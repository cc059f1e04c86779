// Keys of machines and operators, from the configuration. A part without any key is switched off and answers 404, as if
// it were not there: it is never open.
import { BillingError, type ErrorCode } from '../core/error.js'
import { secretMatcher } from '../runtime/secret.js'
import { bearerToken } from './bearer.js'

export interface ApiKeys {
  /** The key's name. Throws the refusal of its kind of key, or `not_found` when no key is configured. */
  verify(authorizationHeader: string | undefined): string
}

/** The name goes into the audit trail. */
export interface OperatorKey {
  readonly name: string
  readonly key: string
}

export function createApiKeys(keys: readonly string[]): ApiKeys {
  return keyRing(
    keys.map((key) => ({ name: 'platform', key })),
    'unauthenticated',
  )
}

export function createOperatorKeys(operators: readonly OperatorKey[]): ApiKeys {
  return keyRing(operators, 'invalid_operator_key')
}

function keyRing(keys: readonly OperatorKey[], refusal: ErrorCode): ApiKeys {
  const known = keys.map(({ name, key }) => ({ name, matches: secretMatcher(key) }))
  return {
    verify: (header) => {
      if (known.length === 0) throw new BillingError('not_found')
      const given = bearerToken(header, refusal)
      // All are compared, whichever fits: the time must not tell which one, nor how many come before it.
      const [match] = known.filter(({ matches }) => matches(given))
      if (!match) throw new BillingError(refusal)
      return match.name
    },
  }
}
