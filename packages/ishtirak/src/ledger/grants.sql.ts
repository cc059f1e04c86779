// Time that no payment bought, as rows: days from the operator, months by a code. They are the history; the
// periods that access is computed from are the user's (users.sql.ts).
import type { Grant } from '../core/grant.js'
import type { Instant } from '../core/instant.js'
import type { Plan } from '../core/plan.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, column, instant, integer, json, rowOf, text, textOrNull } from '../database/rows.js'

export interface GrantRow extends Grant {
  /** The operator, and their reason; null: it is by a code. */
  readonly by: string | null
  readonly role: string | null
  readonly why: string | null
  /** Of the code whose use gives it. */
  readonly codeHash?: string
}

/**
 * Parts of the statement that saves a change (settle.sql.ts), between two others of its `with`: what is
 * granted, and the periods that a refund moves. Each grant of a period keeps its place in it. What has begun
 * keeps its beginning: of a change, the first of what it changed may be over and forgotten.
 */
export const PERIOD_PARTS = `, granted as (
     insert into grants (user_id, id, operation_id, plan, months, days, period_start, period_end, granted_at,
       granted_by,
                         granted_role, part_of, why, code_hash)
     select e.user_id, g.id, g.operation_id, g.plan, g.months, g.days, g.period_start, g.period_end, e.now,
            g.granted_by, g.granted_role, g.part_of, g.why, g.code_hash
       from effect e, jsonb_populate_record(null::grants, e.granted) g
      where e.granted is not null
   ), shifted as (
     update payments p
        set period_start = case when p.period_start > e.now then r.period_start else p.period_start end,
            period_end = r.period_end
       from effect e,
            jsonb_to_recordset(e.shifted) as r(id text, period_start timestamptz, period_end timestamptz)
      where e.shifted is not null and p.user_id = e.user_id and p.id = r.id and p.status = 'paid'
   ), shifted_grants as (
     update grants g
        set period_start = r.period_start + (g.period_start - first.period_start),
            period_end = case when g.months > 0 then r.period_end
                              else r.period_start + (g.period_end - first.period_start) end
       from effect e,
            jsonb_to_recordset(e.shifted) as r(id text, period_start timestamptz, period_end timestamptz),
            grants first
      where e.shifted is not null and first.user_id = e.user_id and first.id = r.id
        and g.user_id = e.user_id and (g.id = r.id or g.part_of = r.id)
   )`

export function grantToColumns(grant: GrantRow) {
  const { id, operationId, plan, months, days, start, end, by, role, partOf, why, codeHash } = grant
  return {
    ...{ id, operation_id: operationId, plan, months, days },
    ...{ period_start: at(start), period_end: at(end) },
    ...{ granted_by: by, granted_role: role, part_of: partOf, why },
    code_hash: codeHash,
  }
}

const parseGrant = rowOf({
  id: text,
  operationId: textOrNull,
  plan: json<Plan>,
  months: integer,
  days: integer,
  start: column('period_start', instant),
  end: column('period_end', instant),
  grantedAt: instant,
  partOf: textOrNull,
  by: column('granted_by', textOrNull),
  role: column('granted_role', textOrNull),
  why: textOrNull,
}) satisfies (row: Row) => GrantRow
export type StoredGrant = ReturnType<typeof parseGrant>

// A user has few grants: they are found first, never by a walk through all users' in order.
const selectNewest = statement(
  'grants.newest',
  `select * from (select * from grants where user_id = $1 offset 0) own
    order by granted_at desc, id desc limit $2::int`,
)

/** Newest first. */
export async function grantsOfUser(
  database: Queryable,
  userId: string,
  limit: number,
): Promise<readonly StoredGrant[]> {
  return (await database.query(selectNewest, [userId, limit])).map(parseGrant)
}

const selectOne = statement('grants.one', 'select * from grants where user_id = $1 and id = $2')

export async function findGrant(
  database: Queryable,
  userId: string,
  id: string,
): Promise<StoredGrant | null> {
  const [row] = await database.query(selectOne, [userId, id])
  return row ? parseGrant(row) : null
}

const selectByCode = statement(
  'grants.by_code',
  `select * from grants where user_id = $1 and code_hash = any($2::text[])
    order by granted_at desc, period_end desc limit 1`,
)

/** The newest that one of these codes gave the user. */
export async function findGrantByCode(
  database: Queryable,
  userId: string,
  hashes: readonly string[],
): Promise<StoredGrant | null> {
  const [row] = await database.query(selectByCode, [userId, hashes])
  return row ? parseGrant(row) : null
}

const sumBelowOwners = statement(
  'grants.days_below_owners',
  `select coalesce(sum(days), 0)::int as days from grants
    where user_id = $1 and granted_at > $2::timestamptz and granted_role <> 'owner'`,
)

/** What operators in another role than `owner` granted a user after an instant. */
export async function daysGrantedBelowOwners(
  database: Queryable,
  userId: string,
  after: Instant,
): Promise<number> {
  const [row] = await database.query(sumBelowOwners, [userId, at(after)])
  return row ? integer(row, 'days') : 0
}
