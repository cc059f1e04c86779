// Users as a list. Those who lose access soonest come first: users in grace and with time left, sorted by
// end; then users whose time is over, users whose access an operator ended, and users who never had time. Two
// more lists have the users with money on their balance, and those who changed since an instant.
import type { TimeSpan } from '../acts/day.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from './users.sql.js'

export interface UserPosition {
  /** One of `LIST_PARTS`. */
  readonly part: number
  readonly at: Instant
  readonly userId: string
}

export type ListedRow = UserRecord &
  UserPosition & { readonly createdAt: Instant; readonly changedAt: Instant }

const CHANGED_AT = 'coalesce(u.changed_at, u.created_at)'
const listed = (name: string, where: string, order: string) =>
  statement(
    `users.listed_${name}`,
    `select ${FACT_COLUMNS}, u.user_id, u.created_at, ${CHANGED_AT} as changed_at,
            coalesce(u.ended_at, u.paid_until, u.created_at) as at
       from users u where ${where} order by ${order} limit $1::int`,
  )
const between = (instant: string) =>
  `${instant} >= $4::timestamptz and ${instant} < $5::timestamptz
   and (${instant}, u.user_id) > ($2::timestamptz, $3)`

// Each query uses the index of its name.
const selectByEnd = listed(
  'by_end',
  `u.ended_at is null and ${between('u.paid_until')}`,
  'u.paid_until, u.user_id',
)
const selectEnded = listed(
  'ended',
  `u.ended_at is not null and ${between('u.ended_at')}`,
  'u.ended_at, u.user_id',
)
const selectUnpaid = listed(
  'unpaid',
  'u.paid_until is null and u.ended_at is null and u.user_id > $2',
  'u.user_id',
)
const selectChanged = listed('changed', between(CHANGED_AT), `${CHANGED_AT}, u.user_id`)
const selectWithBalance = listed('with_balance', 'u.balance > 0 and u.user_id > $2', 'u.user_id')

export const LIST_PARTS = { ending: 0, over: 1, ended: 2, unpaid: 3, withBalance: 4, changed: 5 } as const

/** Which parts of all users are read. In the first three the end lies in the span, in the last the change. */
export type WantedParts = ReadonlyMap<number, TimeSpan | null>

/** The users after this position; null: from the first on. */
export async function listedUsers(
  database: Queryable,
  wanted: WantedParts,
  after: UserPosition | null,
  limit: number,
): Promise<readonly ListedRow[]> {
  const rows: ListedRow[] = []
  for (const [part, span] of wanted) {
    if (part < (after?.part ?? 0) || rows.length === limit) continue
    const behind = after?.part === part ? after : null
    const found = await rowsOf(database, { part, span, behind, limit: limit - rows.length })
    rows.push(...found.map((row) => parse(row, part)))
  }
  return rows
}

function rowsOf(
  database: Queryable,
  of: { part: number; span: TimeSpan | null; behind: UserPosition | null; limit: number },
): Promise<readonly Row[]> {
  const { part, span, behind, limit } = of
  if (part === LIST_PARTS.unpaid) return database.query(selectUnpaid, [limit, behind?.userId ?? ''])
  if (part === LIST_PARTS.withBalance) return database.query(selectWithBalance, [limit, behind?.userId ?? ''])
  const ends = span ? [at(span.from), at(span.to)] : ['-infinity', 'infinity']
  const values = [limit, behind ? at(behind.at) : '-infinity', behind?.userId ?? '', ...ends]
  if (part === LIST_PARTS.changed) return database.query(selectChanged, values)
  return database.query(part === LIST_PARTS.ended ? selectEnded : selectByEnd, values)
}

function parse(row: Row, part: number): ListedRow {
  const userId = text(row, 'user_id')
  const [createdAt, changedAt] = [instant(row, 'created_at'), instant(row, 'changed_at')]
  return {
    ...parseUser(row),
    part,
    at: part === LIST_PARTS.changed ? changedAt : instant(row, 'at'),
    ...{ userId, createdAt, changedAt },
  }
}
