// Granted time as rows: days from an operator, months by a code. The rows are the history; access is computed
// from the periods of the user's row (users.sql.ts).
import type { Instant } from '../core/instant.js'
import type { Plan } from '../core/plan.js'
import { type Queryable, statement } from '../database/database.js'
import {
  at,
  column,
  firstOf,
  flag,
  instant,
  integer,
  json,
  rowOf,
  text,
  textOrNull,
  writerOf,
} from '../database/rows.js'

const parseGrant = rowOf({
  userId: text,
  id: text,
  operationId: textOrNull,
  plan: json<Plan>,
  months: integer,
  days: integer,
  start: column('period_start', instant),
  end: column('period_end', instant),
  partOf: textOrNull,
  // The operator, and their reason; null: a code granted it, or it is a trial.
  by: column('granted_by', textOrNull),
  role: column('granted_role', textOrNull),
  why: textOrNull,
  codeHash: textOrNull,
  grantedAt: instant,
})
export type StoredGrant = ReturnType<typeof parseGrant>
export const grantToColumns = writerOf(parseGrant)

// A user has few grants, so these are found first. A walk through all grants by date would be slow.
const selectNewest = statement(
  'grants.newest',
  `select * from (select * from grants where user_id = $1 offset 0) own
    order by granted_at desc, id desc limit $2::int`,
)

export async function grantsOfUser(
  database: Queryable,
  userId: string,
  limit: number,
): Promise<readonly StoredGrant[]> {
  return (await database.query(selectNewest, [userId, limit])).map(parseGrant)
}

const selectOne = statement('grants.one', 'select * from grants where user_id = $1 and id = $2')

export function findGrant(database: Queryable, userId: string, id: string): Promise<StoredGrant | null> {
  return firstOf(database.query(selectOne, [userId, id]), parseGrant)
}

const selectByCode = statement(
  'grants.by_code',
  `select * from grants where user_id = $1 and code_hash = any($2::text[])
    order by granted_at desc, period_end desc limit 1`,
)

export function findGrantByCode(
  database: Queryable,
  userId: string,
  hashes: readonly string[],
): Promise<StoredGrant | null> {
  return firstOf(database.query(selectByCode, [userId, hashes]), parseGrant)
}

const selectHadPaidTime = statement(
  'grants.had_paid_time',
  `select exists (select from payments where user_id = $1 and period_start is not null)
       or exists (select from grants where user_id = $1 and (months > 0 or starts_with(id, 'tri_'))) as had`,
)

/** The user has bought or redeemed time, or has had a trial. Days that an operator granted do not count. */
export async function hadPaidTime(database: Queryable, userId: string): Promise<boolean> {
  const [row] = await database.query(selectHadPaidTime, [userId])
  return row ? flag(row, 'had') : false
}

const sumBelowOwners = statement(
  'grants.days_below_owners',
  `select coalesce(sum(days), 0)::int as days from grants
    where user_id = $1 and granted_at > $2::timestamptz and granted_role <> 'owner'`,
)

/** The days that operators below `owner` granted a user after an instant. */
export async function daysGrantedBelowOwners(
  database: Queryable,
  userId: string,
  after: Instant,
): Promise<number> {
  const [row] = await database.query(sumBelowOwners, [userId, at(after)])
  return row ? integer(row, 'days') : 0
}
