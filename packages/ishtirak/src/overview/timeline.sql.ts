// Everything that happened to a user, newest first: one query with a part for each table. Each part reads all
// rows of the user by an index that begins with the user.
import { cursorOf } from '../acts/paging.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'

/** The order of entries that have the same instant, the first on top. */
export const TIMELINE_KINDS = [
  'act',
  'mail',
  'event',
  'report',
  'grant',
  'period',
  'paid',
  'payment',
] as const

/** `rank` is the place in `TIMELINE_KINDS`. `id` is unique within the kind. */
export const byEntry = cursorOf({ at: 'number', id: 'string', rank: 'number' })

const selectPage = statement(
  'timeline.page',
  `select * from (
     select 0 as rank, 'act' as kind, acted_at as at, id, act as what, payment_id, null::int as amount,
            null::timestamptz as until, actor, reason as why
       from audit where user_id = $1
      union all
     select 1, 'mail', queued_at, kind || ' ' || about, kind,
            case when about like 'pay\\_%' then split_part(about, '/', 1) end, null::int,
            null::timestamptz, null::text, outcome
       from mails where user_id = $1
      union all
     select 2, 'event', created_at, id, type, payment_id, null::int, null::timestamptz, null::text, failure
       from outbox where user_id = $1
      union all
     select 3, 'report', received_at, id, type, payment_id, amount, null::timestamptz, method, outcome
       from provider_events where user_id = $1
      union all
     select 4, 'grant', granted_at, id,
            case when days > 0 then days || ' days' else months || ' months' end, null::text, null::int,
            period_end, granted_by, why
       from grants where user_id = $1
      union all
     select 5, 'period', period_start, id, plan->>'id', id, null::int, period_end, null::text, null::text
       from payments where user_id = $1 and status = 'paid' and period_start <= $2::timestamptz
      union all
     select 6, 'paid', paid_at, id, coalesce(plan->>'id', kind), id, amount, null::timestamptz, instrument,
            null::text
       from payments where user_id = $1 and paid_at is not null
      union all
     select 7, 'payment', created_at, id, coalesce(plan->>'id', kind), id, coalesce(amount_asked, amount),
            null::timestamptz, method, status
       from payments where user_id = $1) t
    where $3::timestamptz is null or at < $3::timestamptz
       or (at = $3::timestamptz and (rank, id) > ($4::bigint, $5::text))
    order by at desc, rank, id
    limit $6::int`,
)

/** Newest first. Periods that have not begun are left out. */
export async function timelinePage(
  database: Queryable,
  userId: string,
  { after, limit }: { readonly after: ReturnType<typeof byEntry.decode> | null; readonly limit: number },
  now: Instant,
) {
  const place = [at(after?.at ?? null), after?.rank ?? null, after?.id ?? null]
  return database.query(selectPage, [userId, at(now), ...place, limit])
}
