// A clock that was ahead for a moment must not hold anything up once it is right. What is read again by itself ignores such
// an instant where it is read; what a sweep would not look at before that instant is brought back to now here
// (docs/clocks.md). In right times each statement finds nothing, by an index. Each takes a bounded number of rows.
import { CLOCK_SKEW_MAX, DAY, HOUR } from '../core/instant.js'
import { type Queryable, type Statement, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { wakeUsers } from '../events/deliver-events.sql.js'
import type { Clock } from '../runtime/clock.js'

/** The longest step of an event is a day and a tenth (ATTEMPT_WAITS). */
const DELIVERY_LONGEST_MS = 27 * HOUR

/** Brings back at most `limit` rows of each kind. Gives how many. */
export async function repairInstants(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  limit: number,
): Promise<number> {
  const now = clock.now()
  let repaired = 0
  for (const { statement, longestMs } of Object.values(REPAIRS)) {
    repaired += (await database.query(statement, [at(now), at(now + longestMs), limit])).length
  }
  repaired += (await database.query(failingAhead, [at(now + CLOCK_SKEW_MAX)])).length
  repaired += await wakeUsers(database, { now, longestLease: now + DELIVERY_LONGEST_MS, limit })
  return repaired
}

/** The furthest rows, `ahead`, at most `$3`; `$2` is the latest instant that a right clock has written. */
const select = (table: string, keys: readonly string[], column: string) =>
  `with ahead as materialized (
     select ${keys.join(', ')} from ${table} where ${column} > $2::timestamptz
      order by ${column} desc limit $3::int for update skip locked
   )`
const isAhead = (keys: readonly string[]) => keys.map((key) => `r.${key} = ahead.${key}`).join(' and ')

function bringBack(table: string, keys: readonly string[], column: string, set: string): Statement {
  return statement(
    `repairs.${table}.${column}`,
    `${select(table, keys, column)}
     update ${table} r set ${set} from ahead where ${isAhead(keys)} returning r.user_id`,
  )
}

const PAYMENT = ['user_id', 'id']
const MAIL = ['user_id', 'kind', 'about']

// A payment is created before now; what is counted from its creation goes on from there, and it is looked at at once.
// Rides on payments_newest.
const createdAhead = bringBack(
  'payments',
  PAYMENT,
  'created_at',
  `created_at = $1::timestamptz, expires_at = $1::timestamptz + (r.expires_at - r.created_at),
   next_check_at = case when r.next_check_at is not null then $1::timestamptz end`,
)

// What was announced by a clock that was ahead is not yet true: the announcements of its users start again. The users are
// locked first and in order, as by every statement that locks several. Rides on outbox_by_age.
const announcedAhead = statement(
  'repairs.announcements',
  `with ahead as materialized (
     select user_id from outbox where created_at > $2::timestamptz order by created_at limit $3::int
   ), locked as materialized (
     select user_id from users where user_id in (select user_id from ahead) order by user_id for update
   ), moved as (
     update outbox o set created_at = $1::timestamptz
       from locked l where o.user_id = l.user_id and o.created_at > $2::timestamptz
     returning o.user_id, o.type
   ), announced as (
     update users u set version = u.version + 1, announced = null, announce_at = $1::timestamptz
      where u.announced is not null and u.user_id in (
        select user_id from moved
         where type in ('subscription.expiring', 'subscription.past_due', 'subscription.expired'))
   )
   select user_id from moved`,
)

const NOT_REMINDERS = `'receipt', 'refunded', 'granted', 'payment_requested', 'proof_received', 'payment_refused',
  'portal_link'`

// A reminder that was queued ahead is not yet true, and would stand in the way of the next one. Rides on mails_by_age.
const queuedAhead = statement(
  'repairs.mails',
  `${select('mails', MAIL, 'queued_at')}, untrue as (
     delete from mails r using ahead
      where ${isAhead(MAIL)} and r.kind not in (${NOT_REMINDERS})
   )
   update mails r set queued_at = $1::timestamptz, due_at = case when r.due_at is not null then $1::timestamptz end
     from ahead where ${isAhead(MAIL)} and r.kind in (${NOT_REMINDERS})
   returning r.user_id`,
)

// One row a day, so no index is needed.
const comparedAhead = statement(
  'repairs.comparisons',
  `update comparisons
      set started_at = least(started_at, $1::timestamptz), next_round_at = least(next_round_at, $1::timestamptz)
    where id in (select id from comparisons
                  where started_at > $2::timestamptz or (finished_at is null and next_round_at > $2::timestamptz)
                  limit $3::int)
   returning id`,
)

// An address that was given up because of the wrong clock is tried again.
const failingAhead = statement(
  'repairs.event_endpoint',
  `update event_endpoint set failing_since = null, disabled_at = null, disabled_because = null
    where failing_since > $1::timestamptz or disabled_at > $1::timestamptz
   returning url`,
)

/** Each is given now, the latest instant that a right clock has written (`longestMs` from now), and how many rows. */
export const REPAIRS = {
  payments: { statement: createdAhead, longestMs: CLOCK_SKEW_MAX },
  // The longest step between two looks is a day (`looksAfterMs` of a payment method). Rides on payments_due.
  checks: {
    statement: bringBack('payments', PAYMENT, 'next_check_at', 'next_check_at = $1::timestamptz'),
    longestMs: DAY + CLOCK_SKEW_MAX,
  },
  announcements: { statement: announcedAhead, longestMs: CLOCK_SKEW_MAX },
  mails: { statement: queuedAhead, longestMs: CLOCK_SKEW_MAX },
  // The longest step of a mail is 8 hours (RETRY_STEPS). Rides on mails_due.
  dueMails: {
    statement: bringBack('mails', MAIL, 'due_at', 'due_at = $1::timestamptz'),
    longestMs: 9 * HOUR,
  },
  comparisons: { statement: comparedAhead, longestMs: CLOCK_SKEW_MAX },
}
