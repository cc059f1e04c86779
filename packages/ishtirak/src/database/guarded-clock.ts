// Guards against a wrong clock: an instant that differs by more than `CLOCK_SKEW_MAX` from what the database
// knows is not returned. A server knows the time; the embedded database knows the last instant written to it.
import { CLOCK_SKEW_MAX, DAY, HOUR, MINUTE, SECOND, toTimestamp } from '../core/instant.js'
import { type Clock, LearntTime } from '../runtime/clock.js'
import { type Log, throttled } from '../runtime/log.js'
import type { Database, Queryable } from './database.js'
import { readLastRound, readServerTime } from './job-leases.js'

/** Nothing was read or written with the wrong instant, so a later attempt may succeed. */
export class WrongClock extends Error {
  override readonly name = 'WrongClock'
}

interface Guarded {
  readonly database: Queryable & Pick<Database, 'serverTime'>
  readonly log: Log
  /** CLOCK_CHECKED: the day on which a person checked the machine's clock. */
  readonly checkedOn?: string | undefined
}

/** `clock`, checked against the database at most once a second, because a check costs a status 1.5 KB. */
export function guardSystemClock(clock: Clock, { database, log, checkedOn }: Guarded): Clock {
  const { serverTime } = database
  const knownTime = serverTime ?? new LearntTime()
  const learn = async () => {
    if (serverTime) return serverTime.note(await readServerTime(database))
    const [now, last] = [clock.now(), await readLastRound(database)]
    // After a longer stop, a person has to check the clock.
    const isPossible = last === null || (now >= last - CLOCK_SKEW_MAX && now <= last + 31 * DAY)
    knownTime.note(isPossible || checkedOn === toTimestamp(now).slice(0, 10) ? now : last)
  }
  // While the server is unreachable, its last answer counts.
  const askServer = throttled(clock, SECOND, () => void learn().catch(() => undefined))
  const trouble = () => {
    const now = clock.now()
    const ms = now - (knownTime.now() ?? now)
    if (Math.abs(ms) > CLOCK_SKEW_MAX) {
      if (serverTime) askServer(undefined)
      const known = serverTime ? 'that of the database server' : LAST_WRITTEN
      return { ms, words: `the clock of this machine is ${lengthOf(ms)} ${known}` }
    }
    // Counted from the last accepted instant, so that the small corrections of a clock do not add up.
    if (!serverTime) knownTime.note(now)
    return null
  }
  const say = throttled(clock, MINUTE, (trouble: string) => log.error({ trouble }, 'the clock is wrong'))
  let checkedAt = Number.NEGATIVE_INFINITY
  const now = () => {
    const instant = clock.now()
    if (instant >= checkedAt && instant < checkedAt + SECOND) return instant
    const found = trouble()
    if (found) {
      say(found.words)
      throw new WrongClock(found.words)
    }
    checkedAt = instant
    return instant
  }
  return { now, guard: { compare: () => learn().then(() => void now()), trouble, unguarded: clock } }
}

const LAST_WRITTEN = 'the last instant written to the database; if it is right: docs/internals/faults.md'

/** `3.2 hours ahead of`, `400.0 days behind`. */
function lengthOf(ms: number): string {
  const [unit, name] = Math.abs(ms) < 2 * HOUR ? [MINUTE, 'minutes'] : [HOUR, 'hours']
  const [of, word] = Math.abs(ms) < 2 * DAY ? [unit, name] : [DAY, 'days']
  return `${(Math.abs(ms) / of).toFixed(1)} ${word} ${ms > 0 ? 'ahead of' : 'behind'}`
}
