// Consuming, giving back and reporting, decided on what is stored of the count and of the operation.
import type { Instant } from '../core/instant.js'
import type { UserRecord } from '../ledger/users.sql.js'

export interface UsageOperation {
  readonly kind: 'consume' | 'release' | 'report'
  readonly userId: string
  readonly limit: string
  /** What the limit counts as (`countsAs`): a count that is of something else counts as zero. */
  readonly countsAs: string
  /** Empty unless the limit is counted for each of something. */
  readonly scopeId: string
  /** For a report, all that is in use. Null: release what the named operation consumed, or else 1. */
  readonly amount: number | null
  /** Empty for a report, which needs none. */
  readonly operationId: string
  /** The consumed operation that is given back; null: the one with the release's own id, if there is one. */
  readonly consumeOperationId: string | null
  /** The end of the day or month that is counted; null for gauges. */
  readonly resetsAt: Instant | null
  /** What the plan in effect allows, and the version of the user that this was derived from; null: no row. */
  readonly maximum: number
  readonly version: number | null
  /** Whether these facts were read from the database. If not, only the statement that reads them decides. */
  readonly isUserKnown: boolean
  readonly now: Instant
}

export type UsageAnswer =
  | {
      readonly kind: 'done' | 'denied'
      readonly maximum: number
      readonly used: number
      readonly resetsAt: Instant | null
    }
  /** This operation id stands for another amount, limit or scope, or gave back another operation. */
  | { readonly kind: 'conflict' }
  /** The version is not the user's any more: nothing was decided. Here is what is true. */
  | { readonly kind: 'outdated'; readonly user: UserRecord | null }
  /** A concurrent statement changed this count or stored this operation: nothing was changed, try again. */
  | { readonly kind: 'stale' }

/** What is stored of an operation that was answered before. */
export interface StoredOperation {
  readonly limit: string
  readonly scopeId: string
  readonly amount: number
  /** Of a release: the operation that it gave back, or its own id; null: it consumed. */
  readonly givesBack: string | null
  /** How much of what was consumed was released since. */
  readonly givenBack: number
  readonly maximum: number
  readonly used: number
  readonly resetsAt: Instant | null
}

/** The count that the operation is about. */
export interface StoredCount {
  readonly countsAs: string
  readonly used: number
  readonly resetsAt: Instant | null
  /** Counts every change. */
  readonly revision: number
}

export interface FoundUsage {
  /** Null: no row. */
  readonly user: UserRecord | null
  /** The same operation, as it was answered before. */
  readonly known: StoredOperation | null
  /** What a release gives back: consumed of the same limit and scope. */
  readonly consumed: StoredOperation | null
  /** Null: nothing was counted yet. */
  readonly count: StoredCount | null
}

/** What is to be written: the count as it is to be, the operation to be remembered, what it gave back. */
export interface UsageChange {
  readonly used: number
  readonly resetsAt: Instant | null
  /** Of the count that this follows on; 0: there was none. */
  readonly revision: number
  readonly amount: number
  readonly returned: number
}

export interface UsageDecision {
  readonly answer: UsageAnswer
  /** Null: nothing is counted. */
  readonly change: UsageChange | null
  /** Of a no: how much was asked for. */
  readonly refused: number | null
}

/** A repeated operation has its first answer; one on old facts of the user is not decided. */
export function decideUsage(operation: UsageOperation, found: FoundUsage): UsageDecision {
  const { known, user, count } = found
  if (known)
    return answered(isSame(operation, known) ? { kind: 'done', ...figuresOf(known) } : { kind: 'conflict' })
  if ((user?.version ?? null) !== operation.version) return answered({ kind: 'outdated', user })
  const { kind, maximum } = operation
  const current = isCurrent(operation, count) ? count : null
  const before = current?.used ?? 0
  const resetsAt = current ? current.resetsAt : operation.resetsAt
  const consumed = kind === 'release' ? found.consumed : null
  const amount = operation.amount ?? consumed?.amount ?? 1
  if (kind === 'consume' && before + amount > maximum) {
    return { answer: { kind: 'denied', maximum, used: before, resetsAt }, change: null, refused: amount }
  }
  const returned = kind === 'release' ? returnedBy(operation, { consumed, amount, before, resetsAt }) : 0
  const used = kind === 'report' ? amount : kind === 'consume' ? before + amount : before - returned
  const change = { used, resetsAt, revision: count?.revision ?? 0, amount, returned }
  return { answer: { kind: 'done', maximum, used, resetsAt }, change, refused: null }
}

function answered(answer: UsageAnswer): UsageDecision {
  return { answer, change: null, refused: null }
}

/** What a release gives back; null: it is none. */
export function givesBackOf({ kind, operationId, consumeOperationId }: UsageOperation): string | null {
  return kind === 'release' ? (consumeOperationId ?? operationId) : null
}

function isSame(operation: UsageOperation, known: StoredOperation): boolean {
  const { limit, scopeId, amount } = operation
  const isOfThis = known.limit === limit && known.scopeId === scopeId
  return isOfThis && known.amount === (amount ?? known.amount) && known.givesBack === givesBackOf(operation)
}

function figuresOf({ maximum, used, resetsAt }: StoredOperation) {
  return { maximum, used, resetsAt }
}

/**
 * A count of a day or month that is over counts as zero, and so does one that was made while the catalogue
 * counted the limit in another way.
 */
function isCurrent({ countsAs, resetsAt }: UsageOperation, count: StoredCount | null): boolean {
  if (count?.countsAs !== countsAs) return false
  return count.resetsAt === null || resetsAt === null || count.resetsAt >= resetsAt
}

/** A day or month that is over gets nothing back, and what was not consumed is not given back. */
function returnedBy(
  { consumeOperationId }: UsageOperation,
  of: {
    readonly consumed: StoredOperation | null
    readonly amount: number
    readonly before: number
    readonly resetsAt: Instant | null
  },
): number {
  const { consumed, amount, before, resetsAt } = of
  if (!consumed) return consumeOperationId === null ? Math.min(amount, before) : 0
  return consumed.resetsAt === resetsAt ? Math.min(amount, consumed.amount - consumed.givenBack, before) : 0
}
