// The written events as the operator sees them; a user's events queued again from one on, or one passed over,
// by moving the user's pointer: the order stays. Then the one address that events go to.
import type { Static } from 'typebox'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { at, instant, instantOrNull, integer, rowOf, text, textOrNull } from '../database/rows.js'
import { viewRows } from '../ledger/schemas.js'
import { ResentSchema, WrittenEventSchema } from './schemas.js'

// Of a user only the first waiting event is due, and none while the address is switched off. A user whose
// events were never attempted is due since 1970: what is due is not due before it is written.
const COLUMNS = `
  o.id, o.user_id, o.sequence, o.type, o.created_at, o.attempts, o.attempted_at, o.answer_status, o.failure,
  case when o.sequence > u.delivered_sequence then 'waiting'
       when o.delivered_at is null then 'set_aside'
       else 'delivered' end as state,
  case when o.sequence = u.delivered_sequence + 1
        and exists (select from event_endpoint where disabled_at is null)
       then greatest(u.deliver_at, o.created_at) end as due_at`

const selectEvents = statement(
  'event_history.list',
  `select ${COLUMNS}
     from outbox o join users u using (user_id)
    where $1::text is null or o.user_id = $1
    order by o.created_at desc, o.user_id, o.sequence desc
    limit $2::int`,
)

// The users who wait are few: from them to their events, longest waiting first.
const selectWaiting = statement(
  'event_history.waiting',
  `select ${COLUMNS}
     from users u join outbox o on o.user_id = u.user_id and o.sequence > u.delivered_sequence
    where u.delivered_sequence < u.event_sequence and ($1::text is null or u.user_id = $1)
    order by o.created_at, o.user_id, o.sequence
    limit $2::int`,
)

/** Newest first; with `waiting` only those that the platform has not confirmed, oldest first. */
export async function listEvents(
  database: Queryable,
  of: { readonly userId: string | null; readonly waiting: boolean; readonly limit: number },
) {
  const rows = await database.query(of.waiting ? selectWaiting : selectEvents, [of.userId, of.limit])
  return viewRows(WrittenEventSchema, rows)
}

/** Users; a longer queue is not counted to its end. */
const QUEUE_SEEN = 1_000

// Rides on users_deliver, from those who wait for their next attempt longest.
const selectQueue = statement(
  'event_history.queue',
  `select coalesce(sum(u.event_sequence - u.delivered_sequence), 0)::int as events,
    min(o.created_at) as oldest
     from (select user_id, event_sequence, delivered_sequence from users
            where delivered_sequence < event_sequence
            order by deliver_at desc limit ${QUEUE_SEEN}) u
     left join lateral (
       select created_at from outbox o where o.user_id = u.user_id and o.sequence > u.delivered_sequence
        order by o.sequence limit 1) o on true`,
)

/** `events`: at least. */
const parseQueue = rowOf({ events: integer, oldest: instantOrNull })
export type EventQueue = ReturnType<typeof parseQueue>

/** For figures: how many events the platform has not confirmed, and since when the oldest of them waits. */
export async function eventQueue(database: Queryable): Promise<EventQueue> {
  const [row = {}] = await database.query(selectQueue)
  return parseQueue(row)
}

const selectEvent = statement(
  'event_history.one',
  `select ${COLUMNS} from outbox o join users u using (user_id) where o.id = $1`,
)

/** Throws `not_found`. */
export async function showEvent(database: Queryable, id: string) {
  const [event] = viewRows(WrittenEventSchema, await database.query(selectEvent, [id]))
  if (!event) throw new BillingError('not_found', { extra: { event_id: id } })
  return event
}

