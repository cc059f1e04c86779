// A clock for what serves several tests, one after the other.
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'

export interface ReplaceableClock extends MovableClock {
  become(another: MovableClock): void
}

/** What was given one clock for ever goes by another. */
export function replaceableClock(first: MovableClock): ReplaceableClock {
  let clock = first
  return {
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    become: (another) => {
      clock = another
    },
  }
}
