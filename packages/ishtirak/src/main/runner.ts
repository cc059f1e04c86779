// Runs the jobs of the schedule: each at its own pace, never two of one kind at a time in this process. A failing job is
// logged and comes again; it never ends the process.
import type { Log } from '../runtime/log.js'
import type { Job } from './schedule.js'

export interface Runner {
  /** Runs every job once, now, one after the other: for the test clock, which cannot wait for real time. */
  runAll(): Promise<void>
  /** Starts no further round and waits for those under way, and for what they have left running. */
  stop(): Promise<void>
}

export function startRunner(jobs: readonly Job[], log: Log): Runner {
  const underWay = new Map<string, Promise<void>>()
  const start = (job: Job): Promise<void> => {
    const running = underWay.get(job.name)
    if (running) return running
    const round = runOnce(job, log).finally(() => underWay.delete(job.name))
    underWay.set(job.name, round)
    return round
  }
  const timers = jobs.map((job) => setInterval(() => void start(job), job.everyMs))
  return {
    runAll: async () => {
      for (const job of jobs) {
        await underWay.get(job.name)
        await start(job)
      }
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay.values())
      await Promise.all(jobs.map((job) => job.drain?.()))
    },
  }
}

async function runOnce(job: Job, log: Log): Promise<void> {
  try {
    const done = await job.run()
    if (done > 0) log.debug({ job: job.name, done }, 'job did its round')
  } catch (error) {
    // A sweep that fails has lost nothing: what was due is due again.
    log.error({ err: error, job: job.name }, 'job failed')
  }
}
