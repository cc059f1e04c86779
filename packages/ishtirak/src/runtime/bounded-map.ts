// A map with a maximum number of keys at constant cost. To find its oldest key, JavaScript's own map walks
// past deleted ones. lru-cache allocates all its room at once, 2.8 MB for a rate limit.
import type { Instant } from '../core/instant.js'

/** Keys in use stay. When it is full, the half that was unused for longer is dropped. */
export class BoundedMap<Key, Value extends NonNullable<unknown> | null> {
  readonly #half: number
  #recent = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2))
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: Key): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  /** The number of keys. A key that was read again may count twice. */
  get size(): number {
    return this.#recent.size + this.#older.size
  }
}

export interface RecentFailures {
  /** The instant of the next possible attempt; null: now. */
  nextAttemptAt(key: string, now: Instant): Instant | null
  note(key: string, now: Instant): void
}

/** About 200 bytes each: 10,000 are 2 MB. */
const FAILING_KEYS_MAX = 10_000

/** Allows `most` failures in `windowMs`, then one whenever the oldest leaves the window. Per process. */
export function createRecentFailures(most: number, windowMs: number): RecentFailures {
  const known = new BoundedMap<string, readonly Instant[]>(FAILING_KEYS_MAX)
  const recent = (key: string, now: Instant) => (known.get(key) ?? []).filter((at) => now < at + windowMs)
  return {
    nextAttemptAt: (key, now) => {
      const failures = recent(key, now)
      const [oldest] = failures
      return oldest !== undefined && failures.length >= most ? oldest + windowMs : null
    },
    note: (key, now) => known.set(key, [...recent(key, now), now].slice(-most)),
  }
}
