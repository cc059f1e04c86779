// An operator as an OpenID Connect issuer describes them: the subject gives the name, one claim gives the
// role.
import { ISSUER_PREFIX } from '../core/role.js'

export interface IssuerSettings {
  readonly url: string
  readonly clientId: string
  /** The first one is sent. The others are tried if the issuer does not accept it. */
  readonly clientSecrets: readonly string[]
  /** The name of a claim, or a path such as `realm_access.roles`. */
  readonly roleClaim: string
}

export interface Claims {
  readonly sub: string
  readonly [claim: string]: unknown
}

export type RoleRefusal = 'no_role' | 'unknown_role' | 'several_roles'

/** `oidc:`, the subject and the verified e-mail: no key's name has a colon. Null: the claims give no name. */
export function operatorNameOf({ sub, email, email_verified: isVerified }: Claims): string | null {
  if (!/^[\x21-\x7e]{1,255}$/.test(sub)) return null
  const isShown = isVerified === true && typeof email === 'string' && /^[\x21-\x7e]{3,254}$/.test(email)
  return isShown ? `${ISSUER_PREFIX}${sub} ${email}` : `${ISSUER_PREFIX}${sub}`
}

/** The claim is a text or a list of texts. Exactly one of them must be a role; others are ignored. */
export function roleOf(
  claims: Claims,
  roleClaim: string,
  isRole: (text: string) => boolean,
): { readonly role: string } | RoleRefusal {
  const value = claimAt(claims, roleClaim)
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
  if (texts.length === 0) return 'no_role'
  const [role, second] = [...new Set(texts)].filter(isRole)
  if (role === undefined) return 'unknown_role'
  return second === undefined ? { role } : 'several_roles'
}

/** The claim with this name, which may contain points; else the value at this path. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path.split('.').reduce<unknown>((value, name) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    return isObject ? Reflect.get(value, name) : undefined
  }, claims)
}
