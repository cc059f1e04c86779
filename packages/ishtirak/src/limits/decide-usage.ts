// Decides consuming, giving back and reporting on the stored count and operation.
import type { Instant } from '../core/instant.js'
import type { UserRecord } from '../ledger/users.sql.js'

export interface UsageOperation {
  readonly kind: 'consume' | 'release' | 'report'
  readonly userId: string
  readonly limit: string
  /** How the limit is counted (`countsAs`). A count that was made in another way reads as zero. */
  readonly countsAs: string
  /** Empty unless the limit has `per`. */
  readonly scopeId: string
  /** In a report, the whole usage. Null: release what the named operation consumed, or else 1. */
  readonly amount: number | null
  /** Empty for a report, which needs no id. */
  readonly operationId: string
  /** The consumed operation to give back; null: the one with the release's own id, if it exists. */
  readonly consumeOperationId: string | null
  /** The end of the counted day or month; null for gauges. */
  readonly resetsAt: Instant | null
  /** The limit of the plan in effect, and the user's version that it was derived from; null: no row. */
  readonly maximum: number
  readonly version: number | null
  /** True if these facts were read from the database. Otherwise only the query that reads them can decide. */
  readonly isUserRead: boolean
  readonly now: Instant
}

interface Used {
  readonly used: number
  readonly resetsAt: Instant | null
}

interface Figures extends Used {
  readonly maximum: number
}

export type UsageAnswer =
  | (Figures & { readonly kind: 'done' | 'denied' })
  /** This operation id was used for another amount, limit or scope, or to give back another operation. */
  | { readonly kind: 'conflict' }
  /** The user's version has changed, so nothing was decided. `user` is the present row. */
  | { readonly kind: 'outdated'; readonly user: UserRecord | null }
  /** A concurrent query changed this count or stored this operation: nothing was changed, try again. */
  | { readonly kind: 'stale' }

/** The stored operation that was answered before. */
export interface StoredOperation extends Figures {
  readonly limit: string
  readonly scopeId: string
  readonly amount: number
  /** For a release: the operation that it gave back, or its own id; null: it consumed. */
  readonly givesBack: string | null
  /** How much of the consumed amount was released since. */
  readonly givenBack: number
}

export interface StoredCount extends Used {
  readonly countsAs: string
  /** Counts every change. */
  readonly revision: number
}

export interface FoundUsage {
  /** Null: no row. */
  readonly user: UserRecord | null
  /** The same operation, if it was answered before. */
  readonly known: StoredOperation | null
  /** The operation that a release gives back: consumed of the same limit and scope. */
  readonly consumed: StoredOperation | null
  /** Null: nothing was counted yet. */
  readonly count: StoredCount | null
}

/** The rows to write: the new count, the operation to remember, and what it gave back. */
export interface UsageChange extends Used {
  /** The revision of the count before; 0: there was none. */
  readonly revision: number
  readonly amount: number
  readonly returned: number
}

/** `change` is null if nothing is counted. */
interface UsageDecision {
  readonly answer: UsageAnswer
  readonly change: UsageChange | null
}

/** A repeated operation gets its first answer. An operation on old facts of the user is not decided. */
export function decideUsage(operation: UsageOperation, found: FoundUsage): UsageDecision {
  const { known, user, count } = found
  if (known) {
    const { maximum, used, resetsAt } = known
    if (!isSame(operation, known)) return answered({ kind: 'conflict' })
    return answered({ kind: 'done', maximum, used, resetsAt })
  }
  if ((user?.version ?? null) !== operation.version) return answered({ kind: 'outdated', user })
  const { kind, maximum } = operation
  const current = isCurrent(operation, count) ? count : null
  const before = current?.used ?? 0
  const resetsAt = current ? current.resetsAt : operation.resetsAt
  const consumed = kind === 'release' ? found.consumed : null
  const amount = operation.amount ?? consumed?.amount ?? 1
  if (kind === 'consume' && before + amount > maximum)
    return answered({ kind: 'denied', maximum, used: before, resetsAt })
  const returned = kind === 'release' ? returnedBy(operation, { consumed, amount, before, resetsAt }) : 0
  const used = kind === 'report' ? amount : kind === 'consume' ? before + amount : before - returned
  const change = { used, resetsAt, revision: count?.revision ?? 0, amount, returned }
  return { answer: { kind: 'done', maximum, used, resetsAt }, change }
}

function answered(answer: UsageAnswer): UsageDecision {
  return { answer, change: null }
}

/** The operation that a release gives back; null: this is no release. */
export function givesBackOf({ kind, operationId, consumeOperationId }: UsageOperation): string | null {
  return kind === 'release' ? (consumeOperationId ?? operationId) : null
}

function isSame(operation: UsageOperation, known: StoredOperation): boolean {
  const { limit, scopeId, amount } = operation
  const isOfThis = known.limit === limit && known.scopeId === scopeId
  return isOfThis && known.amount === (amount ?? known.amount) && known.givesBack === givesBackOf(operation)
}

/** A count of a time that is over, or that was counted in another way, reads as zero. */
function isCurrent({ countsAs, resetsAt }: UsageOperation, count: StoredCount | null): boolean {
  if (count?.countsAs !== countsAs) return false
  return count.resetsAt === null || resetsAt === null || count.resetsAt >= resetsAt
}

/** Nothing is returned to a day or month that is over, and nothing that was not consumed. */
function returnedBy(
  { consumeOperationId }: UsageOperation,
  of: { consumed: StoredOperation | null; amount: number; before: number; resetsAt: Instant | null },
): number {
  const { consumed, amount, before, resetsAt } = of
  if (!consumed) return consumeOperationId === null ? Math.min(amount, before) : 0
  return consumed.resetsAt === resetsAt ? Math.min(amount, consumed.amount - consumed.givenBack, before) : 0
}
