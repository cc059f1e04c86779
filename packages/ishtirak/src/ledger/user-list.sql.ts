// Users as lists, each sorted by an instant and then by the user's id.
import type { TimeSpan } from '../acts/day.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from './users.sql.js'

interface UserPosition {
  /** One of `LIST_PARTS`. */
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
const byEnd = listed('by_end', 'u.paid_until', 'u.ended_at is null')

/**
 * The list of all users has the first four, so that those who lose access soonest come first: users in grace
 * and with time left, users whose time is over, users whose access an operator ended, and users who never
 * had time.
 */
const PARTS = [
  byEnd,
  byEnd,
  listed('ended', 'u.ended_at', 'u.ended_at is not null'),
  listed('unpaid', 'u.created_at', 'u.paid_until is null and u.ended_at is null'),
  listed('with_balance', 'u.created_at', 'u.balance > 0'),
  listed('changed', CHANGED_AT, 'true'),
]
export const LIST_PARTS = { ending: 0, over: 1, ended: 2, unpaid: 3, withBalance: 4, changed: 5 } as const

/** Which parts of all users are read, and the span in which the instant lies that sorts them. */
export type WantedParts = readonly (readonly [part: number, span: TimeSpan])[]

/** The users after this position; null: from the first on. */
export async function listedUsers(
  database: Queryable,
  wanted: WantedParts,
  after: UserPosition | null,
  limit: number,
): Promise<readonly ListedRow[]> {
  const users: ListedRow[] = []
  for (const [part, { from, to }] of wanted) {
    const select = PARTS[part]
    if (!select || part < (after?.part ?? 0) || users.length === limit) continue
    const behind = after?.part === part ? [at(after.at), after.userId] : ['-infinity', '']
    const rows = await database.query(select, [limit - users.length, ...behind, at(from), at(to)])
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
