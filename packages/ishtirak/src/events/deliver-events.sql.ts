// Whose event goes out next. The users are the queue: one who has unconfirmed events is claimed as a whole,
// so that their events keep their order, and no user waits for another.

import type { PaymentPurpose } from '../core/checkout.js'
import type { Told, WrittenEvent } from '../core/event.js'
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
  /** The last event there was when the lease was taken: all up to it can be read now. */
  written: column('event_sequence', integer),
})
/** The right to send one user's next event. It ends by itself; what its holder does later changes nothing. */
export type Lease = ReturnType<typeof parseLease>

// Rides on users_deliver. The endpoint is in the same statement: an old address claims nothing.
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
  claim: {
    readonly now: Instant
    readonly limit: number
    readonly until: Instant
    readonly url: string
  },
): Promise<readonly Lease[]> {
  const rows = await database.query(claimUsers, [at(claim.now), claim.limit, at(claim.until), claim.url])
  return rows.map(parseLease)
}

const parseWritten = rowOf({
  userId: text,
  sequence: integer,
  id: text,
  type: word<EventType>,
  createdAt: instant,
  /** How often it was tried since it was last put in line. */
  attempts: integer,
  /** Of the change that it tells of, where traces were collected. */
  traceparent: textOrNull,
  /** Among the events of all users; null: none was given yet. */
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
  return { ...parseWritten(row), told: json<Told>(row, 'told'), payment }
}

export type OutgoingEvent = ReturnType<typeof parseWritten> & WrittenEvent

/** What the events of one change tell stands with the last of them, which is forgotten last. */
export const EVENTS = `
  select ${columnsOf(parseWritten, 'o')}, o.payment_id, ${columnsOf(parsePaymentOfEvent, 'p')},
         (select l.told from outbox l
           where l.user_id = o.user_id and l.sequence >= o.sequence and l.told is not null
           order by l.sequence limit 1) as told
    from outbox o left join payments p on p.user_id = o.user_id and p.id = o.payment_id`

// After the claim, which may have seen a newer row of the user than the events it could read.
const selectNext = statement(
  'outbox.next',
  `${EVENTS}
    where o.user_id = $1 and o.sequence > $2::bigint
      and o.created_at >= (select deliver_from from event_endpoint)
    order by o.sequence
    limit 1`,
)

/** Null: what is left was written before there was an address, or is pruned. */
export async function nextEventOf(database: Queryable, lease: Lease): Promise<OutgoingEvent | null> {
  const [row] = await database.query(selectNext, [lease.userId, lease.delivered])
  return row ? parseEvent(row) : null
}

const saveDelivery = statement(
  'outbox.delivered',
  `with leased as (
     update users set delivered_sequence = $3::bigint, deliver_at = $4::timestamptz
      where user_id = $1 and deliver_at = $2::timestamptz and delivered_sequence = $7::bigint
     returning user_id
   ), noted as (
     update outbox o
        set delivered_at = $5::timestamptz, attempted_at = $5::timestamptz, attempts = o.attempts + 1,
            answer_status = $6::int, failure = null
       from leased h
      where o.user_id = h.user_id and o.sequence = $3::bigint
   )
   select user_id from leased`,
)

/** Gives the lease for the next event; null: there is none, or another process holds it by now. */
export async function saveDelivered(
  database: Queryable,
  lease: Lease,
  of: {
    readonly event: OutgoingEvent
    readonly answerStatus: number
    readonly now: Instant
    readonly until: Instant
  },
): Promise<Lease | null> {
  const { sequence } = of.event
  const goesOn = lease.written > sequence
  const rows = await database.query(saveDelivery, [
    lease.userId,
    at(lease.until),
    sequence,
    at(goesOn ? of.until : of.now),
    at(of.now),
    of.answerStatus,
    lease.delivered,
  ])
  return rows.length === 1 && goesOn ? { ...lease, until: of.until, delivered: sequence } : null
}

const saveFailure = statement(
  'outbox.failed',
  `with leased as (
     update users set deliver_at = $4::timestamptz
      where user_id = $1 and deliver_at = $2::timestamptz and delivered_sequence = $8::bigint
     returning user_id
   )
   update outbox o
      set attempted_at = $5::timestamptz, attempts = o.attempts + 1, answer_status = $6::int, failure = $7
     from leased h
    where o.user_id = h.user_id and o.sequence = $3::bigint`,
)

export async function saveFailed(
  database: Queryable,
  lease: Lease,
  of: {
    readonly event: OutgoingEvent
    readonly answerStatus: number | null
    readonly failure: string
    readonly now: Instant
    readonly nextAt: Instant
  },
): Promise<void> {
  const { sequence } = of.event
  await database.query(saveFailure, [
    lease.userId,
    at(lease.until),
    sequence,
    at(of.nextAt),
    at(of.now),
    of.answerStatus,
    of.failure,
    lease.delivered,
  ])
}

const passOver = statement(
  'outbox.pass_over',
  `update users set delivered_sequence = $3::bigint, deliver_at = $5::timestamptz
    where user_id = $1 and deliver_at = $2::timestamptz and delivered_sequence = $4::bigint`,
)

/** Nothing up to the last event of the lease is to be delivered any more. */
export async function passOverEvents(database: Queryable, lease: Lease, now: Instant): Promise<void> {
  await database.query(passOver, [lease.userId, at(lease.until), lease.written, lease.delivered, at(now)])
}

const wake = statement(
  'outbox.wake',
  `with asleep as (
     select user_id from users
      where delivered_sequence < event_sequence and deliver_at > $2::timestamptz
      order by deliver_at
      limit $3::int
        for update skip locked
   )
   update users u set deliver_at = $1::timestamptz
     from asleep where u.user_id = asleep.user_id
   returning u.user_id`,
)

/** Those who wait longer than any lease lasts need not wait any more. Gives how many, at most `limit`. */
export async function wakeUsers(
  database: Queryable,
  of: { readonly now: Instant; readonly longestLease: Instant; readonly limit: number },
): Promise<number> {
  const rows = await database.query(wake, [at(of.now), at(of.longestLease), of.limit])
  return rows.length
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

/**
 * Forgets old events that wait for no delivery: delivered, or never to be for want of an address. The last of
 * a change goes last.
 */
export async function pruneOutbox(database: Queryable, before: Instant, limit: number): Promise<number> {
  const rows = await database.query(prune, [at(before), limit])
  return rows.length
}
