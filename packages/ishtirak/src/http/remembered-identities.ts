// Remembers whom a verified token named, so that the dearest step of a read happens once for each token. It is bounded in
// number and in time, and it never makes a token live longer than its own end.
import type { Instant } from '../core/instant.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { UserIdentity } from './identity.js'

export interface RememberedIdentities {
  find(digest: string, now: Instant): UserIdentity | undefined
  /** `until` is the first instant at which the token would be refused. */
  keep(digest: string, identity: UserIdentity, now: Instant, until: Instant): void
}

/** Under a digest, not under the token: what is kept in memory for long should not be usable. */
export function rememberIdentities(options: { most: number; longestMs: number }): RememberedIdentities {
  const known = new BoundedMap<string, { readonly identity: UserIdentity; readonly until: Instant }>(
    options.most,
  )
  return {
    find: (digest, now) => {
      const found = known.get(digest)
      // Remembered for longer than is possible: the clock was ahead then.
      if (found && found.until > now && found.until <= now + options.longestMs) return found.identity
      if (found) known.delete(digest)
      return undefined
    },
    keep: (digest, identity, now, until) => {
      known.set(digest, { identity, until: Math.min(until, now + options.longestMs) })
    },
  }
}
