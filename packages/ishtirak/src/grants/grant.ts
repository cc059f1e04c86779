// Days that an operator grants: what the role may, what the user's plan is, and each operation once.

import type { By } from '../acts/audit.sql.js'
import { BillingError, wrongField } from '../core/error.js'
import { decideGrant, planToGrant } from '../core/grant.js'
import type { Instant } from '../core/instant.js'
import type { Catalogue } from '../core/plan.js'
import { type Operator, requireRole, SUPPORT_GRANT_DAYS_MAX, SUPPORT_GRANT_SPAN } from '../core/role.js'
import type { Queryable } from '../database/database.js'
import { daysGrantedBySupport, findGrantByOperation } from '../ledger/grants.sql.js'
import { type SaveDeps, saveByHand } from '../ledger/save.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { loadUser, previewOn, showUser, type UserFile, type UserPreview } from '../overview/acts.js'

export interface GrantDeps extends SaveDeps {
  readonly catalogue: Catalogue
}

interface WantedDays {
  readonly days: number
  readonly planId: string | null
  readonly operationId: string | null
}

/**
 * Grants days: the end moves by exactly so many times 24 hours; without paid time they begin now. Nothing that was paid
 * changes, and an open checkout stays payable. What was granted under the same `operationId` is not granted again.
 * Throws `role_not_allowed`, `not_found`, `validation_failed`, `unknown_plan`, `plan_not_purchasable`, or `conflict` where the user
 * has another plan, or the operation granted another number of days.
 */
export async function grantDays(
  deps: GrantDeps,
  userId: string,
  wanted: WantedDays,
  by: By,
): Promise<UserFile> {
  const { days, operationId } = wanted
  requireRole(by.operator, days > SUPPORT_GRANT_DAYS_MAX ? 'user.grant_long' : 'user.grant')
  await saveByHand(deps, { ...by, act: 'user.grant' }, { userId }, async (now) => {
    const user = await loadUser(deps, userId)
    const known = operationId === null ? null : await findGrantByOperation(deps.database, userId, operationId)
    if (known && known.days !== days) throw new BillingError('conflict', { extra: { days: known.days } })
    if (known) return null
    // After the user: a grant that comes between them makes those facts stale, so two at once do not pass the bound together.
    await requireWithinSupport(deps, { userId, days, now }, by.operator)
    return { userId, user, payment: null, after: grantTo(deps, user, wanted, now) }
  })
  return showUser(deps, userId)
}

/** Throws `role_not_allowed` where it is too much for support. */
async function requireWithinSupport(
  { database }: { readonly database: Queryable },
  { userId, days, now }: { readonly userId: string; readonly days: number; readonly now: Instant },
  operator: Operator,
): Promise<void> {
  if (operator.role !== 'support') return
  const before = await daysGrantedBySupport(database, userId, now - SUPPORT_GRANT_SPAN)
  const left = Math.max(0, SUPPORT_GRANT_DAYS_MAX - before)
  if (days > left) requireRole(operator, 'user.grant_long', { days_left: left })
}

function grantTo(deps: GrantDeps, { subscription }: UserRecord, wanted: WantedDays, now: Instant) {
  const { days, planId, operationId } = wanted
  const plan = planToGrant(subscription, planId, deps.catalogue, now, deps.rules)
  if (plan === 'other_plan') {
    throw new BillingError('conflict', { extra: { plan: subscription.periods.at(-1)?.plan.id } })
  }
  if (typeof plan === 'string') throw new BillingError(plan)
  const id = deps.ids.next('grt', now)
  const decided = decideGrant(subscription, { id, plan, days, operationId }, now, deps.rules)
  if (!decided) throw wrongField('days', 'too_large')
  return decided
}

/** What `grantDays` would do now. Throws what it would throw. */
export async function previewGrant(
  deps: GrantDeps,
  userId: string,
  wanted: WantedDays,
  operator: Operator,
): Promise<UserPreview> {
  await requireWithinSupport(deps, { userId, days: wanted.days, now: deps.clock.now() }, operator)
  return previewOn(deps, userId, (user, now) => grantTo(deps, user, wanted, now))
}
