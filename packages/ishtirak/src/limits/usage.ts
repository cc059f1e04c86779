// The platform's question on every deploy, "may this user?", with what belongs to it: giving back, and reporting a count
// of its own. One statement decides; this file says what the plan in effect allows, and asks again when its facts were stale.
import { BillingError, type ValidationCode } from '../core/error.js'
import { HOUR, type Instant } from '../core/instant.js'
import { describeAllowance, isLimitName, LIMIT_KINDS } from '../core/limit.js'
import type { LimitName } from '../core/plan.js'
import { type BillingRules, NEVER_PAID, statusAt } from '../core/subscription.js'
import { givenUpAfter, type Queryable, untilFresh } from '../database/database.js'
import type { UserRecord } from '../payments/users.sql.js'
import { inBatches } from '../runtime/async.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { Clock } from '../runtime/clock.js'
import type { UsageOperation } from './consume.sql.js'
import { type ApplyUsageOperation, createApplyUsageOperation } from './operations.sql.js'
import { forgetUsageOperations } from './usage.sql.js'

/** What is asked, about one count of one user. The limit is a name as it came in. */
export interface UsageWish
  extends Pick<UsageOperation, 'kind' | 'userId' | 'amount' | 'operationId' | 'consumeOperationId'> {
  readonly limit: string
  readonly projectId: string | null
}

export interface CountUsageDeps {
  readonly clock: Clock
  readonly rules: BillingRules
  /** The end of the calendar day, in the quota's time zone, that an instant lies in. */
  readonly quotaDayEndsAt: (instant: Instant) => Instant
  readonly usage: UsageState
}

/** What the operations of one process share. */
export interface UsageState {
  /** Operations of different users share the statements. */
  readonly apply: ApplyUsageOperation
  /**
   * What was last seen of users, so that one statement is enough. It need not be true: the statement compares the version
   * and decides nothing on an old one, so the first question after a payment's commit already meets the new limit. Null
   * is a user without a row, as are most who never paid.
   */
  readonly believed: BoundedMap<string, UserRecord | null>
}

/** About 10 MB when full. A user who is not in it costs one more statement, which reads what is true. */
const REMEMBERED_MAX = 10_000

export function createUsageState(database: Queryable): UsageState {
  return { apply: createApplyUsageOperation(database), believed: new BoundedMap(REMEMBERED_MAX) }
}

/** Throws `unknown_limit`, `validation_failed` (project_id), `conflict` (a known operation_id says something else). */
export async function countUsage(deps: CountUsageDeps, wish: UsageWish) {
  const { apply, believed } = deps.usage
  const { userId } = wish
  const place = placeOf(wish)
  const isUserKnown = believed.get(userId) !== undefined
  // Of all rounds together: an answer of 503 means that nothing is counted later.
  const giveUpAt = givenUpAfter()
  return untilFresh(`counting for ${userId}`, async () => {
    const user = believed.get(userId) ?? null
    const now = deps.clock.now()
    const answer = await apply(describeOperation(deps, { wish, place, user, isUserKnown, now }), giveUpAt)
    switch (answer.kind) {
      case 'outdated':
        believed.set(userId, answer.user)
        return 'stale'
      case 'stale':
        return 'stale'
      case 'conflict':
        throw new BillingError('conflict')
      case 'done':
      case 'denied':
        if (!isUserKnown) believed.set(userId, user)
        return describeAllowance({
          allowed: answer.kind === 'done',
          limit: answer.maximum,
          used: answer.used,
          resetsAt: answer.resetsAt,
        })
    }
  })
}

/** Which count is meant. A project is named where the limit is per project, and nowhere else. */
function placeOf({ limit, projectId }: UsageWish): { readonly limit: LimitName; readonly projectId: string } {
  if (!isLimitName(limit)) throw new BillingError('unknown_limit')
  const isPerProject = LIMIT_KINDS[limit] === 'project'
  if (isPerProject && projectId === null) throw wrongProject('required')
  if (!isPerProject && projectId !== null) throw wrongProject('not_allowed')
  return { limit, projectId: projectId ?? '' }
}

function wrongProject(code: ValidationCode): BillingError {
  return new BillingError('validation_failed', { problems: [{ pointer: '/project_id', code }] })
}

function describeOperation(
  { rules, quotaDayEndsAt }: CountUsageDeps,
  of: {
    readonly wish: UsageWish
    readonly place: { readonly limit: LimitName; readonly projectId: string }
    readonly user: UserRecord | null
    readonly isUserKnown: boolean
    readonly now: Instant
  },
): UsageOperation {
  const { wish, place, user, isUserKnown, now } = of
  const { plan } = statusAt(user?.subscription ?? NEVER_PAID, now, rules)
  // Named one by one: written after a spread, each further field cost 2 µs (measured).
  return {
    kind: wish.kind,
    userId: wish.userId,
    limit: place.limit,
    projectId: place.projectId,
    amount: wish.amount,
    operationId: wish.operationId,
    consumeOperationId: wish.consumeOperationId,
    resetsAt: LIMIT_KINDS[place.limit] === 'day' ? quotaDayEndsAt(now) : null,
    maximum: plan.limits[place.limit],
    version: user?.version ?? null,
    isUserKnown,
    now,
  }
}

/** How long a repeated operation gets the answer that it got the first time. Promised in the documentation. */
const OPERATIONS_REMEMBERED_MS = 48 * HOUR
/** Few enough that the embedded database holds up other work for some milliseconds only. */
const FORGOTTEN_AT_ONCE = 1_000

/** A job: forgets operations that are old enough, at most about `limit`. Gives how many. */
export function forgetOperations(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  limit: number,
): Promise<number> {
  const before = clock.now() - OPERATIONS_REMEMBERED_MS
  return inBatches(limit, FORGOTTEN_AT_ONCE, (most) => forgetUsageOperations(database, before, most))
}
