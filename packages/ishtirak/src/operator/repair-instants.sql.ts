// Instants that a clock which was ahead has written, brought back to now, where they would put something off for as long
// as the clock was ahead. In right times each statement finds nothing, by an index. Each takes a bounded number of rows.
import type { Instant } from '../core/instant.js'
import { type Queryable, type Statement, statement } from '../database/database.js'
import { at } from '../database/rows.js'

export interface Repair {
  readonly now: Instant
  /** Written later than this: the clock was ahead. */
  readonly writtenAtLatest: Instant
  readonly limit: number
}

// A payment is created before now; what is counted from its creation goes on from there, and it is looked at at once.
// Rides on payments_newest_of_all.
const createdAhead = statement(
  'repairs.payments',
  `with ahead as materialized (
     select user_id, id from payments where created_at > $2::timestamptz
      order by created_at desc limit $3::int for update skip locked
   )
   update payments p
      set created_at = $1::timestamptz, expires_at = $1::timestamptz + (p.expires_at - p.created_at),
          next_check_at = case when p.next_check_at is not null then $1::timestamptz end
     from ahead a where p.user_id = a.user_id and p.id = a.id
   returning p.id`,
)

// Rides on payments_due.
const checkedLate = statement(
  'repairs.checks',
  `with late as materialized (
     select user_id, id from payments where next_check_at > $2::timestamptz
      order by next_check_at desc limit $3::int for update skip locked
   )
   update payments p set next_check_at = $1::timestamptz
     from late l where p.user_id = l.user_id and p.id = l.id
   returning p.id`,
)

// What was announced by a clock that was ahead is not yet true: the announcements of its users begin anew. The users are
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

// A reminder that was queued ahead is not yet true, and would stand in the way of the next one. Rides on mails_by_age.
const queuedAhead = statement(
  'repairs.mails',
  `with ahead as materialized (
     select user_id, kind, about from mails where queued_at > $2::timestamptz
      order by queued_at limit $3::int for update skip locked
   ), untrue as (
     delete from mails m using ahead a
      where m.user_id = a.user_id and m.kind = a.kind and m.about = a.about
        and m.kind not in ('receipt', 'refunded', 'portal_link')
   )
   update mails m set queued_at = $1::timestamptz, due_at = case when m.due_at is not null then $1::timestamptz end
     from ahead a
    where m.user_id = a.user_id and m.kind = a.kind and m.about = a.about
      and m.kind in ('receipt', 'refunded', 'portal_link')
   returning m.user_id`,
)

// Rides on mails_due.
const mailedLate = statement(
  'repairs.due_mails',
  `with late as materialized (
     select user_id, kind, about from mails where due_at > $2::timestamptz
      order by due_at limit $3::int for update skip locked
   )
   update mails m set due_at = $1::timestamptz
     from late l where m.user_id = l.user_id and m.kind = l.kind and m.about = l.about
   returning m.user_id`,
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

export async function repairEventEndpoint(
  database: Queryable,
  { writtenAtLatest }: Pick<Repair, 'writtenAtLatest'>,
): Promise<number> {
  return (await database.query(failingAhead, [at(writtenAtLatest)])).length
}

const repairing =
  (of: Statement) =>
  async (database: Queryable, { now, writtenAtLatest, limit }: Repair): Promise<number> =>
    (await database.query(of, [at(now), at(writtenAtLatest), limit])).length

// Each gives how many rows it brought back.
export const repairPayments = repairing(createdAhead)
export const repairChecks = repairing(checkedLate)
export const repairAnnouncements = repairing(announcedAhead)
export const repairMails = repairing(queuedAhead)
export const repairDueMails = repairing(mailedLate)
export const repairComparisons = repairing(comparedAhead)
