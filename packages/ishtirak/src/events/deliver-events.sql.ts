// The queue of deliveries is the table of users. A process claims a user with unconfirmed events, so that
// these events keep their order and no user waits for another.

import type { PaymentPurpose } from '../core/checkout.js'
import type { EventContent, WrittenEvent } from '../core/event.js'
import type { EventType } from '../core/event-types.js'
import type { Instant } from '../core/instant.js'
import type { Plan } from '../core/plan.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  column,
  columnsOf,
  instant,
  integer,
  integerOrNull,
  json,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'

const parseLease = rowOf({
  userId: text,
  until: column('deliver_at', instant),
  /** The last event that the platform has confirmed. */
  delivered: column('delivered_sequence', integer),
  /** The user's last event when the lease was taken. All events up to it can be read now. */
  written: column('event_sequence', integer),
})
/** The right to send one user's next event. After its end, its holder can save nothing any more. */
export type Lease = ReturnType<typeof parseLease>

// Uses the index users_deliver. It checks the endpoint too: a process with an old address claims nothing.
const claimUsers = statement(
  'outbox.claim',
  `with due as (
     select u.user_id from users u
      where u.delivered_sequence < u.event_sequence and u.deliver_at <= $1::timestamptz
        and exists (select from event_endpoint e where e.url = $4 and e.disabled_at is null)
      order by u.deliver_at
      limit $2::int
        for update of u skip locked
   )
   update users u set deliver_at = $3::timestamptz
     from due
    where u.user_id = due.user_id
   returning ${columnsOf(parseLease, 'u')}`,
)

export async function claimUsersWithEvents(
  database: Queryable,
  { now, limit, until, url }: { now: Instant; limit: number; until: Instant; url: string },
): Promise<readonly Lease[]> {
  return (await database.query(claimUsers, [at(now), limit, at(until), url])).map(parseLease)
}

const parseWritten = rowOf({
  userId: text,
  sequence: integer,
  id: text,
  type: word<EventType>,
  createdAt: instant,
  /** The attempts since it was last put in line. */
  attempts: integer,
  /** The trace of the change that the event reports; null: no traces are collected. */
  traceparent: textOrNull,
  /** Its place among the events of all users; null: it has none yet. */
  position: integerOrNull,
})

const parsePaymentOfEvent = rowOf({
  kind: word<PaymentPurpose>,
  plan: json<Plan | null>,
  months: integerOrNull,
  currency: text,
  method: text,
})

export function parseEvent(row: Row): OutgoingEvent {
  const id = textOrNull(row, 'payment_id')
  const payment = id === null ? null : { id, ...parsePaymentOfEvent(row) }
  return { ...parseWritten(row), content: json<EventContent>(row, 'content'), payment }
}

export type OutgoingEvent = ReturnType<typeof parseWritten> & WrittenEvent

/** The last event of a revision has the data of all of them, because it is deleted last. */
export const EVENTS = `
  select ${columnsOf(parseWritten, 'o')}, o.payment_id, ${columnsOf(parsePaymentOfEvent, 'p')},
         (select l.content from outbox l
           where l.user_id = o.user_id and l.sequence >= o.sequence and l.content is not null
           order by l.sequence limit 1) as content
    from outbox o left join payments p on p.user_id = o.user_id and p.id = o.payment_id`

// A query of its own: the claim may see a newer row of the user than the events that it can read.
const selectNext = statement(
  'outbox.next',
  `${EVENTS}
    where o.user_id = $1 and o.sequence > $2::bigint
      and o.created_at >= (select deliver_from from event_endpoint)
    order by o.sequence
    limit 1`,
)

/** Null: the remaining events were written before there was an address, or are deleted. */
export async function nextEventOf(database: Queryable, lease: Lease): Promise<OutgoingEvent | null> {
  const [row] = await database.query(selectNext, [lease.userId, lease.delivered])
  return row ? parseEvent(row) : null
}

