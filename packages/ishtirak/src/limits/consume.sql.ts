// The usual case of consuming: the operation is new, something was counted before, its limit was derived from
// the user's present facts, and there is room: one small statement. What it leaves open (a first use, a no, a
// repetition, other facts) operations.sql.ts decides.
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, type Statement, statement } from '../database/database.js'
import { at, instantOrNull, integer, text } from '../database/rows.js'
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
  /** This operation id stands for another amount, limit or scope. */
  | { readonly kind: 'conflict' }
  /** The version is not the user's any more: nothing was decided. Here is what is true. */
  | { readonly kind: 'outdated'; readonly user: UserRecord | null }
  /** A concurrent statement changed this count or stored this operation: nothing was changed, try again. */
  | { readonly kind: 'stale' }

// counted  one more on the count, as the last commit left it: a second one waits here, and compares what it
//          finds then. A count of another day or month counts as zero.
// The rest remembers what was counted. Where two send one operation at the same instant, its key refuses the
// second. Operations are read one by one (`limit 1`): a plan made while the table is small must not scan it
// when it has grown.
/** Of a count: it is of a day or month that is over. */
const IS_OVER = 'u.resets_at < a.resets_at'

const countUsual = (name: string, asked: string): Statement =>
  statement(
    name,
    `with counted as (
       update usage u
          set used = case when ${IS_OVER} then 0 else u.used end + a.amount,
              resets_at = case when ${IS_OVER} then a.resets_at else u.resets_at end,
              revision = u.revision + 1
         from ${asked}
        where u.user_id = a.user_id and u.limit_name = a.limit_name and u.scope = a.scope
          and u.counts_as = a.counts_as
          and case when ${IS_OVER} then 0 else u.used end + a.amount <= a.maximum
          and a.believed_version is not distinct from (select version from users where user_id = a.user_id)
          and (select true from usage_operations
                where user_id = a.user_id and operation_id = a.operation_id and kind = 'consume'
                  limit 1) is null
       returning a.user_id, a.operation_id, a.limit_name, a.scope, a.amount, a.maximum, u.used, u.resets_at
     ), remembered as (
       insert into usage_operations (user_id, operation_id, kind, limit_name, scope, amount, maximum, used,
                                     resets_at, created_at)
       select user_id, operation_id, 'consume', limit_name, scope, amount, maximum, used, resets_at,
              $10::timestamptz
         from counted
     )
     select user_id, maximum, used, resets_at from counted`,
  )

type Column = readonly [
  name: string,
  type: string,
  read: (operation: UsageOperation) => string | number | null,
]

/** What is asked, in the order of the parameters. */
const COLUMNS: readonly Column[] = [
  ['user_id', 'text', ({ userId }) => userId],
  ['limit_name', 'text', ({ limit }) => limit],
  ['counts_as', 'text', ({ countsAs }) => countsAs],
  ['scope', 'text', ({ scopeId }) => scopeId],
  ['amount', 'bigint', ({ amount }) => amount ?? 1],
  ['operation_id', 'text', ({ operationId }) => operationId],
  ['resets_at', 'timestamptz', ({ resetsAt }) => at(resetsAt)],
  ['maximum', 'bigint', ({ maximum }) => maximum],
  ['believed_version', 'bigint', ({ version }) => version],
]

const join = (write: (column: Column, index: number) => string) => COLUMNS.map(write).join(', ')

// Unpacking arrays costs a lone operation a fifth (measured), so it has a form of its own.
const countOne = countUsual(
  'usage.consume_one',
  `(select ${join(([name, type], index) => `$${index + 1}::${type} as ${name}`)}) a`,
)
const countMany = countUsual(
  'usage.consume_many',
  `unnest(${join(([, type], index) => `$${index + 1}::${type}[]`)}) a(${join(([name]) => name)})`,
)

/** `operations`: of different users, sorted. Null: not decided here. Throws, and then none was counted. */
export async function consumeWhereUsual(
  database: Queryable,
  operations: readonly UsageOperation[],
): Promise<readonly (UsageAnswer | null)[]> {
  const consumed = operations.filter(mayBeUsual)
  const [first] = consumed
  if (!first) return operations.map(() => null)
  const rows =
    consumed.length === 1
      ? await database.query(countOne, [...COLUMNS.map(([, , read]) => read(first)), at(first.now)])
      : await database.query(countMany, [...COLUMNS.map(([, , read]) => consumed.map(read)), at(first.now)])
  const answers = new Map(rows.map((row) => [text(row, 'user_id'), parseAnswer(row)]))
  return operations.map((operation) =>
    mayBeUsual(operation) ? (answers.get(operation.userId) ?? null) : null,
  )
}

const mayBeUsual = ({ kind, isUserKnown }: UsageOperation) => kind === 'consume' && isUserKnown

function parseAnswer(row: Row): UsageAnswer {
  return {
    kind: 'done',
    maximum: integer(row, 'maximum'),
    used: integer(row, 'used'),
    resetsAt: instantOrNull(row, 'resets_at'),
  }
}
