// The one place that reads the machine's time. All other code is given a clock or an instant, so that tests and the
// sandbox can move it.
import type { Instant } from '../core/instant.js'

export interface Clock {
  now(): Instant
}

export interface MovableClock extends Clock {
  /** Moves this clock forward; time never runs backwards, a negative number is refused. */
  advance(ms: number): void
}

export function systemClock(): Clock {
  return { now: () => Date.now() }
}

/** How far a clock is ahead of the machine's, for libraries that read that one. */
export function secondsAhead(clock: Clock): number {
  return Math.round((clock.now() - Date.now()) / 1_000)
}

/** Runs ahead of `base` by what it was advanced. A number as base is a clock that does not run. */
export function movableClock(base: Clock | Instant = systemClock()): MovableClock {
  const underlying: Clock = typeof base === 'number' ? { now: () => base } : base
  let aheadMs = 0
  return {
    now: () => underlying.now() + aheadMs,
    advance: (ms) => {
      if (!Number.isFinite(ms) || ms < 0)
        throw new RangeError('a clock advances by a number of milliseconds, 0 or more')
      aheadMs += Math.round(ms)
    },
  }
}
