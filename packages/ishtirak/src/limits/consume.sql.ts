// Consuming in the usual case: the operation is new, the count exists, its limit was derived from the user's
// present facts, and there is room. One small query does it. All other cases (a first use, a refusal, a
// repetition, other facts) are decided on what operations.sql.ts reads.
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instantOrNull, integer, text } from '../database/rows.js'
import type { UsageAnswer, UsageOperation } from './decide-usage.js'

// `counted` raises the count that the last commit left: a second call waits here and compares what it finds
// then. A count of a day or month that is over is read as zero. The rest stores the operation: if it is sent
// twice at the same instant, its key refuses the second. Operations are read one by one (`limit 1`): a
// plan that was made while the table was small must not scan it when it has grown.
const COUNT_ASKED = `
   counted as (
     update usage u
        set used = case when u.resets_at < a.resets_at then 0 else u.used end + a.amount,
            resets_at = case when u.resets_at < a.resets_at then a.resets_at else u.resets_at end,
            revision = u.revision + 1
       from asked a
      where u.user_id = a.user_id and u.limit_name = a.limit_name and u.scope = a.scope
        and u.counts_as = a.counts_as
        and case when u.resets_at < a.resets_at then 0 else u.used end + a.amount <= a.maximum
        and a.known_version is not distinct from (select version from users where user_id = a.user_id)
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
   select user_id, maximum, used, resets_at from counted`

// Unpacking arrays costs a single operation a fifth (measured), so it has a query of its own.
const countOne = statement(
  'usage.consume_one',
  `with asked as (
     select $1::text as user_id, $2::text as limit_name, $3::text as counts_as, $4::text as scope,
            $5::bigint as amount, $6::text as operation_id, $7::timestamptz as resets_at,
            $8::bigint as maximum, $9::bigint as known_version
   ), ${COUNT_ASKED}`,
)
const countMany = statement(
  'usage.consume_many',
  `with asked as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[],
                          $7::timestamptz[], $8::bigint[], $9::bigint[])
       a(user_id, limit_name, counts_as, scope, amount, operation_id, resets_at, maximum, known_version)
   ), ${COUNT_ASKED}`,
)

/** The parameters in order. */
function valuesOf(operation: UsageOperation) {
  const { userId, limit, countsAs, scopeId, amount, operationId, resetsAt, maximum, version } = operation
  return [userId, limit, countsAs, scopeId, amount ?? 1, operationId, at(resetsAt), maximum, version] as const
}

/** `operations` are of different users, sorted. Null: not decided here. If it throws, nothing was counted. */
export async function consumeWhereUsual(
  database: Queryable,
  operations: readonly UsageOperation[],
): Promise<readonly (UsageAnswer | null)[]> {
  const [first, ...others] = operations.filter(mayBeUsual)
  if (!first) return operations.map(() => null)
  const values = valuesOf(first)
  const all = [values, ...others.map(valuesOf)]
  const rows =
    others.length === 0
      ? await database.query(countOne, [...values, at(first.now)])
      : await database.query(countMany, [
          ...values.map((_, column) => all.map((one) => one[column] ?? null)),
          at(first.now),
        ])
  const answers = new Map(rows.map((row) => [text(row, 'user_id'), parseAnswer(row)]))
  return operations.map((operation) =>
    mayBeUsual(operation) ? (answers.get(operation.userId) ?? null) : null,
  )
}

const mayBeUsual = ({ kind, isUserRead }: UsageOperation) => kind === 'consume' && isUserRead

function parseAnswer(row: Row): UsageAnswer {
  return {
    kind: 'done',
    maximum: integer(row, 'maximum'),
    used: integer(row, 'used'),
    resetsAt: instantOrNull(row, 'resets_at'),
  }
}
