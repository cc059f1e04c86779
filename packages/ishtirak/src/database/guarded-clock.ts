// The one guard against a wrong clock: an instant more than `CLOCK_SKEW_MAX` off what the database knows is
// not handed out. A server knows the time; the embedded database knows the last instant written to it.
import { CLOCK_SKEW_MAX, DAY, HOUR, type Instant, MINUTE, SECOND, toTimestamp } from '../core/instant.js'
import { type Clock, LearntTime } from '../runtime/clock.js'
import { type Log, throttled } from '../runtime/log.js'
import type { Database, Queryable } from './database.js'
import { readLastRound, readServerTime } from './job-leases.js'

/** Nothing was read or written by the wrong instant: the call is worth another try. */
export class WrongClock extends Error {
  override readonly name = 'WrongClock'
}

/** A service that was stopped for longer is asked to have its clock looked at. */
const LONGEST_STOP_MS = 31 * DAY

interface Guarded {
  readonly database: Queryable & Pick<Database, 'serverTime'>
  readonly log: Log
  /** CLOCK_CHECKED, the day on which a person has looked at the clock of the machine. */
  readonly checkedOn?: string | undefined
}

/** `clock`, compared with what the database knows at most once a second: that costs 1.5 KB of a status. */
export function guardSystemClock(clock: Clock, { database, log, checkedOn }: Guarded): Clock {
  const { serverTime } = database
  const right = serverTime ?? new LearntTime()
  const learn = async () => {
    if (serverTime) return right.note(await readServerTime(database))
    const [now, last] = [clock.now(), await readLastRound(database)]
    const isPossible = last === null || (now >= last - CLOCK_SKEW_MAX && now <= last + LONGEST_STOP_MS)
    right.note(isPossible || checkedOn === toTimestamp(now).slice(0, 10) ? now : last)
  }
  const offBy = (now: Instant, known: Instant | null) => (known === null ? 0 : now - known)
  const isOff = (ms: number) => Math.abs(ms) > CLOCK_SKEW_MAX
  // This clock is never set.
  const running = { now: () => performance.now() }
  // Unknown while the server is away: what it said last counts.
  const askServer = throttled(running, SECOND, () => void learn().catch(() => undefined))
  // From the last right instant on, so that the small steps by which a clock is kept right do not add up.
  const noteRight = throttled(running, SECOND, (now: Instant) => right.note(now))
  const trouble = () => {
    const now = clock.now()
    let ms = offBy(now, right.now())
    if (isOff(ms)) {
      // The server may know better by now, and the machine may have slept.
      if (serverTime) askServer(now)
      ms = offBy(now, serverTime ? right.now() : right.nowAfterSleep())
    }
    if (!isOff(ms)) {
      if (!serverTime) noteRight(now)
      return null
    }
    const known = serverTime ? 'that of the database server' : LAST_WRITTEN
    return { ms, words: `the clock of this machine is ${lengthOf(ms)} ${known}` }
  }
  const tell = throttled(clock, MINUTE, (words: string) =>
    log.error({ trouble: words }, 'the clock is wrong'),
  )
  let rightAt = Number.NEGATIVE_INFINITY
  const now = () => {
    const instant = clock.now()
    if (instant >= rightAt && instant < rightAt + SECOND) return instant
    const found = trouble()
    if (found) {
      tell(found.words)
      throw new WrongClock(found.words)
    }
    rightAt = instant
    return instant
  }
  const compare = async () => {
    await learn()
    now()
  }
  return { now, guard: { compare, trouble, unguarded: clock } }
}

const LAST_WRITTEN = 'the last instant written to the database; if it is right: docs/internals/faults.md'

/** `3.2 hours ahead of`, `400.0 days behind`. */
function lengthOf(ms: number): string {
  const [unit, name] = Math.abs(ms) < 2 * HOUR ? [MINUTE, 'minutes'] : [HOUR, 'hours']
  const [of, word] = Math.abs(ms) < 2 * DAY ? [unit, name] : [DAY, 'days']
  return `${(Math.abs(ms) / of).toFixed(1)} ${word} ${ms > 0 ? 'ahead of' : 'behind'}`
}
