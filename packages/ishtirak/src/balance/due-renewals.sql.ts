// Whose balance has bought something that is not written down.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'

// Uses the index users_renew.
const selectDue = statement(
  'balance.due_renewals',
  `select u.user_id, ${FACT_COLUMNS} from users u
    where u.renews_at <= $1::timestamptz
    order by u.renews_at
    limit $2::int`,
)

export async function findUsersToRenew(database: Queryable, now: Instant, limit: number) {
  const rows = await database.query(selectDue, [at(now), limit])
  return rows.map((row) => ({ userId: text(row, 'user_id'), user: parseUser(row) }))
}
