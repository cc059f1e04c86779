// The written events as operators see them, and how operators move a user's pointer: back, so that events are
// sent again in order, or past an event that is skipped. Then the one address that events go to.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import { EVENT_TYPES } from '../core/event-types.js'
import { DAY, type Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { at, instant, instantOrNull, integer, rowOf, textOrNull } from '../database/rows.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { viewRows } from '../ledger/schemas.js'

export const WrittenEventSchema = object('WrittenEvent', {
  id: Type.String({ examples: ['evt_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
  user_id: Type.String(),
  sequence: Type.Integer(),
  type: Type.Enum([...EVENT_TYPES]),
  created_at: timestamp,
  state: Type.Enum(['waiting', 'delivered', 'set_aside'], {
    description: 'set_aside: skipped by the operator, or written before there was an address',
  }),
  attempts: Type.Integer(),
  attempted_at: nullable(timestamp),
  due_at: nullable(timestamp),
  answer_status: nullable(Type.Integer()),
  failure: nullable(Type.String()),
})

// Only a user's first waiting event is due, and none while the address is switched off. A user whose events
// were never attempted has been due since 1970, but no event is due before it is written.
const COLUMNS = `
  o.id, o.user_id, o.sequence, o.type, o.created_at, o.attempts, o.attempted_at, o.answer_status, o.failure,
  case when o.sequence > u.delivered_sequence then 'waiting'
       when o.delivered_at is null then 'set_aside'
       else 'delivered' end as state,
  case when o.sequence = u.delivered_sequence + 1
        and exists (select from event_endpoint where disabled_at is null)
       then greatest(u.deliver_at, o.created_at) end as due_at`

// The plan of a common query would walk through the events of all users.
const listed = (name: string, where: string, order: string) =>
  statement(
    `event_history.${name}`,
    `select ${COLUMNS}
       from users u join outbox o using (user_id)
      where ${where} order by ${order} limit $1::int`,
  )
const selectAll = listed('list', 'true', 'o.created_at desc, o.user_id, o.sequence desc')
const selectOfUser = listed('of_user', 'u.user_id = $2', 'o.sequence desc')
// Few users wait, so the query goes from them to their events. The longest waiting event comes first.
const WAITS = 'u.delivered_sequence < u.event_sequence and o.sequence > u.delivered_sequence'
const selectWaiting = listed('waiting', WAITS, 'o.created_at, o.user_id, o.sequence')
const selectWaitingOfUser = listed('waiting_of_user', `u.user_id = $2 and ${WAITS}`, 'o.sequence')

/** Newest first; with `waiting` only those that the platform has not confirmed, oldest first. */
export async function listEvents(
  database: Queryable,
  of: { readonly userId: string | null; readonly waiting: boolean; readonly limit: number },
) {
  const { userId, waiting, limit } = of
  const rows =
    userId === null
      ? await database.query(waiting ? selectWaiting : selectAll, [limit])
      : await database.query(waiting ? selectWaitingOfUser : selectOfUser, [limit, userId])
  return viewRows(WrittenEventSchema, rows)
}

/** Users. A longer queue is not counted to its end. */
const QUEUE_SEEN = 1_000

// Uses the index users_deliver, and begins with the users whose next attempt is latest.
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

/** In a longer queue `events` are more. */
const parseQueue = rowOf({ events: integer, oldest: instantOrNull })
export type EventQueue = ReturnType<typeof parseQueue>

/** For metrics: how many events the platform has not confirmed, and since when the oldest of them waits. */
export async function eventQueue(database: Queryable): Promise<EventQueue> {
  const [row = {}] = await database.query(selectQueue)
  return parseQueue(row)
}

const selectEvent = statement(
  'event_history.one',
  `select ${COLUMNS} from outbox o join users u using (user_id) where o.id = $1`,
)

export async function showEvent(database: Queryable, id: string) {
  const [event] = viewRows(WrittenEventSchema, await database.query(selectEvent, [id]))
  if (!event) throw new BillingError('not_found', { extra: { event_id: id } })
  return event
}

// An operator can also send an event from before there was an address.
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
   returning (select count(*) from from_there) as events`,
)

/** Puts an event and all later ones of its user in line again. Returns how many that are. */
export async function rewindToEvent(database: Queryable, id: string, now: Instant): Promise<number> {
  const [row] = await database.query(rewind, [id, at(now)])
  return row ? integer(row, 'events') : 0
}

const parseCounts = rowOf({ users: integer, events: integer })

/** Delivered events from an instant on, of one user, or of all if `userId` is null. */
interface Delivered {
  readonly userId: string | null
  readonly since: Instant
}

// With `$2` the first part is skipped and the second reads the events of one user by the key.
const countDeliveredEvents = statement(
  'event_history.count_delivered',
  `select count(distinct user_id) as users, count(*) as events
     from (select user_id from outbox
            where $2::text is null and created_at >= $1::timestamptz and delivered_at is not null
            union all
           select user_id from outbox
            where user_id = $2 and created_at >= $1::timestamptz and delivered_at is not null) delivered`,
)

export async function countDelivered(database: Queryable, { userId, since }: Delivered) {
  const [row = {}] = await database.query(countDeliveredEvents, [at(since), userId])
  return parseCounts(row)
}

// Users are locked in the order of their ids, as a booking locks them. `delivered_at <= $3` leaves out what
// the platform takes while this runs, so that it is not sent a third time. A user has few events, so with
// `$2` they are found first and then sorted: without `offset 0` a plan that was made while the table was
// empty would walk through the events of all users.
const replay = statement(
  'event_history.replay',
  `with oldest as (
     (select user_id, sequence, created_at from outbox
       where $2::text is null and created_at >= $1::timestamptz and delivered_at <= $3::timestamptz
       order by created_at limit $4::int)
     union all
     (select user_id, sequence, created_at from (select * from outbox where user_id = $2 offset 0) own
       where created_at >= $1::timestamptz and delivered_at <= $3::timestamptz
       order by created_at limit $4::int)
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

/** Sends also what the same users got after them. `until`: where the rest begins; null: nothing is left. */
export async function replayDelivered(
  database: Database,
  { userId, since }: Delivered,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<{ readonly users: number; readonly events: number; readonly until: Instant | null }> {
  const values = [at(since), userId, at(now), limit]
  const [row = {}] = await database.transaction((transaction) => transaction.query(replay, values))
  const until = integer(row, 'found') < limit ? null : instant(row, 'until')
  return { ...parseCounts(row), until }
}

const skip = statement(
  'event_history.skip',
  `update users u set delivered_sequence = o.sequence, deliver_at = $2::timestamptz
     from outbox o
    where o.id = $1 and u.user_id = o.user_id and u.delivered_sequence < o.sequence
   returning u.user_id`,
)

/** Skips an event and those before it. False: it does not wait any more. */
export async function skipToAfterEvent(database: Queryable, id: string, now: Instant): Promise<boolean> {
  return (await database.query(skip, [id, at(now)])).length > 0
}

const countWaiting = statement(
  'event_history.count_waiting',
  `select count(*) as users, coalesce(sum(event_sequence - delivered_sequence), 0)::bigint as events
     from users where delivered_sequence < event_sequence`,
)

export async function countWaitingEvents(database: Queryable) {
  const [row = {}] = await database.query(countWaiting)
  return parseCounts(row)
}

/** The platform's address, or that of the function of a host. */
export const EndpointSchema = Type.Object({
  state: Type.Enum(['working', 'failing', 'disabled']),
  failing_since: nullable(timestamp),
  disabled_at: nullable(timestamp),
  disabled_because: nullable(Type.String()),
})
const StoredEndpointSchema = Type.Object({ url: Type.String(), ...EndpointSchema.properties })

const selectEndpoint = statement(
  'event_endpoint.load',
  `select *, case when disabled_at is not null then 'disabled'
                  when failing_since is not null then 'failing'
                  else 'working' end as state
     from event_endpoint`,
)

/** Null: the service never had an address. */
export async function loadEventEndpoint(database: Queryable) {
  const [endpoint = null] = viewRows(StoredEndpointSchema, await database.query(selectEndpoint))
  return endpoint
}

const introduce = statement(
  'event_endpoint.introduce',
  `insert into event_endpoint (url, deliver_from) values ($1, $2::timestamptz)
       on conflict (one) do update
      set url = excluded.url, failing_since = null, disabled_at = null, disabled_because = null
    where event_endpoint.url <> excluded.url
   returning url`,
)

/** At the start of a process. True: the address is new, and failures of the earlier one do not count. */
export async function introduceEndpoint(
  database: Queryable,
  endpoint: { readonly url: string; readonly deliverFrom: Instant },
): Promise<boolean> {
  const rows = await database.query(introduce, [endpoint.url, at(endpoint.deliverFrom)])
  return rows.length === 1
}

const noteFailure = statement(
  'event_endpoint.note_failure',
  `update event_endpoint
      set failing_since = coalesce(failing_since, $2::timestamptz),
          disabled_because = coalesce($3, case when failing_since <= $4::timestamptz then $5 end),
          disabled_at = case when $3::text is not null or failing_since <= $4::timestamptz
                             then $2::timestamptz end
    where url = $1 and disabled_at is null
   returning disabled_because`,
)

/** The reasons to switch an address off, as they are stored. */
export const DISABLED_BECAUSE = {
  gone: 'it answered 410 Gone',
  failing: 'no attempt has succeeded for five days',
} as const
const GIVEN_UP_AFTER = 5 * DAY

/** Returns the reason, once, if this switches the address off: it is gone, or has failed for five days. */
export async function noteEndpointFailure(
  database: Queryable,
  url: string,
  { now, isGone }: { readonly now: Instant; readonly isGone: boolean },
): Promise<string | null> {
  const { gone, failing } = DISABLED_BECAUSE
  const values = [url, at(now), isGone ? gone : null, at(now - GIVEN_UP_AFTER), failing]
  const [row] = await database.query(noteFailure, values)
  return row ? textOrNull(row, 'disabled_because') : null
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

/** Returns since when the address had been failing; null: it was not. */
export async function noteEndpointSuccess(database: Queryable, url: string): Promise<Instant | null> {
  const [row] = await database.query(noteSuccess, [url])
  return row ? instant(row, 'failing_since') : null
}

const enable = statement(
  'event_endpoint.enable',
  `update event_endpoint set failing_since = null, disabled_at = null, disabled_because = null`,
)

export async function enableEndpoint(database: Queryable): Promise<void> {
  await database.query(enable)
}
