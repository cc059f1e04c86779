// The way into the portal: the platform, which knows the user, gets a link for them; the link works once and becomes a
// session. Both are random and only their digests are stored. A session opens the portal of its user and nothing else.
import { CLOCK_SKEW_MAX, HOUR, type Instant, MINUTE } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import { queuePortalLink } from '../mail/mail.sql.js'
import { type KnownUser, rememberUser } from '../payments/profile.sql.js'
import type { Clock } from '../runtime/clock.js'
import type { Ids } from '../runtime/random.js'
import { digestOf, randomToken } from '../runtime/secret.js'
import {
  deleteOverPortalSessions,
  deletePortalSession,
  exchangePortalLink,
  findPortalLink,
  findPortalSession,
  insertPortalLink,
  type PortalLink,
  type PortalSession,
} from './portal-sessions.sql.js'

export interface SessionDeps {
  readonly database: Queryable
  readonly clock: Clock
}

export interface OpenLinkDeps extends SessionDeps {
  readonly ids: Ids
  readonly publicUrl: string
}

export interface OpenedLink {
  readonly url: string
  readonly expiresAt: Instant
}

/** Long enough for a redirect on a slow line, too short for a link that was copied somewhere. */
const LINK_MS = 5 * MINUTE
/** Mail takes its time, and is read on another device. */
const MAILED_LINK_MS = 30 * MINUTE
/** A working day: a user who pays by card should not be asked for a password in between. */
export const SESSION_MS = 12 * HOUR

/** A link for this user. What their token says fills what was not known. */
export async function openPortalLink(
  deps: OpenLinkDeps,
  user: KnownUser,
  returnPath: string | null,
): Promise<OpenedLink> {
  await rememberUser(deps.database, user, deps.clock.now())
  const { token, expiresAt } = await openLink(deps, { userId: user.userId, returnPath, lifetimeMs: LINK_MS })
  return { url: `${deps.publicUrl}/portal/open?token=${token}`, expiresAt }
}

/** The address that a mail carries. */
export async function openMailedLink(deps: OpenLinkDeps, userId: string): Promise<string> {
  const { token } = await openLink(deps, { userId, returnPath: null, lifetimeMs: MAILED_LINK_MS })
  return `${deps.publicUrl}/portal/sign-in?token=${token}`
}

/** Has a link mailed to the users with this address; to none, where none has it. */
export function mailPortalLink({ database, clock }: SessionDeps, email: string): Promise<void> {
  return queuePortalLink(database, email, clock.now())
}

/** Whose portal a link opens, without using it up; null: it opens none. */
export function findLink({ database, clock }: SessionDeps, linkToken: string): Promise<PortalLink | null> {
  return findPortalLink(database, digestOf(linkToken), validAt(clock.now()))
}

/** The secret of the session that the link becomes; null: it was used, is over, or never was. */
export async function enterPortal(
  { database, clock }: SessionDeps,
  linkToken: string,
): Promise<string | null> {
  const now = clock.now()
  const token = randomToken()
  const digests = { linkDigest: digestOf(linkToken), sessionDigest: digestOf(token) }
  const hasEntered = await exchangePortalLink(database, { ...digests, expiresAt: now + SESSION_MS, now })
  return hasEntered ? token : null
}

export function findSession(
  { database, clock }: SessionDeps,
  sessionToken: string,
): Promise<PortalSession | null> {
  return findPortalSession(database, digestOf(sessionToken), validAt(clock.now()))
}

export function leavePortal(
  { database }: Pick<SessionDeps, 'database'>,
  sessionToken: string,
): Promise<void> {
  return deletePortalSession(database, digestOf(sessionToken))
}

/** A job: forgets up to `limit` links and sessions that are over. Gives how many. */
export function forgetPortalSessions({ database, clock }: SessionDeps, limit: number): Promise<number> {
  return deleteOverPortalSessions(database, clock.now(), limit)
}

const validAt = (now: Instant) => ({ now, latestEnd: now + SESSION_MS + CLOCK_SKEW_MAX })

async function openLink(
  { database, clock, ids }: OpenLinkDeps,
  of: { readonly userId: string; readonly returnPath: string | null; readonly lifetimeMs: number },
): Promise<{ readonly token: string; readonly expiresAt: Instant }> {
  const now = clock.now()
  const token = randomToken()
  const expiresAt = now + of.lifetimeMs
  const { userId, returnPath } = of
  const id = ids.next('prt', now)
  await insertPortalLink(database, { userId, id, digest: digestOf(token), expiresAt, returnPath })
  return { token, expiresAt }
}
