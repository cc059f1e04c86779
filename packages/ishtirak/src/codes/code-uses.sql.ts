// Codes as users enter them: what is known of one, what a user redeemed, and their wrong tries.
import type { CodeFacts, CodeKind } from '../core/code.js'
import { HOUR, type Instant } from '../core/instant.js'
import type { Plan } from '../core/plan.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  column,
  firstOf,
  flag,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  json,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import { RedemptionSchema, viewRows } from '../ledger/schemas.js'

/** This is `holdsCode` of core for `payments p`. */
export const HOLDS_CODE = "p.status in ('requested', 'pending', 'review', 'paid', 'refunded')"

// One row and the same work for every code, existing or not, so that neither answer nor time reveals
// anything.
const selectCode = statement(
  'codes.find',
  `select c.hash, c.used, b.*, own.paid + given.redeemed as own_uses,
          own.held
     from (
       select count(*) filter (where ${HOLDS_CODE})::int as paid,
              count(*) filter (
                where p.status in ('requested', 'pending') and p.method = any($3::text[])
              )::int as held
         from payments p where p.user_id = $1 and p.code_hash = any($2::text[])
     ) own
    cross join (
       select count(*)::int as redeemed from grants where user_id = $1 and code_hash = any($2::text[])
     ) given
     left join codes c on c.hash = any($2::text[])
     left join code_batches b on b.id = c.batch_id`,
)

/**
 * Null: none of these codes exists. The use that the user's open payment by these methods holds is not
 * counted, because the next choice replaces that payment.
 */
export async function findCode(
  database: Queryable,
  of: { readonly userId: string; readonly hashes: readonly string[]; readonly methods: readonly string[] },
): Promise<CodeFacts | null> {
  const [row] = await database.query(selectCode, [of.userId, of.hashes, of.methods])
  return row && row.hash !== null ? parseCode(row) : null
}

const selectUse = statement(
  'codes.own_use',
  `select used_at, is_open
     from (
       select coalesce(p.paid_at, p.created_at) as used_at, p.status in ('requested', 'pending',
         'review') as is_open
         from payments p where p.user_id = $1 and p.code_hash = any($2::text[]) and ${HOLDS_CODE}
        union all
       select granted_at, false from grants where user_id = $1 and code_hash = any($2::text[])
     ) own
    order by used_at desc limit 1`,
)

/** `isOpen`: a payment that is not settled yet holds the use. */
const parseUse = rowOf({ usedAt: instant, isOpen: flag })

export function findOwnUse(database: Queryable, userId: string, hashes: readonly string[]) {
  return firstOf(database.query(selectUse, [userId, hashes]), parseUse)
}

const parseBatch = rowOf({
  id: text,
  kind: word<CodeKind>,
  plan: json<Plan | null>,
  planId: textOrNull,
  months: integerOrNull,
  percent: integerOrNull,
  amount: integerOrNull,
  count: integer,
  uses: integer,
  usesPerUser: integer,
  from: column('valid_from', instantOrNull),
  until: column('valid_until', instantOrNull),
  revokedAt: instantOrNull,
})

function parseCode(row: Row): CodeFacts {
  const reserved = integer(row, 'held')
  return {
    hash: text(row, 'hash'),
    used: integer(row, 'used') - reserved,
    usedByUser: integer(row, 'own_uses') - reserved,
    batch: parseBatch(row),
  }
}

/** The wrong codes that a user may try in an hour. */
const WRONG_CODES_AN_HOUR = 10

// The tries are counted under the lock of the row, so that simultaneous ones cannot exceed the limit.
const insertTry = statement(
  'code_tries.begin',
  `with begun as (
     insert into code_tries as t (user_id, tried_at) values ($1, array[$2::timestamptz])
         on conflict (user_id) do update
        set tried_at = (select coalesce(array_agg(i), '{}') from unnest(t.tried_at) i
                         where i > $3::timestamptz) || $2::timestamptz
      where (select count(*) from unnest(t.tried_at) i where i > $3::timestamptz)
            < ${WRONG_CODES_AN_HOUR}
     returning user_id
   )
   select exists (select from begun) as is_begun,
          (select min(i) from code_tries t, unnest(t.tried_at) i
            where t.user_id = $1 and i > $3::timestamptz) as oldest`,
)

/** Counts a try before the code is checked. Returns null, or the instant of the next possible try. */
export async function beginTry(database: Queryable, userId: string, now: Instant): Promise<Instant | null> {
  const [row] = await database.query(insertTry, [userId, at(now), at(now - HOUR)])
  if (!row || row.is_begun === true) return null
  return (instantOrNull(row, 'oldest') ?? now) + HOUR
}

// Deletes one row: several tries may have begun at one instant.
const deleteTry = statement(
  'code_tries.forget',
  `update code_tries
      set tried_at = tried_at[:array_position(tried_at, $2::timestamptz) - 1]
                     || tried_at[array_position(tried_at, $2::timestamptz) + 1:]
    where user_id = $1 and $2::timestamptz = any(tried_at)`,
)

export async function forgetTry(database: Queryable, userId: string, triedAt: Instant): Promise<void> {
  await database.query(deleteTry, [userId, at(triedAt)])
}

/** More than a user is expected to redeem; a longer list would need pages. */
const SHOWN_MAX = 100

const selectNewest = statement(
  'redemptions.newest',
  `select id, plan->>'id' as plan, months, granted_at as redeemed_at, period_start, period_end
     from grants where user_id = $1 and code_hash is not null
    order by granted_at desc, id desc limit ${SHOWN_MAX}`,
)

export type Redemption = Awaited<ReturnType<typeof listRedemptions>>[number]

export async function listRedemptions(database: Queryable, userId: string) {
  return viewRows(RedemptionSchema, await database.query(selectNewest, [userId]))
}
