// The one place that reads the machine's time. All else is given a clock or an instant, so it can be moved.
import os from 'node:os'
import { type Instant, SECOND } from '../core/instant.js'

export interface Clock {
  /** Throws `WrongClock` where it is guarded and wrong (database/guarded-clock.ts). */
  now(): Instant
  /** The clock of a real service has one; one that is moved on purpose has none. */
  readonly guard?: ClockGuard
}

export interface ClockGuard {
  /** Asks the database. Throws `WrongClock`. */
  compare(): Promise<void>
  /** How far it is off, also in words; null: it is right. */
  trouble(): { readonly ms: number; readonly words: string } | null
  readonly unguarded: Clock
}

export interface MovableClock extends Clock {
  /** Moves this clock forward; time never runs backwards, a negative number is refused. */
  advance(ms: number): void
}

export function systemClock(): Clock {
  return { now: () => Date.now() }
}

/** Figures are readable while the clock is wrong. */
export function shownClock(clock: Clock): Clock {
  return clock.guard?.unguarded ?? clock
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

/** An instant that was learnt, and the time that has passed since, by clocks that are never set. */
export class LearntTime {
  #learnt: { readonly instant: Instant; readonly at: number; readonly uptime: number } | null = null

  note(instant: Instant): void {
    this.#learnt = { instant, at: performance.now(), uptime: os.uptime() }
  }

  /** Null: nothing was learnt yet. */
  now(): Instant | null {
    return this.#learnt && this.#learnt.instant + performance.now() - this.#learnt.at
  }

  /** `performance.now()` stands still while a machine sleeps. This reads a file: for a second look. */
  nowAfterSleep(): Instant | null {
    return this.#learnt && this.#learnt.instant + (os.uptime() - this.#learnt.uptime) * SECOND
  }
}
