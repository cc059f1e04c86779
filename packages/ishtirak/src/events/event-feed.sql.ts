// The events of all users in one order. An event gets its position after its change was committed, from the
// one process that holds the lock. So no event that is committed later gets a position before one that was
// read, and a booking needs neither lock nor position.
import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { EVENTS, parseEvent } from './deliver-events.sql.js'

// Held until the commit, so that the next process sees the positions that this one gives.
const lock = statement(
  'event_feed.lock',
  `select true as locked from pg_advisory_xact_lock(hashtextextended('event positions', 0))`,
)

// Positions begin at the present millisecond: a restored database repeats none.
// Uses the index outbox_to_place.
const place = statement(
  'event_feed.place',
  `with oldest as (
     select user_id, sequence, row_number() over (order by created_at, user_id, sequence) as nth
       from (select user_id, sequence, created_at from outbox
              where position is null
              order by created_at, user_id, sequence
              limit $2::int) o
   ), last as (
     select max(position) as position from outbox where position is not null
   )
   update outbox o set position = greatest(l.position, $1::bigint) + p.nth
     from oldest p, last l
    where o.user_id = p.user_id and o.sequence = p.sequence
   returning o.position`,
)

/** Gives a position to the oldest events that have none. Returns how many, at most `limit`. */
export function givePositions(database: Database, now: Instant, limit: number): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.query(lock)
    return (await transaction.query(place, [now, limit])).length
  })
}

// Uses the index outbox_placed.
const selectAfter = statement(
  'event_feed.after',
  `${EVENTS}
    where o.position > $1::bigint
    order by o.position
    limit $2::int`,
)

export async function eventsAfter(database: Queryable, position: number, limit: number) {
  return (await database.query(selectAfter, [position, limit])).map(parseEvent)
}
