// The queries for events that do not reach the platform, for the inbox.

/** Shorter outages of an address are not shown: most end by themselves. */
const FAILING = '1 hour'
/** So many attempts take two and a half hours. */
const ATTEMPTS_MIN = 5
/** Users whose next attempt is latest come first: their events failed most often. */
const WAITING_MAX = 1_000

export const EVENTS_OFF = `
  select coalesce(disabled_at, failing_since) as since, 'events' as id, null::text as user_id,
    null::text as payment_id, null::int as amount, coalesce(disabled_because, 'failing') as detail
    from event_endpoint
   where disabled_at is not null or failing_since <= $1::timestamptz - interval '${FAILING}'`

// If the address itself fails, all events wait: then there is only the entry above.
export const EVENT_STUCK = `
  select o.created_at, o.id, u.user_id, o.payment_id, null::int, o.failure
    from (select user_id, delivered_sequence from users where delivered_sequence < event_sequence
           order by deliver_at desc limit ${WAITING_MAX}) u
    join outbox o on o.user_id = u.user_id and o.sequence = u.delivered_sequence + 1
   where o.attempts >= ${ATTEMPTS_MIN}
     and exists (select from event_endpoint where disabled_at is null and failing_since is null)`
