// The one place that reads the machine's time. Other code receives a clock or an instant: tests move it.
import os from 'node:os'
import { type Instant, SECOND } from '../core/instant.js'

export interface Clock {
  /** Throws `WrongClock` if it is guarded and wrong (database/guarded-clock.ts). */
  now(): Instant
  /** A real service's clock has a guard. A clock that is moved on purpose has none. */
  readonly guard?: ClockGuard
}

export interface ClockGuard {
  /** Compares with the database. Throws `WrongClock`. */
  compare(): Promise<void>
  /** How far the clock is off, also in words; null: it is right. */
  trouble(): { readonly ms: number; readonly words: string } | null
  readonly unguarded: Clock
}

export interface MovableClock extends Clock {
  /** Moves this clock forward. A negative number is refused, because time never runs backwards. */
  advance(ms: number): void
}

export function systemClock(): Clock {
  return { now: () => Date.now() }
}

/** A clock for pages and metrics, which stay readable while the guarded clock is wrong. */
export function shownClock(clock: Clock): Clock {
  return clock.guard?.unguarded ?? clock
}

/** How far a clock is ahead of the machine's, for libraries that read the machine's. */
export function secondsAhead(clock: Clock): number {
  return Math.round((clock.now() - Date.now()) / 1_000)
}

/** Runs ahead of `base` by what it was advanced. If `base` is a number, the clock stands still. */
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

/** An instant that was learnt, plus the time since then by a clock that is never set. */
export class LearntTime {
  #learnt: { readonly instant: Instant; readonly uptime: number } | null = null

  note(instant: Instant): void {
    this.#learnt = { instant, uptime: os.uptime() }
  }

  /** Null: nothing was learnt yet. `performance.now()` would stop while the machine sleeps. */
  now(): Instant | null {
    return this.#learnt && this.#learnt.instant + (os.uptime() - this.#learnt.uptime) * SECOND
  }
}
