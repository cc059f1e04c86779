// Requests for links by mail: each is stored, and the mail job looks up the address.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, integer } from '../database/rows.js'
import { LEAST_BETWEEN } from '../mail/mail.sql.js'

// The request does the same for every address, so its time does not show whether the address is known.
const askForLink = statement(
  'portal_link_requests.insert',
  'insert into portal_link_requests (id, email) values ($1, $2)',
)

export async function askForPortalLink(database: Queryable, id: string, email: string): Promise<void> {
  await database.query(askForLink, [id, email])
}

// A later request renews the mail. Users who share an address get a link each. Uses the index users_by_email.
const queueLinks = statement(
  'mails.queue_links',
  `with asked as (
     select id from portal_link_requests order by id limit $2::int for update skip locked
   ), taken as (
     delete from portal_link_requests r using asked a where r.id = a.id returning lower(r.email) as address
   ), known as (
     select u.user_id from (select distinct address from taken) t
      cross join lateral (
        select user_id from users where lower(email) = t.address order by user_id limit 5
      ) u
   ), queued as (
     insert into mails as m (user_id, kind, about, queued_at, due_at)
     select user_id, 'portal_link', 'portal', $1::timestamptz, $1::timestamptz from known order by user_id
         on conflict (user_id, kind, about) do update
        set queued_at = excluded.queued_at, due_at = excluded.due_at, attempts = 0, outcome = null
      where m.queued_at <= excluded.queued_at - ${LEAST_BETWEEN}
   )
   select count(*) as taken from taken`,
)

/** Queues links for the users of up to `limit` requests, and returns how many requests it took. */
export async function queuePortalLinks(database: Queryable, now: Instant, limit: number): Promise<number> {
  const [row] = await database.query(queueLinks, [at(now), limit])
  return row ? integer(row, 'taken') : 0
}
