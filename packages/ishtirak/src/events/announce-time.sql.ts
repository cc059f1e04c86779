// Users whose announcement is due, and the statement that writes the event, the owed mail and the schedule together, so that
// each boundary is announced once however many processes look.
import type { Boundary } from '../core/announcement.js'
import type { NewEvent } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, integer, text, textOrNull } from '../database/rows.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from '../payments/users.sql.js'

export interface DueUser {
  readonly userId: string
  readonly user: UserRecord
  readonly announced: Boundary | null
}

// Rides on users_announce.
const selectDue = statement(
  'announcements.due',
  `select u.user_id, u.announced, ${FACT_COLUMNS}
     from users u
    where u.announce_at <= $1::timestamptz
    order by u.announce_at
    limit $2::int`,
)

/** Those whose boundary was passed first come first. */
export async function loadDueAnnouncements(
  database: Queryable,
  now: Instant,
  limit: number,
): Promise<readonly DueUser[]> {
  const rows = await database.query(selectDue, [at(now), limit])
  return rows.map((row) => ({
    userId: text(row, 'user_id'),
    user: parseUser(row),
    // The check constraint of the column holds the same list.
    announced: textOrNull(row, 'announced') as Boundary | null,
  }))
}

const save = statement(
  'announcements.save',
  `with guard as (
     select user_id from users where user_id = $1 and version = $2::bigint for update
   ), announced as (
     insert into outbox (user_id, sequence, id, type, payload, created_at)
     select g.user_id, ($4::jsonb->'data'->>'sequence')::bigint, $3, $4::jsonb->>'type', $4::jsonb, $7::timestamptz
       from guard g where $3::text is not null
   ), owed as (
     insert into mails (user_id, kind, about, queued_at, due_at)
     select g.user_id, $8::text, $9::text, $7::timestamptz, $7::timestamptz from guard g where $8::text is not null
         on conflict do nothing
   )
   update users u
      set version = u.version + 1, announced = $5, announce_at = $6::timestamptz,
          event_sequence = u.event_sequence + case when $3::text is null then 0 else 1 end,
          deliver_at = case when u.delivered_sequence < u.event_sequence then u.deliver_at
                            else least(u.deliver_at, $7::timestamptz) end
     from guard g
    where u.user_id = g.user_id
   returning u.version`,
)

/** `stale`: the user has changed since they were read, so what was decided may no longer be true. Nothing was saved. */
export async function saveAnnouncement(
  database: Queryable,
  of: {
    readonly userId: string
    readonly version: number
    readonly event: NewEvent | null
    readonly announced: Boundary | null
    readonly announceAt: Instant | null
    readonly now: Instant
  },
): Promise<'saved' | 'stale'> {
  const rows = await database.query(save, [
    of.userId,
    of.version,
    of.event?.id ?? null,
    of.event ? JSON.stringify(of.event.event) : null,
    of.announced,
    at(of.announceAt),
    at(of.now),
    of.event?.mail?.kind ?? null,
    of.event?.mail?.about ?? null,
  ])
  const [row] = rows
  return row && integer(row, 'version') === of.version + 1 ? 'saved' : 'stale'
}
