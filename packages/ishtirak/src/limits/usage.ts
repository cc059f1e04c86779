// The platform's question on every deploy, "may this user?", giving back, and reporting a count. What
// is stored decides; this file says what the plan in effect allows, and asks again when facts were stale.
import { BillingError, type ValidationProblem } from '../core/error.js'
import { HOUR, type Instant } from '../core/instant.js'
import {
  countsAs,
  describeAllowance,
  type LimitDefinition,
  maximumOf,
  type QuotaWindowAt,
  scopeField,
} from '../core/limit.js'
import type { Catalogue } from '../core/plan.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { type Database, givenUpAfter, untilFresh } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { inBatches } from '../runtime/async.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { UsageOperation } from './decide-usage.js'
import { type ApplyUsageOperation, createApplyUsageOperation } from './operations.sql.js'
import { forgetUsageOperations } from './usage.sql.js'

/** What is asked, about one count of one user. The limit is a name as it came in. */
export interface UsageWish
  extends Pick<UsageOperation, 'kind' | 'userId' | 'amount' | 'operationId' | 'consumeOperationId'> {
  readonly limit: string
  readonly project_id: string | null
  readonly scope_id: string | null
}

export interface CountUsageDeps extends Pick<CommonParts, 'clock' | 'rules'> {
  readonly quotaWindowAt: QuotaWindowAt
  readonly usage: UsageState
}

export interface UsageState {
  /** Operations of different users share the statements. */
  readonly apply: ApplyUsageOperation
  /**
   * What was last seen of users, so that one statement is enough. It need not be true: the statement compares
   * the version and decides nothing on an old one. Null is a user without a row.
   */
  readonly believed: BoundedMap<string, UserRecord | null>
}

/** About 10 MB when full. A user who is not in it costs one more statement, which reads what is true. */
const REMEMBERED_MAX = 10_000

export function createUsageState(database: Database): UsageState {
  return { apply: createApplyUsageOperation(database), believed: new BoundedMap(REMEMBERED_MAX) }
}

/** Throws `unknown_limit`, `validation_failed`, `conflict` (a known operation_id says something else). */
export async function countUsage(deps: CountUsageDeps, wish: UsageWish) {
  const { apply, believed } = deps.usage
  const { userId } = wish
  const counted = countedAt(deps.rules.catalogue, wish)
  const isUserKnown = believed.get(userId) !== undefined
  // Of all rounds together: an answer of 503 means that nothing is counted later.
  const giveUpAt = givenUpAfter()
  return untilFresh(`counting for ${userId}`, async () => {
    const user = believed.get(userId) ?? null
    const now = deps.clock.now()
    const answer = await apply(describeOperation(deps, { wish, counted, user, isUserKnown, now }), giveUpAt)
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

interface CountedAt {
  readonly limit: LimitDefinition
  readonly scopeId: string
}

const SCOPE_FIELDS = ['project_id', 'scope_id'] as const

/** Which count is meant. What it is for each of is named in the limit's field, and nowhere else. */
function countedAt({ limits }: Catalogue, wish: UsageWish): CountedAt {
  const limit = limits.find(({ name }) => name === wish.limit)
  if (!limit) throw new BillingError('unknown_limit')
  const due = scopeField(limit)
  const problems = SCOPE_FIELDS.flatMap((field): ValidationProblem[] => {
    if ((wish[field] !== null) === (field === due)) return []
    return [{ pointer: `/${field}`, code: field === due ? 'required' : 'not_allowed' }]
  })
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  return { limit, scopeId: (due && wish[due]) ?? '' }
}

function describeOperation(
  { rules, quotaWindowAt }: CountUsageDeps,
  of: {
    readonly wish: UsageWish
    readonly counted: CountedAt
    readonly user: UserRecord | null
    readonly isUserKnown: boolean
    readonly now: Instant
  },
): UsageOperation {
  const { wish, counted, user, isUserKnown, now } = of
  const { limit } = counted
  const { plan } = statusAt(user?.subscription ?? NEVER_PAID, now, rules)
  const window = limit.window && quotaWindowAt(limit.window, now)
  // Named one by one: written after a spread, each further field cost 2 µs (measured).
  return {
    kind: wish.kind,
    userId: wish.userId,
    limit: limit.name,
    countsAs: countsAs(limit),
    scopeId: counted.scopeId,
    amount: wish.amount,
    operationId: wish.operationId,
    consumeOperationId: wish.consumeOperationId,
    resetsAt: window?.endsAt ?? null,
    maximum: maximumOf(plan.limits, limit),
    version: user?.version ?? null,
    isUserKnown,
    now,
  }
}

/** How long a repeated operation gets its first answer. Promised in the documentation. */
const OPERATIONS_REMEMBERED_MS = 48 * HOUR
/** Few enough that the embedded database holds up other work for some milliseconds only. */
const FORGOTTEN_AT_ONCE = 1_000

/** A job: forgets operations that are old enough, at most about `limit`. Gives how many. */
export function forgetOperations(
  { database, clock }: Pick<CommonParts, 'database' | 'clock'>,
  limit: number,
): Promise<number> {
  const before = clock.now() - OPERATIONS_REMEMBERED_MS
  return inBatches(limit, FORGOTTEN_AT_ONCE, (most) => forgetUsageOperations(database, before, most))
}
