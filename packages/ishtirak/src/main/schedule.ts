// Everything that runs by itself: the jobs of all capabilities, in one list that the health page shows. No
// job gives or takes access: jobs find out, announce and tidy.
import type { Capability } from '../acts/capability.js'
import { HOUR, MINUTE } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { WrongClock } from '../database/guarded-clock.js'
import { claimRound } from '../database/job-leases.js'
import type { JobRounds } from '../overview/health.js'
import type { Clock } from '../runtime/clock.js'
import { JOB_STAGES, type Job } from '../runtime/job.js'
import type { Log } from '../runtime/log.js'

interface ScheduleDeps {
  readonly database: Database
  readonly clock: Clock
}

/** Timers of processes are not in step: a round may come early by this share of its timer. */
const EARLY = 0.1

/**
 * How often a daily job is tried: its lease says whether it is due. A timer of a day would never end in a
 * service that is restarted each day, nor after the sandbox's clock was moved.
 */
const LONGEST_TIMER = 5 * MINUTE

/** Sorted by stage, then by capability. */
export function schedule<Deps extends ScheduleDeps>(
  capabilities: readonly Capability<Deps>[],
  deps: Deps,
): readonly Job[] {
  const jobs = [...capabilities.flatMap((one) => one.jobs?.(deps) ?? []), maintenance(deps)]
  return JOB_STAGES.flatMap((stage) => jobs.filter((job) => job.stage === stage)).map((job) =>
    job.oncePerCluster ? inTurn(deps, job) : job,
  )
}

function inTurn({ database, clock }: ScheduleDeps, job: Job): Job {
  const claim = () => {
    const now = clock.now()
    const nextRunAt = now + job.everyMs - Math.floor(timerOf(job) * EARLY)
    return claimRound(database, job.name, { now, nextRunAt })
  }
  return { ...job, run: async (goesOn) => ((await claim()) ? job.run(goesOn) : 0) }
}

function timerOf({ oncePerCluster, everyMs }: Job): number {
  return oncePerCluster ? Math.min(everyMs, LONGEST_TIMER) : everyMs
}

/** The embedded database is vacuumed, and its log stays small. */
function maintenance({ database }: ScheduleDeps): Job {
  const run = async () => {
    await database.maintain?.()
    return database.maintain ? 1 : 0
  }
  return { name: 'maintain-database', stage: 'tidy', everyMs: HOUR, run }
}

/** A job never has two rounds at a time in this process. A failing job is logged and runs again later. */
export function createRunner(jobs: readonly Job[], log: Log, rounds?: JobRounds) {
  for (const { name, everyMs } of jobs) rounds?.expect(name, everyMs)
  const underWay = new Map<string, Promise<void>>()
  let pauses = 0
  let isStopped = false
  // Stops and pauses so far; the next one ends the rounds that are under way early.
  let interruptions = 0
  const begin = (job: Job): Promise<void> => {
    const running = underWay.get(job.name)
    if (running) return running
    if (pauses > 0) return Promise.resolve()
    const before = interruptions
    const goesOn = () => interruptions === before
    const round = runOnce(job, log, { rounds, goesOn }).finally(() => underWay.delete(job.name))
    underWay.set(job.name, round)
    return round
  }
  const interrupt = async () => {
    interruptions++
    await Promise.all(underWay.values())
    await Promise.all(jobs.map((job) => job.drain?.()))
  }
  const timers: NodeJS.Timeout[] = []
  return {
    start: () => {
      // A stop may come while the start is under way.
      if (isStopped) return
      timers.push(...jobs.map((job) => setInterval(() => void begin(job), timerOf(job))))
    },
    /** Runs every job once, now, one after the other: for the test clock, which cannot wait for real time. */
    runAll: async () => {
      for (const job of jobs) {
        await underWay.get(job.name)
        await begin(job)
      }
    },
    /** Waits for the rounds under way. No round begins until the returned function is called. */
    pause: async () => {
      pauses++
      await interrupt()
      return () => void pauses--
    },
    /** Starts no further round and waits for those under way, and for what they have left running. */
    stop: async () => {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await interrupt()
    },
  }
}

async function runOnce(
  job: Job,
  log: Log,
  { rounds, goesOn }: { readonly rounds: JobRounds | undefined; readonly goesOn: () => boolean },
): Promise<void> {
  try {
    const done = await job.run(goesOn)
    rounds?.note(job.name, job.everyMs, false)
    if (done > 0) log.debug({ job: job.name, done }, 'job did its round')
  } catch (error) {
    // The clock's guard logs it once for all jobs. A failed round loses nothing: due rows stay due.
    if (error instanceof WrongClock) return
    rounds?.note(job.name, job.everyMs, true)
    log.error({ err: error, job: job.name }, 'job failed')
  }
}
