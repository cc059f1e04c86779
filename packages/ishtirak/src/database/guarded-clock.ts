// The one guard against a wrong clock: an instant more than `CLOCK_SKEW_MAX` off what the database knows is
// not handed out. A server knows the time; the embedded database knows the last instant written to it.
import { CLOCK_SKEW_MAX, DAY, HOUR, type Instant, MINUTE, SECOND, toTimestamp } from '../core/instant.js'
import { type Clock, LearntTime } from '../runtime/clock.js'
import { type Log, throttled } from '../runtime/log.js'
import type { Database } from './database.js'
import { readLastRound, readServerTime } from './job-leases.js'

/** Nothing was read or written by the wrong instant: the call is worth another try. */
export class WrongClock extends Error {
  override readonly name = 'WrongClock'
}

/** What a clock is compared with. */
export interface RightTime {
  /** Stands in sentences. */
  readonly name: string
  /** Null: not known yet. */
  now(): Instant | null
  /** The same, learnt again: the clock is off, and the machine may have slept. */
  secondLook(): Instant | null
  /** The clock was right at this instant. */
  confirm(now: Instant): void
  /** Asks the database. */
  learn(now: Instant): Promise<void>
}

/** `checkedOn`: CLOCK_CHECKED, the day on which a person has looked at the clock of the machine. */
export function guardSystemClock(
  clock: Clock,
  of: { readonly database: Database; readonly log: Log; readonly checkedOn?: string | undefined },
): Clock {
  const { database, log, checkedOn } = of
  const right = database.serverTime
    ? timeOfServer(database, database.serverTime)
    : lastInstantWritten(database, checkedOn)
  return guardedClock(clock, right, log)
}

export function guardedClock(clock: Clock, right: RightTime, log: Log): Clock {
  const tell = throttled(clock, MINUTE, (trouble: string) => log.error({ trouble }, 'the clock is wrong'))
  const offBy = (now: Instant, known: Instant | null) => (known === null ? 0 : now - known)
  const isOff = (ms: number) => Math.abs(ms) > CLOCK_SKEW_MAX
  const troubleAt = (now: Instant) => {
    if (isOff(offBy(now, right.now()))) {
      const ms = offBy(now, right.secondLook())
      if (isOff(ms)) return { ms, words: `the clock of this machine is ${lengthOf(ms)} ${right.name}` }
    }
    right.confirm(now)
    return null
  }
  let rightAt = Number.NEGATIVE_INFINITY
  const guarded = () => {
    const now = clock.now()
    // Within a second of a right instant it is right: what is compared costs 1.5 KB of a status.
    if (now >= rightAt && now < rightAt + SECOND) return now
    const trouble = troubleAt(now)
    if (trouble === null) {
      rightAt = now
      return now
    }
    tell(trouble.words)
    throw new WrongClock(trouble.words)
  }
  const compare = async () => {
    await right.learn(clock.now())
    guarded()
  }
  return {
    now: guarded,
    guard: { compare, trouble: () => troubleAt(clock.now()), unguarded: clock },
  }
}

/** `3.2 hours ahead of`, `400.0 days behind`. */
function lengthOf(ms: number): string {
  const [unit, name] = Math.abs(ms) < 2 * HOUR ? [MINUTE, 'minutes'] : [HOUR, 'hours']
  const [of, word] = Math.abs(ms) < 2 * DAY ? [unit, name] : [DAY, 'days']
  return `${(Math.abs(ms) / of).toFixed(1)} ${word} ${ms > 0 ? 'ahead of' : 'behind'}`
}

/** Learnt with every new connection. While the clock is off, it is asked for once a second. */
function timeOfServer(database: Database, learnt: LearntTime): RightTime {
  const learn = async () => learnt.note(await readServerTime(database))
  let askedAt = Number.NEGATIVE_INFINITY
  const secondLook = () => {
    if (performance.now() >= askedAt + SECOND) {
      askedAt = performance.now()
      // Unknown while the server is away: what it said last counts.
      learn().catch(() => undefined)
    }
    return learnt.now()
  }
  return {
    name: 'that of the database server',
    now: () => learnt.now(),
    secondLook,
    confirm: () => {},
    learn,
  }
}

/** A service that was stopped for longer is asked to have its clock looked at. */
const LONGEST_STOP_MS = 31 * DAY

function lastInstantWritten(database: Database, checkedOn: string | undefined): RightTime {
  const learnt = new LearntTime()
  let confirmedAt = Number.NEGATIVE_INFINITY
  return {
    name: 'the last instant written to the database; if it is right: docs/internals/faults.md',
    now: () => learnt.now(),
    secondLook: () => learnt.nowAfterSleep(),
    // From the last right instant on, so that the small steps by which a clock is kept right do not add up.
    confirm: (now) => {
      if (performance.now() < confirmedAt + SECOND) return
      confirmedAt = performance.now()
      learnt.note(now)
    },
    learn: async (now) => {
      const last = await readLastRound(database)
      const isPossible = last === null || (now >= last - CLOCK_SKEW_MAX && now <= last + LONGEST_STOP_MS)
      const isChecked = checkedOn === toTimestamp(now).slice(0, 10)
      learnt.note(isPossible || isChecked ? now : last)
    },
  }
}
