// Remembers whom a verified token named, so that the dearest step of a read happens once for each token. It is bounded in
// number and in time, and it never makes a token live longer than its own end.
import type { Instant } from '../domain/instant.js'
import type { UserIdentity } from './identity.js'

export interface RememberedIdentities {
  find(digest: string, now: Instant): UserIdentity | undefined
  /** `until` is the first instant at which the token would be refused. */
  keep(digest: string, identity: UserIdentity, now: Instant, until: Instant): void
}

/** Under a digest, not under the token: what is kept in memory for long should not be usable. */
export function rememberIdentities(options: { most: number; longestMs: number }): RememberedIdentities {
  const known = new Map<string, { identity: UserIdentity; until: Instant }>()
  return {
    find: (digest, now) => {
      const found = known.get(digest)
      if (found && found.until > now) return found.identity
      if (found) known.delete(digest)
      return undefined
    },
    keep: (digest, identity, now, until) => {
      // A map gives its keys in the order of insertion: the first is the one remembered longest.
      const [oldest] = known.keys()
      if (known.size >= options.most && oldest !== undefined) known.delete(oldest)
      known.set(digest, { identity, until: Math.min(until, now + options.longestMs) })
    },
  }
}
