// What is asked of the statements that count, and what they answer.
import type { Instant } from '../core/instant.js'
import type { LimitName } from '../core/plan.js'
import type { UserRecord } from '../payments/users.sql.js'

export interface UsageOperation {
  readonly kind: 'consume' | 'release' | 'report'
  readonly userId: string
  readonly limit: LimitName
  /** Empty unless the limit is per project. */
  readonly projectId: string
  /** How much; for a report, all that is in use. Null: release what the named operation consumed, or else 1. */
  readonly amount: number | null
  /** Empty for a report, which needs none. */
  readonly operationId: string
  /** The consumed operation that is given back; null: the one with the release's own id, if there is one. */
  readonly consumeOperationId: string | null
  /** The end of the day that is counted; null for gauges. */
  readonly resetsAt: Instant | null
  /** What the plan in effect allows, and the version of the user that this was derived from; null: he has no row. */
  readonly maximum: number
  readonly version: number | null
  /** Whether these facts were ever read. If not, they are a guess, and only the statement that tells what is true is asked. */
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
  /** This operation id stands for another amount, limit or project. */
  | { readonly kind: 'conflict' }
  /** The version is not the user's any more: nothing was decided. Here is what is true. */
  | { readonly kind: 'outdated'; readonly user: UserRecord | null }
  /** Somebody else was first to use this count, or to send this operation: nothing was changed, ask again. */
  | { readonly kind: 'outrun' }
