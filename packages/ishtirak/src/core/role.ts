// What the roles of operators may do: acts and readings say it. Without a word of it every role may read.
import { BillingError } from './error.js'
import { DAY, type Instant } from './instant.js'

export const ROLES = ['viewer', 'support', 'accountant', 'owner'] as const
export type Role = (typeof ROLES)[number]

export function isRole(value: string): value is Role {
  return ROLES.some((role) => role === value)
}

export interface Operator {
  /** From the key, the sign-in or the command line; stands in the audit trail. */
  readonly name: string
  readonly role: Role
}

export interface OperatorKey extends Operator {
  readonly key: string
}

/** Of an operator who signed in to the console. */
export interface OperatorSession {
  readonly id: string
  readonly operator: Operator
  readonly signedInBy: 'key' | 'oidc'
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

/** What all of support grant one user in any `SUPPORT_GRANT_SPAN`; more days are for an owner. */
export const SUPPORT_GRANT_DAYS_MAX = 30
export const SUPPORT_GRANT_SPAN = 30 * DAY

/** What is no object with roles of its own yet. */
const ALLOWED = {
  'payment.record': [],
} as const satisfies Readonly<Record<string, readonly Exclude<Role, 'owner'>[]>>

export type Act = keyof typeof ALLOWED

/** Something that not every role may do; `name`: as refusals name it. */
export interface Permission {
  readonly name: string
  /** Beside `owner`. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
}

/** In the order of `ROLES`. */
export function rolesThatMay(act: Act | Permission): readonly Role[] {
  const named: readonly Role[] = typeof act === 'string' ? ALLOWED[act] : act.roles
  return ROLES.filter((role) => role === 'owner' || named.includes(role))
}

export function mayDo({ role }: Operator, act: Act | Permission): boolean {
  return rolesThatMay(act).includes(role)
}

/** Throws `role_not_allowed`, which names the act and the roles that may, and what else is to be said. */
export function requireRole(
  operator: Operator,
  act: Act | Permission,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (mayDo(operator, act)) return
  const name = typeof act === 'string' ? act : act.name
  const extra = { act: name, role: operator.role, roles: rolesThatMay(act), ...more }
  throw new BillingError('role_not_allowed', { extra })
}
