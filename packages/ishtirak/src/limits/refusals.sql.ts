// When a limit was full: a row for each hour in which something was refused, kept for 30 days. The statement
// that refuses writes it (operations.sql.ts); what is counted writes none.
import { pageCursor } from '../acts/paging.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, integer, rowOf, text } from '../database/rows.js'

const parse = rowOf({
  hour: instant,
  limitName: text,
  scope: text,
  refused: integer,
  asked: integer,
  used: integer,
  maximum: integer,
  firstAt: instant,
  lastAt: instant,
})
export type FullHour = ReturnType<typeof parse>

type Position = Pick<FullHour, 'hour' | 'limitName' | 'scope'>

const cursors = pageCursor<Position>(
  ({ hour, limitName, scope }) => [hour, limitName, scope],
  ([hour, limitName, scope]) =>
    typeof hour === 'number' && typeof limitName === 'string' && typeof scope === 'string'
      ? { hour, limitName, scope }
      : null,
)

const selectPage = statement(
  'usage_refusals.page',
  `select * from usage_refusals
    where user_id = $1 and (hour, limit_name, scope) < ($2::timestamptz, $3::text, $4::text)
    order by hour desc, limit_name desc, scope desc limit $5::int`,
)

/** Newest first. Throws `invalid_cursor`. */
export async function fullHours(
  database: Queryable,
  {
    userId,
    cursor,
    limit,
  }: { readonly userId: string; readonly cursor: string | null; readonly limit: number },
) {
  const last = cursor === null ? null : cursors.decode(cursor)
  const after = last ? [at(last.hour), last.limitName, last.scope] : ['infinity', '', '']
  const rows = await database.query(selectPage, [userId, ...after, limit + 1])
  return cursors.pageOf(rows.map(parse), limit)
}

/** As the API writes it. */
export function viewFullHour({ limitName, firstAt, lastAt, hour: _, ...counts }: FullHour) {
  return { limit: limitName, ...counts, first_at: toTimestamp(firstAt), last_at: toTimestamp(lastAt) }
}

// Rides on usage_refusals_by_age.
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

/** Forgets up to `limit` rows of hours before an instant. Gives how many. */
export async function forgetFullHours(database: Queryable, before: Instant, limit: number): Promise<number> {
  const [row] = await database.query(forget, [at(before), limit])
  return row ? integer(row, 'forgotten') : 0
}