// An event from before there was an address is sent too when an operator asks for it.
const rewind = statement(
  'event_history.rewind',
  `with wanted as (
     select user_id, sequence, created_at from outbox where id = $1
   ), from_there as (
     update outbox o set attempts = 0, delivered_at = null
       from wanted w where o.user_id = w.user_id and o.sequence >= w.sequence
     returning o.sequence
   ), reopened as (
     update event_endpoint set deliver_from = least(deliver_from, (select created_at from wanted))
   )
   update users u
      set delivered_sequence = least(u.delivered_sequence, w.sequence - 1), deliver_at = $2::timestamptz
     from wanted w
    where u.user_id = w.user_id
   returning u.user_id, (select count(*) from from_there) as events`,
)

/** Puts an event and all later ones of its user in line again. Null: there is no such event. */
export async function rewindToEvent(
  database: Queryable,
  id: string,
  now: Instant,
): Promise<Static<typeof ResentSchema> | null> {
  const [resent] = viewRows(ResentSchema, await database.query(rewind, [id, at(now)]))
  return resent ?? null
}

/** Delivered events from an instant on, of one user or (null) of all. */
interface Delivered {
  readonly userId: string | null
  readonly since: Instant
}

const countDeliveredEvents = statement(
  'event_history.count_delivered',
  `select count(distinct user_id) as users, count(*) as events from outbox
    where created_at >= $1::timestamptz and delivered_at is not null and ($2::text is null or user_id = $2)`,
)

export async function countDelivered(database: Queryable, { userId, since }: Delivered) {
  const [row = {}] = await database.query(countDeliveredEvents, [at(since), userId])
  return { users: integer(row, 'users'), events: integer(row, 'events') }
}

// Users are locked in the order of their ids, as a booking locks them. What the platform takes meanwhile was
// delivered later, so it is not sent a third time.
const replay = statement(
  'event_history.replay',
  `with oldest as (
     select user_id, sequence, created_at from outbox
      where created_at >= $1::timestamptz and delivered_at <= $3::timestamptz
        and ($2::text is null or user_id = $2)
      order by created_at
      limit $4::int
   ), wanted as (
     select user_id, min(sequence) as sequence from oldest group by user_id
   ), locked as (
     select u.user_id, w.sequence from users u join wanted w using (user_id)
      order by u.user_id for update of u
   ), again as (
     update outbox o set attempts = 0, delivered_at = null
       from locked l
      where o.user_id = l.user_id and o.sequence >= l.sequence and o.delivered_at <= $3::timestamptz
     returning o.sequence
   ), moved as (
     update users u
        set delivered_sequence = least(u.delivered_sequence, l.sequence - 1), deliver_at = $3::timestamptz
       from locked l
      where u.user_id = l.user_id
     returning u.user_id
   )
   select (select count(*) from moved) as users, (select count(*) from again) as events,
          (select count(*) from oldest) as found, (select max(created_at) from oldest) as until`,
)

/**
 * Puts the oldest of these events in line again, and what was delivered after them to the same users.
 * `until`: the rest begins here; null: there is no rest.
 */
export async function replayDelivered(
  database: Database,
  { userId, since }: Delivered,
  { now, limit }: { readonly now: Instant; readonly limit: number },
) {
  const values = [at(since), userId, at(now), limit]
  const [row = {}] = await database.transaction((transaction) => transaction.query(replay, values))
  const until = integer(row, 'found') < limit ? null : instant(row, 'until')
  return { users: integer(row, 'users'), events: integer(row, 'events'), until }
}

const skip = statement(
  'event_history.skip',
  `update users u set delivered_sequence = o.sequence, deliver_at = $2::timestamptz
     from outbox o
    where o.id = $1 and u.user_id = o.user_id and u.delivered_sequence < o.sequence
   returning u.user_id`,
)

/** It and those before it wait no more. Gives its user; null: there is none, or it did not wait. */
export async function skipToAfterEvent(
  database: Queryable,
  id: string,
  now: Instant,
): Promise<string | null> {
  const [row] = await database.query(skip, [id, at(now)])
  return row ? text(row, 'user_id') : null
}

