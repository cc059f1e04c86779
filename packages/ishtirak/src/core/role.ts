// What operators may do. Each act and protected reading lists the built-in roles that may do it;
// OPERATOR_ROLES defines other roles. Every role may do the readings that list nothing.
import { BillingError } from './error.js'
import type { Instant } from './instant.js'

export const ROLES = ['viewer', 'support', 'cashier', 'accountant', 'owner'] as const
export type Role = (typeof ROLES)[number]

export function isRole(value: string): value is Role {
  return ROLES.some((role) => role === value)
}

/** The permissions of a role by name, each with the most it allows; null: no limit of its own. */
export type Powers = Readonly<Record<string, number | null>>

export type CustomRoles = Readonly<Record<string, Powers>>

export interface Operator {
  /** From the key, the sign-in or the command line. The audit trail stores it. */
  readonly name: string
  /** Built in, or one of OPERATOR_ROLES. */
  readonly role: string
  /** The permissions of a role of OPERATOR_ROLES; absent: the role is built in. */
  readonly may?: Powers
}

export function operatorIn(roles: CustomRoles, name: string, role: string): Operator | null {
  if (isRole(role)) return { name, role }
  const may = Object.hasOwn(roles, role) ? roles[role] : undefined
  return may ? { name, role, may } : null
}

export interface OperatorKey extends Operator {
  readonly key: string
}

export interface OperatorSession {
  readonly id: string
  readonly operator: Operator
  readonly signedInBy: 'key' | 'oidc'
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

/** Something that not every role may do. Refusals show `name`. */
export interface Permission {
  readonly name: string
  /** The built-in roles that have it besides `owner`. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
  /** The limit for roles that may do it only up to an amount. */
  readonly bound?: Bound
  /** An operator with it could make anyone an owner, so no role of OPERATOR_ROLES may have it. */
  readonly ownersAlone?: true
}

interface Bound {
  /** The most for a role that sets no other limit. */
  readonly most: number
  /** The field of the request that is limited; absent: the amount of the payment that is acted on. */
  readonly of?: string
  /** An operator who also has this permission is not limited. */
  readonly beyond: Permission
}

/** Sorted as `ROLES`. */
export function rolesThatMay({ roles }: Permission): readonly Role[] {
  const named: readonly Role[] = roles
  return ROLES.filter((role) => role === 'owner' || named.includes(role))
}

export function mayDo({ role, may }: Operator, act: Permission): boolean {
  return may ? Object.hasOwn(may, act.name) : rolesThatMay(act).some((one) => one === role)
}

/** The most that this operator may do; null: any amount. The operator has the permission. */
export function mostOf(operator: Operator, { name, bound }: Permission): number | null {
  if (!bound || mayDo(operator, bound.beyond)) return null
  return operator.may?.[name] ?? bound.most
}

/** Throws `role_not_allowed` with the act, the roles that may do it, and the members of `more`. */
export function requireRole(
  operator: Operator,
  act: Permission,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (mayDo(operator, act)) return
  const extra = { act: act.name, role: operator.role, roles: rolesThatMay(act), ...more }
  throw new BillingError('role_not_allowed', { extra })
}

/** The prefix of the names of operators who sign in by an issuer. Names of keys have no colon. */
export const ISSUER_PREFIX = 'oidc:'

/**
 * Whether two names of the audit trail may be the same person, whatever their spelling and whatever the
 * e-mail address is now. The holder of a key and a person of an issuer may always be the same.
 */
export function mayBeOnePerson(one: string, other: string): boolean {
  const isNamed = [one, other].filter((name) => name.startsWith(ISSUER_PREFIX)).length
  return isNamed === 1 || subjectOf(one) === subjectOf(other)
}

function subjectOf(name: string): string {
  const [subject = ''] = name.toLowerCase().split(' ')
  return subject
}
