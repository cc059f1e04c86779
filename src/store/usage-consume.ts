// The usual case of consuming: the operation is new, its limit was derived from the user's present facts, and there is
// room. One small statement counts it and remembers it, or says what the facts are. What it leaves open, a no or a
// repetition, the statement in usage-operations.ts decides.
import { type Queryable, type Row, statement } from './database.js'
import { at, flag, instantOrNull, integer, text } from './rows.js'
import type { UsageAnswer, UsageOperation } from './usage-operations.js'
import { FACT_COLUMNS, parseUser } from './users.js'

// asked    the operations, one of each user.
// counted  a count that is new, or one more on it, as the last commit left it: whoever comes second waits here, and
//          compares what he finds then. A count of another day counts as zero.
// The rest remembers what was counted. Where two send one operation at the same instant, its key refuses the second.
const consumeUsual = statement(
  'usage.consume',
  `with asked as materialized (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::bigint[],
                          $8::bigint[])
         as a(user_id, limit_name, project_id, amount, operation_id, resets_at, maximum, believed_version)
   ), counted as (
     insert into usage as u (user_id, limit_name, project_id, used, resets_at, revision)
     select user_id, limit_name, project_id, amount, resets_at, 1
       from asked a
      where amount <= maximum
        and believed_version is not distinct from (select version from users where user_id = a.user_id)
        and not exists (select from usage_operations
                         where user_id = a.user_id and operation_id = a.operation_id and kind = 'consume')
         on conflict (user_id, limit_name, project_id) do update
        set used = case when excluded.resets_at > u.resets_at then 0 else u.used end + excluded.used,
            resets_at = greatest(excluded.resets_at, u.resets_at), revision = u.revision + 1
      where case when excluded.resets_at > u.resets_at then 0 else u.used end + excluded.used
            <= (select maximum from asked where user_id = excluded.user_id)
     returning u.user_id, u.used, u.resets_at
   ), remembered as (
     insert into usage_operations (user_id, operation_id, kind, limit_name, project_id, amount, maximum, used, resets_at,
                                   created_at)
     select user_id, operation_id, 'consume', limit_name, project_id, amount, maximum, c.used, c.resets_at, $9::timestamptz
       from counted c join asked using (user_id)
   )
   select a.user_id, c.used, c.resets_at, a.believed_version is distinct from f.version as is_outdated, f.*
     from asked a left join counted c using (user_id)
     left join lateral (
       select true as is_found, ${FACT_COLUMNS} from users u where u.user_id = a.user_id and c.user_id is null limit 1
     ) f on true`,
)

/** `operations` are of different users, sorted by user. Null: not decided here. Throws, and then none was counted. */
export async function consumeWhereUsual(
  database: Queryable,
  operations: readonly UsageOperation[],
): Promise<readonly (UsageAnswer | null)[]> {
  const consumed = operations.filter(({ kind }) => kind === 'consume')
  const [first] = consumed
  if (!first) return operations.map(() => null)
  const rows = await database.query(consumeUsual, [
    consumed.map(({ userId }) => userId),
    consumed.map(({ limit }) => limit),
    consumed.map(({ projectId }) => projectId),
    consumed.map(({ amount }) => amount ?? 1),
    consumed.map(({ operationId }) => operationId),
    consumed.map(({ resetsAt }) => at(resetsAt)),
    consumed.map(({ maximum }) => maximum),
    consumed.map(({ version }) => version),
    at(first.now),
  ])
  const answers = new Map(rows.map((row) => [text(row, 'user_id'), row]))
  return operations.map(({ kind, userId, maximum }) => {
    const row = kind === 'consume' ? answers.get(userId) : undefined
    return row ? parseAnswer(row, maximum) : null
  })
}

function parseAnswer(row: Row, maximum: number): UsageAnswer | null {
  if (row.used !== null)
    return { kind: 'done', maximum, used: integer(row, 'used'), resetsAt: instantOrNull(row, 'resets_at') }
  return flag(row, 'is_outdated') ? { kind: 'outdated', user: row.is_found ? parseUser(row) : null } : null
}
