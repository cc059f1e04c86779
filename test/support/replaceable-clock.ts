import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'

export interface ReplaceableClock extends MovableClock {
  become(another: MovableClock): void
}

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
