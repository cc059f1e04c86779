// The way into the portal: the platform, which knows the user, gets a link for him; the link works once and becomes a
// session. Both are random and only their digests are stored. A session opens the portal of its user and nothing else.
import { CLOCK_SKEW_MAX, HOUR, type Instant, MINUTE } from '../core/instant.js'
import { queuePortalLink } from '../mail/mail.sql.js'
import type { Parts } from '../payments/parts.js'
import { type KnownUser, rememberUser } from '../payments/upgrade.sql.js'
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

export interface PortalSessions {
  /** A link for this user. What his token says of him fills what we did not know. */
  open(user: KnownUser, returnPath: string | null): Promise<OpenedLink>
  /** Whose portal a link opens, without using it up; null: it opens none. */
  look(linkToken: string): Promise<PortalLink | null>
  /** Has a link mailed to the users with this address; to none, where none has it. */
  mailLink(email: string): Promise<void>
  /** The secret of the session that the link becomes; null: it was used, is over, or never was. */
  enter(linkToken: string): Promise<string | null>
  find(sessionToken: string): Promise<PortalSession | null>
  leave(sessionToken: string): Promise<void>
  /** Tidies up to `limit` that are over. */
  forget(limit: number): Promise<number>
}

export interface OpenedLink {
  readonly token: string
  readonly expiresAt: Instant
}

/** Long enough for a redirect on a slow line, too short for a link that was copied somewhere. */
const LINK_MS = 5 * MINUTE
/** Mail takes its time, and is read on another device. */
const MAILED_LINK_MS = 30 * MINUTE
/** A working day: whoever pays by card should not be asked for his password in between. */
export const SESSION_MS = 12 * HOUR

const validAt = (now: Instant) => ({ now, latestEnd: now + SESSION_MS + CLOCK_SKEW_MAX })

export function createPortalSessions(parts: Parts): PortalSessions {
  const { database, clock } = parts
  return {
    open: async (user, returnPath) => {
      await rememberUser(database, user, clock.now())
      return openLink(parts, { userId: user.userId, returnPath, lifetimeMs: LINK_MS })
    },
    look: (linkToken) => findPortalLink(database, digestOf(linkToken), validAt(clock.now())),
    mailLink: (email) => queuePortalLink(database, email, clock.now()),
    enter: async (linkToken) => {
      const now = clock.now()
      const token = randomToken()
      const entered = await exchangePortalLink(database, {
        linkDigest: digestOf(linkToken),
        sessionDigest: digestOf(token),
        expiresAt: now + SESSION_MS,
        now,
      })
      return entered ? token : null
    },
    find: (sessionToken) => findPortalSession(database, digestOf(sessionToken), validAt(clock.now())),
    leave: (sessionToken) => deletePortalSession(database, digestOf(sessionToken)),
    forget: (limit) => deleteOverPortalSessions(database, clock.now(), limit),
  }
}

/** The link that a mail carries. */
export function openMailedLink(parts: Parts, userId: string): Promise<OpenedLink> {
  return openLink(parts, { userId, returnPath: null, lifetimeMs: MAILED_LINK_MS })
}

async function openLink(
  { database, clock, ids }: Parts,
  of: { readonly userId: string; readonly returnPath: string | null; readonly lifetimeMs: number },
): Promise<OpenedLink> {
  const now = clock.now()
  const token = randomToken()
  const expiresAt = now + of.lifetimeMs
  const { userId, returnPath } = of
  const id = ids.next('prt', now)
  await insertPortalLink(database, { userId, id, digest: digestOf(token), expiresAt, returnPath })
  return { token, expiresAt }
}
