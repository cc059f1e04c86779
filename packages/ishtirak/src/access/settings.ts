// The variables of operators: OPERATOR_KEYS has the operators with role and key, OPERATOR_ROLES further roles
// besides the built-in ones, OPERATOR_OIDC_… the OpenID Connect issuer.
import { type CustomRoles, type OperatorKey, operatorIn, ROLES } from '../core/role.js'
import {
  type Contradiction,
  isPrivateEnough,
  listOf,
  refined,
  type SettingsContext,
  settingsOf,
  textSetting,
  type Variables,
  web,
} from '../runtime/environment.js'
import { describeSecrets, isTwice, items, type OldSecret } from '../runtime/old-secrets.js'
import type { IssuerSettings } from './claims.js'
import { readCustomRoles } from './custom-roles.js'

export interface AccessConfig {
  /** Empty: the operator API is switched off. */
  readonly operatorKeys: readonly OperatorKey[]
  readonly operatorRoles: CustomRoles
  /** Null: operators sign in only by key. */
  readonly operatorIssuer: IssuerSettings | null
}

const OF_THE_ISSUER = {
  OPERATOR_OIDC_ISSUER: web(),
  OPERATOR_OIDC_CLIENT_ID: textSetting('a text'),
  OPERATOR_OIDC_CLIENT_SECRET: refined('texts, separated by commas', (value) =>
    items(value).every((secret) => secret !== ''),
  ),
  OPERATOR_OIDC_ROLE_CLAIM: textSetting(
    'the name of a claim, such as groups or realm_access.roles',
    /^[\x21-\x7e]+$/,
  ),
}

export const accessSettings = settingsOf(
  {
    OPERATOR_KEYS: listOf(
      `entries name:role:key (roles: ${ROLES.join(', ')}, and those of OPERATOR_ROLES), the keys of at ` +
        `least 20 characters from A-Z a-z 0-9 . _ ~ + / -`,
      /[\w.@-]{1,64}:(?:[a-z][a-z0-9_-]{0,31}:)?[\w.~+/-]{20,}/,
    ),
    OPERATOR_ROLES: textSetting('roles such as night=payment.recheck+user.grant(7);till=cashier'),
    ...OF_THE_ISSUER,
  },
  {
    secretLists: ['OPERATOR_OIDC_CLIENT_SECRET'],
    oldSecrets: ({ OPERATOR_KEYS: list }) => oldKeysOf(readKeys(list)),
    contradictions: (given, { permissions }) => {
      const { roles, problems } = readCustomRoles(given.OPERATOR_ROLES, permissions)
      const operators = readKeys(given.OPERATOR_KEYS)
      const hasStrange = operators.some(({ name, role }) => operatorIn(roles, name, role) === null)
      return [
        ...problems.map((problem) => [true, problem] as const),
        [hasStrange, 'OPERATOR_KEYS names a role that is neither built in nor in OPERATOR_ROLES'],
        [isTwice(operators.map(({ key }) => key)), 'OPERATOR_KEYS names one key twice'],
        [hasTwoRoles(operators), 'OPERATOR_KEYS gives one name two roles'],
        ...issuerContradictions(given),
      ]
    },
    read: (values, { permissions }): AccessConfig => {
      const { roles } = readCustomRoles(values.OPERATOR_ROLES, permissions)
      return {
        operatorKeys: readKeys(values.OPERATOR_KEYS).map(({ name, role, key }) => ({
          ...(operatorIn(roles, name, role) ?? { name, role }),
          key,
        })),
        operatorRoles: roles,
        operatorIssuer: issuerOf(values),
      }
    },
  },
)

/** Whether anyone can sign in. The sandbox makes keys of its own. */
export function hasConsole(given: Variables, { isSandbox }: SettingsContext): boolean {
  return isSandbox || !!given.OPERATOR_KEYS || issuerOf(given) !== null
}

/** `name:role:key`, separated by commas. `name:key` is an owner. */
function readKeys(list: string | undefined): readonly OperatorKey[] {
  return items(list).map((entry) => {
    const [name = '', ...rest] = entry.split(':')
    const [key = '', role = 'owner'] = rest.reverse()
    return { name, role, key }
  })
}

/** The first key of each name is in use, later ones are old. */
function oldKeysOf(operators: readonly OperatorKey[]): readonly OldSecret[] {
  return [...new Set(operators.map(({ name }) => name))].flatMap((holder) => {
    const keys = operators.flatMap(({ name, key }) => (name === holder ? [key] : []))
    return describeSecrets('OPERATOR_KEYS', holder, keys).slice(1)
  })
}

/** A person signs in and approves by name, so a name must have one role. */
function hasTwoRoles(operators: readonly OperatorKey[]): boolean {
  const roles = new Map(operators.map(({ name, role }) => [name, role]))
  return operators.some(({ name, role }) => roles.get(name) !== role)
}

/** Null: no variable of an issuer is set. */
function issuerOf(given: Variables): IssuerSettings | null {
  const [url, clientId, secrets, roleClaim] = Object.keys(OF_THE_ISSUER).map((name) => given[name])
  return url && clientId && secrets && roleClaim
    ? { url, clientId, clientSecrets: items(secrets), roleClaim }
    : null
}

function issuerContradictions(given: Variables): readonly Contradiction[] {
  const all = Object.keys(OF_THE_ISSUER)
  const lacking = all.filter((name) => !given[name])
  const isBegun = lacking.length < all.length
  const { OPERATOR_OIDC_ISSUER: url = 'https://issuer.example' } = given
  return [
    ...lacking.map(
      (name) => [isBegun, `${name} is missing: all four OPERATOR_OIDC_… are set, or none`] as const,
    ),
    [!isPrivateEnough(url), 'OPERATOR_OIDC_ISSUER must start with https:// unless it is on this machine'],
    [/[?#]/.test(url), 'OPERATOR_OIDC_ISSUER must have no query and no fragment'],
  ]
}
