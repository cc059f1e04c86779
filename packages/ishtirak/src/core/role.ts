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

/** Something that not every role may do; `name`: as refusals name it. */
export interface Permission {
  readonly name: string
  /** Beside `owner`. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
}

/** In the order of `ROLES`. */
export function rolesThatMay({ roles }: Permission): readonly Role[] {
  const named: readonly Role[] = roles
  return ROLES.filter((role) => role === 'owner' || named.includes(role))
}

export function mayDo({ role }: Operator, act: Permission): boolean {
  return rolesThatMay(act).includes(role)
}

/** Throws `role_not_allowed`, which names the act and the roles that may, and what else is to be said. */
export function requireRole(
  operator: Operator,
  act: Permission,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (mayDo(operator, act)) return
  const extra = { act: act.name, role: operator.role, roles: rolesThatMay(act), ...more }
  throw new BillingError('role_not_allowed', { extra })
}
