// Counts usage: the usual case by its one query, all others by a short transaction that locks the count,
// decides and writes. It is exact under any concurrency, in any number of processes, and counts an operation
// once however often it is sent.
import { shareStatements } from '../database/coalesce.js'
import {
  ConstraintViolation,
  type Database,
  type Queryable,
  type Row,
  statement,
} from '../database/database.js'
import { at, instantOrNull, integer, json, rowOf, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'
import { consumeWhereUsual } from './consume.sql.js'
import {
  decideUsage,
  type FoundUsage,
  givesBackOf,
  type StoredOperation,
  type UsageAnswer,
  type UsageChange,
  type UsageOperation,
} from './decide-usage.js'

/** A row of usage_operations as a `StoredOperation`. */
const OPERATION = `json_build_object('limit', limit_name, 'scopeId', scope, 'amount', amount,
         'givesBack', gives_back, 'givenBack', given_back, 'maximum', maximum, 'used', used,
         'resetsAt', (date_part('epoch', resets_at) * 1000)::bigint)`

// Rows are read one by one (`limit 1`): a plan that was made while a table was small must not scan it later.
const find = statement(
  'usage.find',
  `with counted as materialized (
     -- Locked as the last commit left it: a second one waits here.
     select counts_as, used, resets_at, revision from usage
      where user_id = $1 and limit_name = $2 and scope = $3 limit 1
        for update
   )
   select f.*, k.known, c.consumed, n.counts_as, n.used, n.resets_at, n.revision
     from (select) one
     left join counted n on true
     left join lateral (
       select true as is_found, ${FACT_COLUMNS} from users u where u.user_id = $1 limit 1
     ) f on true
     left join lateral (
       select ${OPERATION} as known from usage_operations
        where user_id = $1 and operation_id = $4 and kind = $5 limit 1
     ) k on true
     left join lateral (
       select ${OPERATION} as consumed from usage_operations
        where user_id = $1 and operation_id = $6 and kind = 'consume' and limit_name = $2 and scope = $3
        limit 1
     ) c on true`,
)

// If two calls create a count at once, one fails on the revision.
const count = statement(
  'usage.count',
  `with counted as (
     insert into usage as u (user_id, limit_name, scope, counts_as, used, resets_at, revision)
     values ($1, $2, $3, $4, $5::bigint, $6::timestamptz, $7::bigint + 1)
         on conflict (user_id, limit_name, scope) do update
        set counts_as = excluded.counts_as, used = excluded.used, resets_at = excluded.resets_at,
            revision = excluded.revision
      where u.revision = excluded.revision - 1
     returning used
   ), remembered as (
     insert into usage_operations (user_id, operation_id, kind, gives_back, limit_name, scope, amount,
                                   maximum, used, resets_at, created_at)
     select $1, $8, $9, $14, $2, $3, $10::bigint, $11::bigint, used, $6::timestamptz, $12::timestamptz
       from counted where $9 <> 'report'
   ), marked as (
     update usage_operations o set given_back = o.given_back + $13::bigint
       from counted
      where $13::bigint > 0 and o.user_id = $1 and o.operation_id = $14 and o.kind = 'consume'
        and o.limit_name = $2 and o.scope = $3
   )
   select used from counted`,
)

const refuse = statement(
  'usage.refuse',
  `insert into usage_refusals as r (user_id, limit_name, scope, hour, refused, asked, maximum, used,
                                    first_at, last_at)
   values ($1, $2, $3, date_trunc('hour', $4::timestamptz, 'UTC'), 1, $5::bigint, $6::bigint, $7::bigint,
           $4::timestamptz, $4::timestamptz)
       on conflict (user_id, limit_name, scope, hour) do update
      set refused = r.refused + 1, asked = r.asked + excluded.asked, maximum = excluded.maximum,
          used = excluded.used, last_at = greatest(r.last_at, excluded.last_at)`,
)

/** The constraints that refuse it if two calls send one operation, or give one back, at the same instant. */
const RACES = ['usage_operations_once', 'given_back_once']

/** Usual operations that arrive while a query runs share the next one. */
export function createApplyUsageOperation(database: Database) {
  return shareStatements<UsageOperation, UsageAnswer>(database, {
    // One operation of a user at a time, not only of a count: operation ids are per user.
    keyOf: (operation) => operation.userId,
    // Throws if one cannot be done. A repetition finds the others, which are counted, by their ids.
    many: async (limited, operations, giveUpAt) => {
      const usual = await usualOf(limited, operations)
      if (usual.every((answer) => answer !== null)) return usual
      const answers = await Promise.allSettled(
        operations.map((operation, index) => usual[index] ?? applyOpen(database, operation, giveUpAt)),
      )
      return answers.map((answer) => {
        if (answer.status === 'rejected') throw answer.reason
        return answer.value
      })
    },
  })
}

/** Null: not decided here. */
async function usualOf(database: Queryable, operations: readonly UsageOperation[]) {
  try {
    return await consumeWhereUsual(database, operations)
  } catch (error) {
    if (isRace(error)) return operations.map(() => null)
    throw error
  }
}

/** A transaction that lost a race was rolled back. The next run finds the other's operation. */
async function applyOpen(database: Database, operation: UsageOperation, giveUpAt: number) {
  try {
    return await database.transaction((transaction) => applyIn(transaction, operation), giveUpAt)
  } catch (error) {
    if (isRace(error)) return { kind: 'stale' } as const
    throw error
  }
}

const isRace = (error: unknown) => error instanceof ConstraintViolation && RACES.includes(error.constraint)

async function applyIn(transaction: Queryable, operation: UsageOperation): Promise<UsageAnswer> {
  const { userId, limit, scopeId, operationId, kind, amount } = operation
  const place = [userId, limit, scopeId]
  const [row = {}] = await transaction.query(find, [...place, operationId, kind, givesBackOf(operation)])
  const { answer, change } = decideUsage(operation, foundIn(row))
  if (answer.kind === 'denied')
    await transaction.query(refuse, [...place, at(operation.now), amount ?? 1, answer.maximum, answer.used])
  if (!change) return answer
  const counted = await transaction.query(count, [...place, ...toColumns(operation, change)])
  return counted.length > 0 ? answer : { kind: 'stale' }
}

function toColumns(operation: UsageOperation, change: UsageChange) {
  const { countsAs, operationId, kind, maximum, now } = operation
  return [
    ...[countsAs, change.used, at(change.resetsAt), change.revision, operationId, kind, change.amount],
    ...[maximum, at(now), change.returned, givesBackOf(operation)],
  ]
}

function foundIn(row: Row): FoundUsage {
  return {
    user: row.is_found === null ? null : parseUser(row),
    known: json<StoredOperation | null>(row, 'known'),
    consumed: json<StoredOperation | null>(row, 'consumed'),
    count: row.revision === null ? null : parseCount(row),
  }
}

const parseCount = rowOf({ countsAs: text, used: integer, resetsAt: instantOrNull, revision: integer })
