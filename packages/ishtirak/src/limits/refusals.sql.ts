// The hours in which a limit refused something, kept for 30 days. operations.sql.ts writes them.
import type { Static } from 'typebox'
import { cursorOf } from '../acts/paging.js'
import { HOUR, type Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, integer } from '../database/rows.js'
import { viewRows } from '../ledger/schemas.js'
import { FullHourSchema } from './schemas.js'

export type FullHour = Static<typeof FullHourSchema>

const cursors = cursorOf({ hour: 'number', limit: 'string', scope: 'string' })

const hourOf = ({ first_at }: FullHour) => Date.parse(first_at) - (Date.parse(first_at) % HOUR)

const selectPage = statement(
  'usage_refusals.page',
  `select limit_name as "limit", scope, refused, asked, used, maximum, first_at, last_at
     from usage_refusals
    where user_id = $1 and (hour, limit_name, scope) < ($2::timestamptz, $3::text, $4::text)
    order by hour desc, limit_name desc, scope desc limit $5::int`,
)

/** Newest first. Throws `invalid_cursor`. */
export async function fullHours(
  database: Queryable,
  { userId, cursor, limit }: { userId: string; cursor: string | null; limit: number },
) {
  const last = cursor === null ? null : cursors.decode(cursor)
  const after = last ? [at(last.hour), last.limit, last.scope] : ['infinity', '', '']
  const rows = await database.query(selectPage, [userId, ...after, limit + 1])
  const hours: readonly FullHour[] = viewRows(FullHourSchema, rows)
  return cursors.pageBy(hours, limit, (one) => ({ ...one, hour: hourOf(one) }))
}

// Uses usage_refusals_by_age.
const forget = statement(
  'usage_refusals.forget',
  `with gone as (
     delete from usage_refusals
      where ctid = any(array(
              select ctid from usage_refusals where hour < $1::timestamptz order by hour limit $2::int
                 for update skip locked))
     returning user_id
   )
   select count(*) as forgotten from gone`,
)

/** Deletes up to `limit` rows of hours before an instant, and returns how many. */
export async function forgetFullHours(database: Queryable, before: Instant, limit: number): Promise<number> {
  const [row] = await database.query(forget, [at(before), limit])
  return row ? integer(row, 'forgotten') : 0
}
