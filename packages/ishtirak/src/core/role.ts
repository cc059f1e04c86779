// What operators may do: acts and readings say which built-in roles have them, OPERATOR_ROLES puts together
// others. Without a word of it every role may read.
import { BillingError } from './error.js'
import type { Instant } from './instant.js'

export const ROLES = ['viewer', 'support', 'cashier', 'accountant', 'owner'] as const
/** Built in. */
export type Role = (typeof ROLES)[number]

export function isRole(value: string): value is Role {
  return ROLES.some((role) => role === value)
}

/** What a role may, by the names of permissions: how much at most; null: no bound of its own. */
export type Powers = Readonly<Record<string, number | null>>

/** Roles of OPERATOR_ROLES, by their names. */
export type CustomRoles = Readonly<Record<string, Powers>>

export interface Operator {
  /** From the key, the sign-in or the command line; stands in the audit trail. */
  readonly name: string
  /** Built in, or of OPERATOR_ROLES. */
  readonly role: string
  /** Of a role of OPERATOR_ROLES; absent: it is built in. */
  readonly may?: Powers
}

/** Null: there is no such role. */
export function operatorIn(roles: CustomRoles, name: string, role: string): Operator | null {
  if (isRole(role)) return { name, role }
  const may = Object.hasOwn(roles, role) ? roles[role] : undefined
  return may ? { name, role, may } : null
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

/** Something that not every role may do; `name`: as refusals name it. */
export interface Permission {
  readonly name: string
  /** Built in, beside `owner`. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
  /** Where a role may only so much. */
  readonly bound?: Bound
  /** Who has it could make an owner of anyone: no role of OPERATOR_ROLES has it. */
  readonly ownersAlone?: true
}

interface Bound {
  /** Of a role that has no other. */
  readonly most: number
  /** The member of what is asked for that it bounds; absent: what is acted on has the amount. */
  readonly of?: string
  /** An operator who also has this permission is not limited. */
  readonly beyond: Permission
}

/** In the order of `ROLES`. */
export function rolesThatMay({ roles }: Permission): readonly Role[] {
  const named: readonly Role[] = roles
  return ROLES.filter((role) => role === 'owner' || named.includes(role))
}

export function mayDo({ role, may }: Operator, act: Permission): boolean {
  return may ? Object.hasOwn(may, act.name) : rolesThatMay(act).some((one) => one === role)
}

/** Of those who may at all, how much; null: any amount. */
export function mostOf(operator: Operator, { name, bound }: Permission): number | null {
  if (!bound || mayDo(operator, bound.beyond)) return null
  return operator.may?.[name] ?? bound.most
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

/** An operator's name from an issuer begins with it. The name of a key has no colon. */
export const ISSUED = 'oidc:'

/**
 * Whether two names of the audit trail may be one person, however a key spells it, whatever a subject's
 * e-mail is now. Who holds a key and who an issuer names may always be the same.
 */
export function maybeOnePerson(one: string, other: string): boolean {
  const isNamed = [one, other].filter((name) => name.startsWith(ISSUED)).length
  return isNamed === 1 || subjectOf(one) === subjectOf(other)
}

function subjectOf(name: string): string {
  const [subject = ''] = name.toLowerCase().split(' ')
  return subject
}
