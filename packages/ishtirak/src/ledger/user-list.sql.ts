// Users as lists, each sorted by an instant and then by the user's id.
import type { TimeSpan } from '../acts/day.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from './users.sql.js'

interface UserPosition {
  /** The place of its part among the parts that are listed. */
  readonly part: number
  readonly at: Instant
  readonly userId: string
}

export type ListedRow = UserRecord &
  UserPosition & { readonly createdAt: Instant; readonly changedAt: Instant }

const CHANGED_AT = 'coalesce(u.changed_at, u.created_at)'
/** Uses the index of its name, which has the instant `of` and the id. */
const listed = (name: string, of: string, where: string) =>
  statement(
    `users.listed_${name}`,
    `select ${FACT_COLUMNS}, u.user_id, u.created_at, ${CHANGED_AT} as changed_at, ${of} as at
       from users u
      where ${where} and ${of} >= $4::timestamptz and ${of} < $5::timestamptz
        and (${of}, u.user_id) > ($2::timestamptz, $3)
      order by ${of}, u.user_id limit $1::int`,
  )
/**
 * In the list of all users, those who lose access soonest come first: users in grace and with time left, then
 * users whose time is over (both by `end`), users whose access an operator ended, and users who never had
 * time.
 */
const LISTS = {
  end: listed('by_end', 'u.paid_until', 'u.ended_at is null'),
  ended: listed('ended', 'u.ended_at', 'u.ended_at is not null'),
  unpaid: listed('unpaid', 'u.created_at', 'u.paid_until is null and u.ended_at is null'),
  balance: listed('with_balance', 'u.created_at', 'u.balance > 0'),
  changed: listed('changed', CHANGED_AT, 'true'),
}

/** Users of one of the lists, with the span in which the instant lies that sorts them. */
export interface ListPart extends TimeSpan {
  readonly by: keyof typeof LISTS
}

/** The users of these parts, one part after the other, after this position; null: from the first on. */
export async function listedUsers(
  database: Queryable,
  parts: readonly ListPart[],
  after: UserPosition | null,
  limit: number,
): Promise<readonly ListedRow[]> {
  const users: ListedRow[] = []
  for (const [part, { by, from, to }] of parts.entries()) {
    if (from >= to || part < (after?.part ?? 0) || users.length === limit) continue
    const position = after?.part === part ? [at(after.at), after.userId] : ['-infinity', '']
    const rows = await database.query(LISTS[by], [limit - users.length, ...position, at(from), at(to)])
    users.push(
      ...rows.map((row) => ({
        ...parseUser(row),
        ...{ part, at: instant(row, 'at'), userId: text(row, 'user_id') },
        ...{ createdAt: instant(row, 'created_at'), changedAt: instant(row, 'changed_at') },
      })),
    )
  }
  return users
}
