// How often a caller's attempts failed lately, in this process: what fails is not tried again without end. Successes cost
// nothing.
import type { Instant } from '../core/instant.js'

export interface RecentFailures {
  /** From when the next attempt may be made; null: now. */
  nextAttemptAt(key: string, now: Instant): Instant | null
  note(key: string, now: Instant): void
}

/** About 200 bytes each: 10,000 are 2 MB. */
const KEYS_MAX = 10_000

/** `most` failures in `windowMs`; then one attempt whenever the oldest of them leaves the window. */
export function createRecentFailures(most: number, windowMs: number): RecentFailures {
  const known = new Map<string, readonly Instant[]>()
  // An instant in the future was noted by a clock that was wrong.
  const isRecent = (at: Instant | undefined, now: Instant) =>
    at !== undefined && at <= now && now < at + windowMs
  const recent = (key: string, now: Instant) => (known.get(key) ?? []).filter((at) => isRecent(at, now))
  return {
    nextAttemptAt: (key, now) => {
      const failures = recent(key, now)
      const [oldest] = failures
      return oldest !== undefined && failures.length >= most ? oldest + windowMs : null
    },
    note: (key, now) => {
      const failures = [...recent(key, now), now].slice(-most)
      known.delete(key)
      // In the order of their last failure: what is over comes first.
      for (const [oldest, instants] of known) {
        if (known.size < KEYS_MAX && isRecent(instants.at(-1), now)) break
        known.delete(oldest)
      }
      known.set(key, failures)
    },
  }
}
