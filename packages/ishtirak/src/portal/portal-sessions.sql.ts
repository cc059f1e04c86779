// Sessions of the portal as rows: the single-use link, the session that it becomes, their end. Secrets come in as digests
// and never go out.
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, integer, text, textOrNull } from '../database/rows.js'
import { PROFILE_COLUMNS, parseProfile, type UserProfile } from '../payments/profile.sql.js'

export interface PortalSession extends UserProfile {
  readonly userId: string
  /** A path on the platform; null: its front page. */
  readonly returnPath: string | null
  readonly expiresAt: Instant
}

const insertLink = statement(
  'portal_sessions.insert_link',
  `insert into portal_sessions (user_id, id, link_digest, expires_at, return_path)
   values ($1, $2, $3, $4::timestamptz, $5)`,
)

export async function insertPortalLink(
  database: Queryable,
  link: {
    readonly userId: string
    readonly id: string
    readonly digest: string
    readonly expiresAt: Instant
    readonly returnPath: string | null
  },
): Promise<void> {
  await database.query(insertLink, [link.userId, link.id, link.digest, at(link.expiresAt), link.returnPath])
}

export interface PortalLink extends UserProfile {
  readonly userId: string
}

const selectLink = statement(
  'portal_sessions.find_link',
  `select s.user_id, ${PROFILE_COLUMNS}
     from portal_sessions s
     left join users u using (user_id)
    where s.link_digest = $1 and s.expires_at > $2::timestamptz and s.expires_at <= $3::timestamptz`,
)

/** What ends after `latestEnd` began while the clock was ahead, and is over. */
export interface Validity {
  readonly now: Instant
  readonly latestEnd: Instant
}

/** Whose portal the link opens, without using it up; null: it was used, is over, or never was. */
export async function findPortalLink(
  database: Queryable,
  digest: string,
  { now, latestEnd }: Validity,
): Promise<PortalLink | null> {
  const [row] = await database.query(selectLink, [digest, at(now), at(latestEnd)])
  return row ? { userId: text(row, 'user_id'), ...parseProfile(row) } : null
}

// The guard is in the where: of two that follow the same link, one changes the row and the other finds none.
const exchangeLink = statement(
  'portal_sessions.exchange_link',
  `update portal_sessions set link_digest = null, session_digest = $2, expires_at = $3::timestamptz
    where link_digest = $1 and expires_at > $4::timestamptz and expires_at < $3::timestamptz
   returning id`,
)

/** False: the link was used, is over, or never was. */
export async function exchangePortalLink(
  database: Queryable,
  exchange: {
    readonly linkDigest: string
    readonly sessionDigest: string
    readonly expiresAt: Instant
    readonly now: Instant
  },
): Promise<boolean> {
  const { linkDigest, sessionDigest, expiresAt, now } = exchange
  const rows = await database.query(exchangeLink, [linkDigest, sessionDigest, at(expiresAt), at(now)])
  return rows.length === 1
}

const selectSession = statement(
  'portal_sessions.find',
  `select s.user_id, s.expires_at, s.return_path, ${PROFILE_COLUMNS}
     from portal_sessions s
     left join users u using (user_id)
    where s.session_digest = $1 and s.expires_at > $2::timestamptz and s.expires_at <= $3::timestamptz`,
)

export async function findPortalSession(
  database: Queryable,
  digest: string,
  { now, latestEnd }: Validity,
): Promise<PortalSession | null> {
  const [row] = await database.query(selectSession, [digest, at(now), at(latestEnd)])
  return row ? parseSession(row) : null
}

const deleteSession = statement(
  'portal_sessions.delete',
  'delete from portal_sessions where session_digest = $1',
)

export async function deletePortalSession(database: Queryable, digest: string): Promise<void> {
  await database.query(deleteSession, [digest])
}

// Rides on portal_sessions_by_end.
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

/** Forgets up to `limit` links and sessions that are over. Gives how many. */
export async function deleteOverPortalSessions(
  database: Queryable,
  now: Instant,
  limit: number,
): Promise<number> {
  const [row] = await database.query(deleteOver, [at(now), limit])
  return row ? integer(row, 'forgotten') : 0
}

function parseSession(row: Row): PortalSession {
  return {
    userId: text(row, 'user_id'),
    ...parseProfile(row),
    returnPath: textOrNull(row, 'return_path'),
    expiresAt: instant(row, 'expires_at'),
  }
}
