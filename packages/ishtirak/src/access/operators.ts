// Operators that an owner made, besides those of the environment and the issuer: how a key identifies them,
// and how they are made and changed. There is always an owner left.
import { auditEntry, type OperatorAct } from '../acts/audit.sql.js'
import { BillingError, wrongField } from '../core/error.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import { type Operator, operatorIn, ROLES } from '../core/role.js'
import { digestOf, randomToken } from '../runtime/secret.js'
import { type MadeOperator, madeOperators, operatorWithKey, updateOperator } from './operators.sql.js'
import type { AccessDeps } from './sessions.js'

type OperatorsDeps = Pick<AccessDeps, 'database' | 'operatorKeys' | 'operatorRoles'>

const KEY = /^opk_[\w-]{43}$/

export const newKey = () => `opk_${randomToken(32)}`

/** Asks the database each time, so that every process refuses a blocked operator at once. */
export function operatorsByKey(deps: OperatorsDeps) {
  return async (key: string): Promise<Operator | null> => {
    if (!KEY.test(key)) return null
    const found = await operatorWithKey(deps.database, digestOf(key))
    // If the environment has the name by now, the environment decides.
    if (!found || isOfEnvironment(deps, found.name)) return null
    return operatorIn(deps.operatorRoles, found.name, found.role)
  }
}

function isOfEnvironment(deps: OperatorsDeps, name: string): boolean {
  return environmentNames(deps).includes(name.toLowerCase())
}

function environmentNames({ operatorKeys }: OperatorsDeps): readonly string[] {
  return operatorKeys.map(({ name }) => name.toLowerCase())
}

export async function hasKeys(deps: OperatorsDeps): Promise<boolean> {
  return deps.operatorKeys.length > 0 || (await madeOperators(deps.database)).length > 0
}

/** An operator of the environment has only nulls beside name and role. */
export type ListedOperator = Pick<MadeOperator, 'name' | 'role' | 'blockedAt'> & {
  readonly [Member in 'createdAt' | 'keyedAt']: Instant | null
}

export async function listOperators(deps: OperatorsDeps): Promise<readonly ListedOperator[]> {
  const never = { createdAt: null, keyedAt: null, blockedAt: null }
  const ofEnvironment = deps.operatorKeys.map(({ name, role }) => [name, { name, role, ...never }] as const)
  const made = (await madeOperators(deps.database)).filter(({ name }) => !isOfEnvironment(deps, name))
  return [...new Map(ofEnvironment).values(), ...made]
}

/** Throws `not_found`, and `conflict` for an operator of the environment. */
export async function requireMade(deps: OperatorsDeps, name: string): Promise<MadeOperator> {
  if (isOfEnvironment(deps, name)) throw new BillingError('conflict', { extra: { source: 'environment' } })
  const found = (await madeOperators(deps.database)).find((one) => one.name === name)
  if (!found) throw new BillingError('not_found', { extra: { operator: name } })
  return found
}

/** Throws `validation_failed`. */
export function requireRoleNamed({ operatorRoles }: OperatorsDeps, role: string): void {
  if (operatorIn(operatorRoles, '', role) === null) throw wrongField('role', 'not_allowed')
}

export function roleNames({ operatorRoles }: OperatorsDeps): readonly string[] {
  return [...ROLES, ...Object.keys(operatorRoles)]
}

/** Throws `conflict` if the name is taken, or is in the environment. */
export async function requireNew(deps: OperatorsDeps, name: string): Promise<void> {
  if (isOfEnvironment(deps, name)) throw new BillingError('conflict', { extra: { source: 'environment' } })
  const made = await madeOperators(deps.database)
  const isTaken = made.some((one) => one.name.toLowerCase() === name.toLowerCase())
  if (isTaken) throw new BillingError('conflict', { extra: { source: 'console' } })
}

/** The operator after the change. Throws `conflict` if none is made, or no owner is left (`last_owner`). */
export async function requireChange(
  deps: OperatorsDeps,
  before: MadeOperator,
  changed: Partial<MadeOperator> | null,
): Promise<MadeOperator> {
  if (changed === null) throw new BillingError('conflict', { extra: { operator: describe(before) } })
  const after = { ...before, ...changed }
  if (keepsAnOwner(deps, before, after)) return after
  const others = (await madeOperators(deps.database)).filter(
    (one) => isOwner(one) && one.name !== before.name && !isOfEnvironment(deps, one.name),
  )
  if (others.length === 0) throw new BillingError('conflict', { extra: { last_owner: true } })
  return after
}

/** An owner of the environment always remains. The roles that the issuer gives are not known here. */
function keepsAnOwner({ operatorKeys }: OperatorsDeps, before: MadeOperator, after: MadeOperator): boolean {
  return !isOwner(before) || isOwner(after) || operatorKeys.some(({ role }) => role === 'owner')
}

function isOwner({ role, blockedAt }: MadeOperator): boolean {
  return role === 'owner' && blockedAt === null
}

/** False: another change was faster, or no owner would be left by now. */
export function saveChange(deps: AccessDeps, by: OperatorAct, before: MadeOperator, after: MadeOperator) {
  const now = deps.clock.now()
  return updateOperator(deps.database, after, {
    mayBeLastOwner: keepsAnOwner(deps, before, after),
    otherNames: environmentNames(deps),
    audit: auditEntry(deps.ids, by, { before: describe(before), after: describe(after), now }),
    now,
  })
}

export function describe({ name, role, blockedAt }: MadeOperator) {
  return { operator: name, role, blocked_at: timestampOrNull(blockedAt) }
}
