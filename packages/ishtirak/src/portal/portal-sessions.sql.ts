// Sessions of the portal as rows: the single-use link, the session that it becomes, their end. Both secrets
// are random, and only their digests are stored. A session opens the portal of its user and nothing else. A
// request for a link by mail is stored, and the mail job looks up the address.
import { HOUR, type Instant, MINUTE } from '../core/instant.js'
import type { Actor, BillingRole } from '../core/person.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, integer, text, textOrNull, word } from '../database/rows.js'
import type { CommonParts } from '../ledger/parts.js'
import { type KnownUser, PROFILE_COLUMNS, parseProfile, rememberUser } from '../ledger/users.sql.js'
import { LEAST_BETWEEN } from '../mail/mail.sql.js'
import type { PortalSession } from '../pages/reader.js'
import { digestOf, randomToken } from '../runtime/secret.js'

export type SessionDeps = Pick<CommonParts, 'database' | 'clock'>
export type OpenLinkDeps = SessionDeps & Pick<CommonParts, 'ids' | 'publicUrl'>

/** A working day, so that no user has to log in again while paying by card. */
export const SESSION_MS = 12 * HOUR

const insertLink = statement(
  'portal_sessions.insert_link',
  `insert into portal_sessions (user_id, id, link_digest, expires_at, return_path, person_id, billing_role)
   values ($1, $2, $3, $4::timestamptz, $5, $6, $7)`,
)

/** Long enough for a redirect on a slow line, too short for a link that was copied somewhere. */
const LINK_MS = 5 * MINUTE
/** Mail may arrive late, and be read on another device. */
const MAILED_LINK_MS = 30 * MINUTE

/** The platform has signed the user in. The token's claims fill empty fields of the profile. */
export async function openPortalLink(deps: OpenLinkDeps, user: KnownUser, returnPath: string | null) {
  await rememberUser(deps.database, user, deps.clock.now())
  return insertLinkTo(deps, 'open', user, { lifetimeMs: LINK_MS, returnPath })
}

export async function openMailedLink(deps: OpenLinkDeps, userId: string): Promise<string> {
  const lasting = { lifetimeMs: MAILED_LINK_MS, returnPath: null }
  return (await insertLinkTo(deps, 'sign-in', { userId }, lasting)).url
}

async function insertLinkTo(
  { database, clock, ids, publicUrl }: OpenLinkDeps,
  page: 'open' | 'sign-in',
  { userId, personId, billingRole = 'owner' }: Actor,
  { lifetimeMs, returnPath }: { readonly lifetimeMs: number; readonly returnPath: string | null },
) {
  const now = clock.now()
  const token = randomToken()
  const expiresAt = now + lifetimeMs
  const link = [userId, ids.next('prt', now), digestOf(token), at(expiresAt), returnPath]
  await database.query(insertLink, [...link, personId ?? null, billingRole])
  return { url: `${publicUrl}/portal/${page}?token=${token}`, expiresAt }
}

const SESSION = `s.user_id, s.return_path, s.person_id, s.billing_role, ${PROFILE_COLUMNS}`

const selectLink = statement(
  'portal_sessions.find_link',
  `select ${SESSION} from portal_sessions s left join users u using (user_id)
    where s.link_digest = $1 and s.expires_at > $2::timestamptz`,
)

/** The session that a link would become. It stays usable. Null: it was used, has expired or is unknown. */
export async function findLink(deps: SessionDeps, linkToken: string): Promise<PortalSession | null> {
  const [row] = await deps.database.query(selectLink, [digestOf(linkToken), at(deps.clock.now())])
  return row ? parseSession(row) : null
}

const selectSessions = statement(
  'portal_sessions.find_sessions',
  `select s.session_digest as digest, ${SESSION}
     from unnest($1::text[]) d(digest)
     join portal_sessions s on s.session_digest = d.digest
     left join users u using (user_id)
    where s.expires_at > $2::timestamptz`,
)

/** Null: the session has ended or does not exist. Pages that are asked for at once share a query. */
export function createFindSession({ database, clock }: SessionDeps) {
  return shareStatements(database, {
    many: async (database, tokens: readonly string[]) => {
      const digests = tokens.map(digestOf)
      const rows = await database.query(selectSessions, [digests, at(clock.now())])
      const found = new Map(rows.map((row) => [text(row, 'digest'), parseSession(row)]))
      return digests.map((digest) => found.get(digest) ?? null)
    },
  })
}

// If two browsers follow one link, the second finds no row with the link's digest.
const exchangeLink = statement(
  'portal_sessions.exchange_link',
  `update portal_sessions set link_digest = null, session_digest = $2, expires_at = $3::timestamptz
    where link_digest = $1 and expires_at > $4::timestamptz
   returning id`,
)

/** Uses the link up and returns its session's secret; null: it was used, has expired or is unknown. */
export async function enterPortal({ database, clock }: SessionDeps, linkToken: string) {
  const now = clock.now()
  const token = randomToken()
  const digests = [digestOf(linkToken), digestOf(token)]
  const rows = await database.query(exchangeLink, [...digests, at(now + SESSION_MS), at(now)])
  return rows.length === 1 ? token : null
}

const deleteSession = statement(
  'portal_sessions.delete',
  'delete from portal_sessions where session_digest = $1',
)

export async function leavePortal({ database }: Pick<SessionDeps, 'database'>, sessionToken: string) {
  await database.query(deleteSession, [digestOf(sessionToken)])
}

// Uses the index portal_sessions_by_end.
const deleteOver = statement(
  'portal_sessions.delete_over',
  `with over as (
     select user_id, id from portal_sessions where expires_at <= $1::timestamptz
      order by expires_at limit $2::int for update skip locked
   ), gone as (
     delete from portal_sessions s using over o where s.user_id = o.user_id and s.id = o.id returning s.id
   )
   select count(*) as forgotten from gone`,
)

/** Deletes up to `limit` expired links and sessions, and returns how many. */
export async function forgetPortalSessions({ database, clock }: SessionDeps, limit: number): Promise<number> {
  const [row] = await database.query(deleteOver, [at(clock.now()), limit])
  return row ? integer(row, 'forgotten') : 0
}

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

function parseSession(row: Row): PortalSession {
  return {
    userId: text(row, 'user_id'),
    personId: textOrNull(row, 'person_id'),
    billingRole: word<BillingRole>(row, 'billing_role'),
    returnPath: textOrNull(row, 'return_path'),
    ...parseProfile(row),
  }
}