const saveAttempted = statement(
  'outbox.attempted',
  `with leased as (
     update users set delivered_sequence = $4::bigint, deliver_at = $5::timestamptz
      where user_id = $1 and deliver_at = $2::timestamptz and delivered_sequence = $3::bigint
     returning user_id
   ), noted as (
     update outbox o
        set attempted_at = $7::timestamptz, attempts = o.attempts + 1, answer_status = $8::int, failure = $9,
            delivered_at = case when $9::text is null then $7::timestamptz end
       from leased l
      where o.user_id = l.user_id and o.sequence = $6::bigint
   )
   select user_id from leased`,
)

interface Attempt {
  readonly event: OutgoingEvent
  readonly now: Instant
  readonly answerStatus: number | null
  /** Null: the platform has confirmed the event. */
  readonly failure: string | null
  /** When the user is due again: the end of the next lease, or the next attempt. */
  readonly dueAt: Instant
}

/** Null: there is no next event, this one was not accepted, or the lease was lost and nothing is saved. */
export async function saveAttempt(database: Queryable, lease: Lease, of: Attempt): Promise<Lease | null> {
  const { sequence } = of.event
  const isDelivered = of.failure === null
  const delivered = isDelivered ? sequence : lease.delivered
  const rows = await database.query(saveAttempted, [
    ...[lease.userId, at(lease.until), lease.delivered],
    ...[delivered, at(of.dueAt), sequence],
    ...[at(of.now), of.answerStatus, of.failure],
  ])
  const hasNext = isDelivered && sequence < lease.written
  return rows.length === 1 && hasNext ? { ...lease, until: of.dueAt, delivered } : null
}

const passOver = statement(
  'outbox.pass_over',
  `update users set delivered_sequence = $3::bigint, deliver_at = $5::timestamptz
    where user_id = $1 and deliver_at = $2::timestamptz and delivered_sequence = $4::bigint`,
)

/** Skips all events up to the last one of the lease. */
export async function passOverEvents(database: Queryable, lease: Lease, now: Instant): Promise<void> {
  await database.query(passOver, [lease.userId, at(lease.until), lease.written, lease.delivered, at(now)])
}

// Users are locked in the order of their ids, as a booking locks them.
const retryNow = statement(
  'outbox.retry_now',
  `with waiting as (
     select user_id from users
      where delivered_sequence < event_sequence and deliver_at > $2::timestamptz
      order by deliver_at
      limit $3::int
   ), locked as (
     select u.user_id, u.delivered_sequence from users u join waiting using (user_id)
      order by u.user_id
        for update of u
   ), afresh as (
     update outbox o set attempts = 0
       from locked l
      where $4::boolean and o.user_id = l.user_id and o.sequence = l.delivered_sequence + 1
   )
   update users u set deliver_at = $1::timestamptz
     from locked l
    where u.user_id = l.user_id
   returning u.user_id`,
)

/** Returns how many became due, at most `limit`. With `isAfresh` their schedule of attempts begins again. */
export async function retryWaiting(
  database: Queryable,
  { now, later, limit, isAfresh }: { now: Instant; later: Instant; limit: number; isAfresh: boolean },
): Promise<number> {
  return (await database.query(retryNow, [at(now), at(later), limit, isAfresh])).length
}

const prune = statement(
  'outbox.prune',
  `with old as (
     select o.user_id, o.sequence from outbox o join users u using (user_id)
      where o.created_at < $1::timestamptz
        and (o.sequence <= u.delivered_sequence or not exists (select from event_endpoint))
      order by o.created_at, o.user_id, o.sequence
      limit $2::int
   )
   delete from outbox o using old where o.user_id = old.user_id and o.sequence = old.sequence
   returning o.sequence`,
)

/** Deletes events that are delivered, or that no address ever waited for. Returns how many. */
export async function pruneOutbox(database: Queryable, before: Instant, limit: number): Promise<number> {
  const rows = await database.query(prune, [at(before), limit])
  return rows.length
}
