// The queries of the audit trail, newest first, one for each filter.
import type { TimeSpan } from '../acts/day.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at } from '../database/rows.js'

/** `q`: words of the reason, or an id. */
type TrailFilter = {
  readonly [Name in 'actor' | 'act' | 'user_id' | 'payment_id' | 'q']?: string | null | undefined
} & { readonly day?: TimeSpan | null }

const trail = (name: string, source: string, isWanted = 'true') =>
  statement(
    `audit.trail_${name}`,
    `select acted_at as at, id, nullif(user_id, '') as user_id, payment_id, actor, act, reason as why,
      before, after
       from ${source}
      where ${isWanted} and ($1::text is null or actor = $1) and ($2::text is null or act = $2)
        and acted_at >= $3::timestamptz and acted_at < $4::timestamptz
        and (acted_at, id) < ($5::timestamptz, $6::text)
      order by acted_at desc, id desc limit $7::int`,
  )

// Each filter has its own query and index: a generic plan for all filters would read all acts.
const selectAll = trail('all', 'audit')
const selectByActor = trail('by_actor', 'audit', 'actor = $1')
const selectByAct = trail('by_act', 'audit', 'act = $2')
// A user has few acts, so they are found first and then sorted. `offset 0` enforces this order: a plan made
// for an empty table would read the index of all acts.
const selectOfUser = trail('of_user', '(select * from audit where user_id = $8 offset 0) own')
const selectOfPayment = trail(
  'of_payment',
  `(select * from audit
     where user_id = (select user_id from payments where id = $8 limit 1) and payment_id = $8 offset 0) own`,
)

// Few acts have the same words, so they are found first. Uses the index audit_by_words.
const SIGNS = `'/.:@<>=&?#+_-', '           '`
const WORDS = `to_tsvector('simple', translate(
  coalesce(reason, '') || ' ' || user_id || ' ' || coalesce(payment_id, '') || ' ' || id || ' ' || actor,
  ${SIGNS}))`
const selectByWords = trail(
  'by_words',
  `(select * from audit where ${WORDS} @@ plainto_tsquery('simple', translate($8, ${SIGNS})) offset 0) own`,
  '($9::text is null or user_id = $9) and ($10::text is null or payment_id = $10)',
)

/** `after`: the page goes on after this act. */
export async function trailPage(
  database: Queryable,
  { actor = null, act = null, day = null, user_id = null, payment_id = null, q = null }: TrailFilter,
  after: { readonly at: Instant; readonly id: string } | null,
  limit: number,
): Promise<readonly Row[]> {
  const span = day ? [at(day.from), at(day.to)] : ['-infinity', 'infinity']
  const values = [actor, act, ...span, ...(after ? [at(after.at), after.id] : ['infinity', '']), limit]
  if (q !== null) return database.query(selectByWords, [...values, q, user_id, payment_id])
  if (payment_id !== null) return database.query(selectOfPayment, [...values, payment_id])
  if (user_id !== null) return database.query(selectOfUser, [...values, user_id])
  if (actor !== null) return database.query(selectByActor, values)
  return database.query(act === null ? selectAll : selectByAct, values)
}
