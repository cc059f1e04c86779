// Reads usage together with everything else known of a user, and deletes old operations.
import type { Instant } from '../core/instant.js'
import type { UsageCount } from '../core/limit.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, integer, json, text } from '../database/rows.js'
import { parsePayment } from '../ledger/payments.sql.js'
import { FACT_COLUMNS, OPEN_PAYMENT, parseProfile, parseUser } from '../ledger/users.sql.js'

/** The most counts of one user. Those of the user come first, then the projects with the most usage. */
const COUNTS_MAX = 1_000

const selectUsersWithUsage = statement(
  'usage.of_users',
  `select asked.user_id as asked_for, u.user_id is not null as is_known_user, ${FACT_COLUMNS}, p.*,
    counts.list as counts
     from unnest($1::text[]) asked(user_id)
     left join users u using (user_id)
     ${OPEN_PAYMENT}
     cross join lateral (
       select coalesce(jsonb_agg(jsonb_build_object('limit', c.limit_name, 'scopeId', c.scope, 'used', c.used,
                'resetsAt', extract(epoch from c.resets_at) * 1000, 'countsAs', c.counts_as)), '[]') as list
         from (select * from usage c where c.user_id = asked.user_id and (c.used > 0 or c.scope = '')
                order by c.scope <> '', c.used desc, c.scope limit ${COUNTS_MAX}) c
     ) counts`,
)

export type LoadUserWithUsage = ReturnType<typeof createLoadUserWithUsage>

/** Everything known of a user, in one round trip. Calls that arrive while a query runs share the next one. */
export function createLoadUserWithUsage(database: Queryable) {
  return shareStatements(database, {
    many: async (database, userIds: readonly string[]) => {
      const rows = await database.query(selectUsersWithUsage, [userIds])
      const found = new Map(rows.map((row) => [text(row, 'asked_for'), parseUserWithUsage(row)]))
      return userIds.flatMap((userId) => found.get(userId) ?? [])
    },
  })
}

function parseUserWithUsage(row: Row) {
  return {
    user: flag(row, 'is_known_user') ? parseUser(row) : null,
    profile: parseProfile(row),
    open: row.id === null ? null : parsePayment(row),
    counts: json<readonly UsageCount[]>(row, 'counts'),
  }
}

// Uses usage_operations_by_age, then the rows' physical addresses: for a join by key the planner would read
// the whole table instead of looking up a thousand rows.
const forgetOperations = statement(
  'usage.forget_operations',
  `with gone as (
     delete from usage_operations
      where ctid = any(array(
              select ctid from usage_operations
               where created_at < $1::timestamptz order by created_at limit $2::int
                 for update skip locked))
     returning user_id
   )
   select count(*) as forgotten from gone`,
)

/** Deletes up to `limit` operations before an instant, and returns how many. */
export async function forgetUsageOperations(database: Queryable, before: Instant, limit: number) {
  const [row] = await database.query(forgetOperations, [at(before), limit])
  return row ? integer(row, 'forgotten') : 0
}
