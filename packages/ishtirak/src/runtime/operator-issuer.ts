// OPERATOR_OIDC_…: the OpenID Connect issuer that knows the operators.
import type { IssuerSettings } from '../core/sign-in.js'
import { type Environment, isPrivateEnough, isSandbox } from './environment.js'
import { items } from './operator-keys.js'

const OF_THE_ISSUER = [
  'OPERATOR_OIDC_ISSUER',
  'OPERATOR_OIDC_CLIENT_ID',
  'OPERATOR_OIDC_CLIENT_SECRET',
  'OPERATOR_OIDC_ROLE_CLAIM',
] as const

/** Null: none is set. */
export function operatorIssuerOf(environment: Environment): IssuerSettings | null {
  const [url, clientId, secrets, roleClaim] = OF_THE_ISSUER.map((name) => environment[name])
  return url && clientId && secrets && roleClaim
    ? { url, clientId, clientSecrets: items(secrets), roleClaim }
    : null
}

/** Whether there is a way to sign in; the sandbox makes keys of its own. */
export function hasConsole(environment: Environment): boolean {
  return isSandbox(environment) || !!environment.OPERATOR_KEYS || operatorIssuerOf(environment) !== null
}

/** What is wrong together, as `contradictions` of the configuration has it. */
export function issuerContradictions(environment: Environment): readonly (readonly [boolean, string])[] {
  const lacking = OF_THE_ISSUER.filter((name) => !environment[name])
  const isBegun = lacking.length < OF_THE_ISSUER.length
  const { OPERATOR_OIDC_ISSUER: url = 'https://issuer.example' } = environment
  return [
    ...lacking.map(
      (name) => [isBegun, `${name} is missing: all four OPERATOR_OIDC_… are set, or none`] as const,
    ),
    [!isPrivateEnough(url), 'OPERATOR_OIDC_ISSUER must start with https:// unless it is on this machine'],
    [/[?#]/.test(url), 'OPERATOR_OIDC_ISSUER must have no query and no fragment'],
  ]
}
