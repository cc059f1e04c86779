// The platform's question on every deploy, "may this user?", giving back, and reporting usage. The stored
// count decides; this file adds what the plan in effect allows, and asks again if facts were stale.
import type { UserRequest } from '../acts/user-call.js'
import { BillingError, type ValidationProblem } from '../core/error.js'
import {
  countsAs,
  describeAllowance,
  type LimitDefinition,
  maximumOf,
  type QuotaWindowAt,
  scopeField,
} from '../core/limit.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { type Database, givenUpAfter, untilFresh } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { UsageOperation } from './decide-usage.js'
import { createApplyUsageOperation } from './operations.sql.js'
import type { ReleaseRequest } from './schemas.js'

type UsageRequest = UserRequest<Partial<Omit<ReleaseRequest, 'amount'>>, 'limit'>

export interface CountUsageDeps extends Pick<CommonParts, 'clock' | 'rules'> {
  readonly quotaWindowAt: QuotaWindowAt
  readonly usage: ReturnType<typeof createUsageState>
}

/** About 10 MB when full. A user who is not in it costs one more query, which reads the facts. */
const REMEMBERED_MAX = 10_000

export function createUsageState(database: Database) {
  return {
    apply: createApplyUsageOperation(database),
    /**
     * The facts of users as they were last read, so that one query is enough. They may be stale: the query
     * compares the version and decides nothing on an old one. Null is a user without a row.
     */
    cachedUsers: new BoundedMap<string, UserRecord | null>(REMEMBERED_MAX),
  }
}

/** Throws `unknown_limit`, `validation_failed`, `conflict` (a known operation_id with other values). */
export async function countUsage(
  { usage, clock, rules, quotaWindowAt }: CountUsageDeps,
  kind: UsageOperation['kind'],
  { user: { userId }, params, input }: UsageRequest,
  amount: number | null,
) {
  const { apply, cachedUsers } = usage
  const limit = rules.catalogue.limits.find(({ name }) => name === params.limit)
  if (!limit) throw new BillingError('unknown_limit')
  const scopeId = scopeIn(input, limit)
  const isUserRead = cachedUsers.get(userId) !== undefined
  // One deadline for all rounds: after an answer of 503 nothing is counted.
  const giveUpAt = givenUpAfter()
  return untilFresh(`counting for ${userId}`, async () => {
    const user = cachedUsers.get(userId) ?? null
    const now = clock.now()
    const { plan } = statusAt(user?.subscription ?? NEVER_PAID, now, rules)
    const window = limit.window && quotaWindowAt(limit.window, now)
    // Fields are named one by one: after a spread each further field cost 2 µs (measured).
    const operation: UsageOperation = {
      kind,
      userId,
      limit: limit.name,
      countsAs: countsAs(limit),
      scopeId,
      amount,
      operationId: input.operation_id ?? '',
      consumeOperationId: input.consume_operation_id ?? null,
      resetsAt: window?.endsAt ?? null,
      maximum: maximumOf(plan.limits, limit),
      version: user?.version ?? null,
      isUserRead,
      now,
    }
    const answer = await apply(operation, giveUpAt)
    if (answer.kind === 'conflict') throw new BillingError('conflict')
    if (answer.kind === 'outdated') cachedUsers.set(userId, answer.user)
    if (answer.kind === 'outdated' || answer.kind === 'stale') return 'stale'
    if (!isUserRead) cachedUsers.set(userId, user)
    const { maximum, used, resetsAt } = answer
    return describeAllowance({ allowed: answer.kind === 'done', limit: maximum, used, resetsAt })
  })
}

const SCOPE_FIELDS = ['project_id', 'scope_id'] as const

/** The id of the counted thing, from the field for its kind. Throws if it is in another field. */
function scopeIn(input: UsageRequest['input'], limit: LimitDefinition): string {
  const due = scopeField(limit)
  const problems = SCOPE_FIELDS.flatMap((field): ValidationProblem[] => {
    if ((input[field] !== undefined) === (field === due)) return []
    return [{ pointer: `/${field}`, code: field === due ? 'required' : 'not_allowed' }]
  })
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  return (due && input[due]) ?? ''
}
