// Says rarely what may happen thousands of times a minute: a log full of one line hides every other.

import type { Instant } from '../core/instant.js'
import type { Clock } from './clock.js'

/** `say` is called at most once in `everyMs`, with how many times it was not called since. */
export function seldom<About>(
  clock: Clock,
  everyMs: number,
  say: (about: About, leftOut: number) => void,
): (about: About) => void {
  let saidAt: Instant | null = null
  let leftOut = 0
  return (about) => {
    const now = clock.now()
    // A clock that went back does not silence it until it has caught up.
    if (saidAt !== null && saidAt <= now && now < saidAt + everyMs) {
      leftOut += 1
      return
    }
    say(about, leftOut)
    saidAt = now
    leftOut = 0
  }
}
