// Links into the portal: the platform, which knows the user, gets one for them, or it is mailed to a user who asks for it.
import { type Instant, MINUTE } from '../core/instant.js'
import { type KnownUser, rememberUser } from '../payments/profile.sql.js'
import type { Ids } from '../runtime/random.js'
import { insertPortalLink, type SessionDeps } from './portal-sessions.sql.js'

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

/** A link for this user. What their token says fills what was not known. */
export async function openPortalLink(
  deps: OpenLinkDeps,
  user: KnownUser,
  returnPath: string | null,
): Promise<OpenedLink> {
  await rememberUser(deps.database, user, deps.clock.now())
  const link = { userId: user.userId, returnPath, lifetimeMs: LINK_MS }
  const { token, expiresAt } = await insertPortalLink(deps, link)
  return { url: `${deps.publicUrl}/portal/open?token=${token}`, expiresAt }
}

/** The address that a mail carries. */
export async function openMailedLink(deps: OpenLinkDeps, userId: string): Promise<string> {
  const { token } = await insertPortalLink(deps, { userId, returnPath: null, lifetimeMs: MAILED_LINK_MS })
  return `${deps.publicUrl}/portal/sign-in?token=${token}`
}
