// When an event that was not accepted is sent again, and when an address is given up. The steps are those that Standard
// Webhooks recommends (specification 1.0, "Deliverability and reliability"); then once a day.
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../core/instant.js'

/** The wait before each attempt, the first at once. Ten attempts in three days and three hours. */
export const ATTEMPT_WAITS: readonly Instant[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** An address where nothing succeeded for so long is switched off, and the log says so. */
const GIVE_UP_AFTER = 5 * DAY

/** A tenth on top at most: spreads what failed together, and keeps the steps recognisable. */
const JITTER_SHARE = 0.1

/** After `attempts` failed ones. `random` is drawn by the caller, from 0 up to but not including 1. */
export function nextAttemptAt(attempts: number, now: Instant, random: number): Instant {
  const wait = ATTEMPT_WAITS[attempts] ?? DAY
  return now + Math.round(wait * (1 + JITTER_SHARE * random))
}

/** Why an address is switched off after an attempt that failed, or null while there is hope. */
export function reasonToDisable(
  answerStatus: number | null,
  failingSince: Instant,
  now: Instant,
): string | null {
  if (answerStatus === 410) return 'it answered 410 Gone'
  return now - failingSince >= GIVE_UP_AFTER ? 'no attempt has succeeded for five days' : null
}