const restart = statement(
  'event_history.restart',
  `with waiting as (
     select user_id, delivered_sequence from users
      where delivered_sequence < event_sequence and deliver_at > $1::timestamptz
      order by deliver_at
      limit $2::int
        for update
   ), first as (
     update outbox o set attempts = 0
       from waiting w where o.user_id = w.user_id and o.sequence = w.delivered_sequence + 1
   )
   update users u set deliver_at = $1::timestamptz
     from waiting w where u.user_id = w.user_id
   returning u.user_id`,
)

/** All users who wait are due now, at the first step of the schedule. Gives how many, at most `limit`. */
export async function restartWaiting(database: Queryable, now: Instant, limit: number): Promise<number> {
  const rows = await database.query(restart, [at(now), limit])
  return rows.length
}

const countWaiting = statement(
  'event_history.count_waiting',
  `select count(*) as users, coalesce(sum(event_sequence - delivered_sequence), 0)::bigint as events
     from users where delivered_sequence < event_sequence`,
)

export async function countWaitingEvents(database: Queryable) {
  const [row = {}] = await database.query(countWaiting)
  return { users: integer(row, 'users'), events: integer(row, 'events') }
}

const selectEndpoint = statement('event_endpoint.load', 'select * from event_endpoint')

/** Null: the service never had an address. */
export async function loadEventEndpoint(database: Queryable) {
  const [row] = await database.query(selectEndpoint)
  return row ? parseEndpoint(row) : null
}

const introduce = statement(
  'event_endpoint.introduce',
  `insert into event_endpoint (url, deliver_from) values ($1, $2::timestamptz)
       on conflict (one) do update
      set url = excluded.url, failing_since = null, disabled_at = null, disabled_because = null
    where event_endpoint.url <> excluded.url
   returning url`,
)

/** At the start of a process. True: the address is a new one, and no failure of another counts for it. */
export async function introduceEndpoint(
  database: Queryable,
  endpoint: { readonly url: string; readonly deliverFrom: Instant },
): Promise<boolean> {
  const rows = await database.query(introduce, [endpoint.url, at(endpoint.deliverFrom)])
  return rows.length === 1
}

const noteFailure = statement(
  'event_endpoint.note_failure',
  `update event_endpoint set failing_since = coalesce(failing_since, $2::timestamptz)
    where url = $1
   returning failing_since`,
)

/** Since when it fails; null where the address has been changed meanwhile. */
export async function noteEndpointFailure(
  database: Queryable,
  url: string,
  now: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(noteFailure, [url, at(now)])
  return row ? instant(row, 'failing_since') : null
}

const noteSuccess = statement(
  'event_endpoint.note_success',
  `with failing as (
     select failing_since from event_endpoint where url = $1 and failing_since is not null for update
   )
   update event_endpoint e set failing_since = null
     from failing where e.url = $1
   returning failing.failing_since`,
)

/** Since when it had failed until now; null where all was well. */
export async function noteEndpointSuccess(database: Queryable, url: string): Promise<Instant | null> {
  const [row] = await database.query(noteSuccess, [url])
  return row ? instant(row, 'failing_since') : null
}

const disable = statement(
  'event_endpoint.disable',
  `update event_endpoint set disabled_at = $2::timestamptz, disabled_because = $3
    where url = $1 and disabled_at is null
   returning url`,
)

/** True for the one process that did it. */
export async function disableEndpoint(
  database: Queryable,
  url: string,
  of: { readonly now: Instant; readonly because: string },
): Promise<boolean> {
  const rows = await database.query(disable, [url, at(of.now), of.because])
  return rows.length === 1
}

const enable = statement(
  'event_endpoint.enable',
  `update event_endpoint set failing_since = null, disabled_at = null, disabled_because = null`,
)

export async function enableEndpoint(database: Queryable): Promise<void> {
  await database.query(enable)
}

const parseEndpoint = rowOf({
  url: text,
  deliverFrom: instant,
  failingSince: instantOrNull,
  disabledAt: instantOrNull,
  disabledBecause: textOrNull,
})
export type EventEndpoint = ReturnType<typeof parseEndpoint>
