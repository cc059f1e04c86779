// Everything that runs by itself, on one screen. Each job is a sweep over rows that are due: it may be late, run twice or
// be killed at any line. None of them gives or takes access; they find out, announce and tidy.
import { HOUR, MINUTE, SECOND } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { WrongClock } from '../database/guarded-clock.js'
import { claimRound } from '../database/job-leases.js'
import { type AnnounceDeps, announceTime } from '../events/announce-time.js'
import { type DeliveryDeps, deliverEvents, drainDeliveries } from '../events/deliver-events.js'
import { pruneEvents } from '../events/manage-events.js'
import { forgetOperations } from '../limits/usage.js'
import { forgetOldMail, sendDueMail } from '../mail/send-mail.js'
import { countReceipts } from '../operator/figures.sql.js'
import type { JobName, JobRounds } from '../operator/health.js'
import type { OldSecretWatch } from '../operator/old-secrets.js'
import { mailOperators, type OperatorMailDeps } from '../operator/operator-mail.js'
import { type ReconcileDeps, reconcileDaily } from '../operator/reconcile.js'
import { forgetOperatorSessions } from '../operator/sessions.js'
import { checkDuePayments } from '../payments/sweep.js'
import { type EraseDeps, eraseOldProofs } from '../payments/transfer/proof.js'
import { forgetPortalSessions } from '../portal/portal-sessions.sql.js'
import type { Log } from '../runtime/log.js'

interface ScheduleDeps extends ReconcileDeps, AnnounceDeps, DeliveryDeps, OperatorMailDeps, EraseDeps {
  readonly database: Database
  readonly oldSecrets: OldSecretWatch
}

interface Job {
  readonly name: string
  readonly everyMs: number
  /** Works through what is due, bounded, as long as it `goesOn`; gives how much it did. */
  run(goesOn: () => boolean): Promise<number>
  /** Where a round leaves work running: waits for it, when no further round comes. */
  drain?(): Promise<void>
  /** The provider bounds our calls: however many processes there are, one of them runs the round. */
  readonly oncePerCluster?: true
}

/**
 * Processes' timers are not in step with the row that counts the rounds: one that comes a moment early must not lose its
 * round, so a round may begin when nine tenths of the interval are over.
 */
const EARLY = 0.9

/** 5 looks every 10 s are 30 calls a minute: half of what the provider allows, the rest is for people who wait. */
const LOOKS_A_ROUND = 5

/** 800 consumes a second, day and night, are as many as a round forgets; a burst is caught up with later. */
const FORGOTTEN_A_ROUND = 50_000

/** Half a million users whose month ends on one day are announced within three hours by a single process. */
const ANNOUNCED_A_ROUND = 1_500

/** Of each series; 500 a second. What is there at the upgrade is counted meanwhile: ten million in six hours. */
const COUNTED_A_ROUND = 5_000

/** 240,000 a day: more than are written. */
const PRUNED_A_ROUND = 10_000

/** At most 8 MiB each. */
const ERASED_A_ROUND = 200

/** Four at a time and half a second each: a round of some 12 seconds. 300,000 a day. */
const MAILS_A_ROUND = 100

export function schedule(deps: ScheduleDeps): readonly Job[] {
  return jobsOf(deps).map((job) => (job.oncePerCluster ? inTurn(deps, job) : job))
}

function inTurn({ database, clock }: ScheduleDeps, job: Job): Job {
  const claim = () => {
    const now = clock.now()
    return claimRound(database, job.name, { now, nextRunAt: now + Math.floor(job.everyMs * EARLY) })
  }
  return { ...job, run: async (goesOn) => ((await claim()) ? job.run(goesOn) : 0) }
}

function jobsOf(deps: ScheduleDeps): readonly (Job & { readonly name: JobName })[] {
  return [
    // A payment that no webhook reported is booked all the same.
    {
      name: 'check-due-payments',
      everyMs: 10 * SECOND,
      run: () => checkDuePayments(deps, LOOKS_A_ROUND),
      oncePerCluster: true,
    },
    // Once a day the provider's list is compared with our books, and what only one side has is reported.
    {
      name: 'compare-with-provider',
      everyMs: 30 * SECOND,
      run: () => reconcileDaily(deps),
      oncePerCluster: true,
    },
    // The platform gets an event before paid time ends (7, 3 and 1 days), when it ends, and when grace is over.
    { name: 'announce-time', everyMs: 30 * SECOND, run: () => announceTime(deps, ANNOUNCED_A_ROUND) },
    // Every event reaches the platform, in order for each user.
    {
      name: 'deliver-events',
      everyMs: SECOND,
      run: () => deliverEvents(deps),
      drain: () => drainDeliveries(deps),
    },
    // Receipts, and reminders before paid time ends.
    { name: 'send-mail', everyMs: 10 * SECOND, run: (goesOn) => sendDueMail(deps, MAILS_A_ROUND, goesOn) },
    // The figures of a month are added up as its receipts come.
    {
      name: 'count-receipts',
      everyMs: 10 * SECOND,
      run: () => countReceipts(deps.database, COUNTED_A_ROUND),
    },
    // Operators learn what entered their inbox: at most one mail in 15 minutes.
    { name: 'mail-operators', everyMs: MINUTE, run: () => mailOperators(deps), oncePerCluster: true },
    // From here on nothing waits for it. An operation on usage is remembered for 48 hours.
    { name: 'forget-operations', everyMs: MINUTE, run: () => forgetOperations(deps, FORGOTTEN_A_ROUND) },
    // The embedded database is vacuumed, and its log stays small.
    {
      name: 'maintain-database',
      everyMs: HOUR,
      run: async () => {
        await deps.database.maintain?.()
        return deps.database.maintain ? 1 : 0
      },
    },
    // Events that are delivered, and what became of mail: kept for 90 days.
    { name: 'prune-events', everyMs: HOUR, run: () => pruneEvents(deps, PRUNED_A_ROUND) },
    { name: 'forget-mail', everyMs: HOUR, run: () => forgetOldMail(deps, PRUNED_A_ROUND) },
    // Pictures and PDFs of transfers: PROOF_DAYS after the decision.
    { name: 'erase-proofs', everyMs: HOUR, run: () => eraseOldProofs(deps, ERASED_A_ROUND) },
    { name: 'forget-operator-sessions', everyMs: HOUR, run: () => forgetOperatorSessions(deps) },
    // `doctor` says when an old secret was last used.
    { name: 'save-secret-uses', everyMs: MINUTE, run: () => deps.oldSecrets.save(deps.database, 'hourly') },
    { name: 'forget-portal-sessions', everyMs: HOUR, run: () => forgetPortalSessions(deps, PRUNED_A_ROUND) },
  ]
}

export interface Runner {
  /** From now on each job runs at its own pace. */
  start(): void
  /** Runs every job once, now, one after the other: for the test clock, which cannot wait for real time. */
  runAll(): Promise<void>
  /** Waits for the rounds under way, and begins none until the function that it gives is called. */
  pause(): Promise<() => void>
  /** Starts no further round and waits for those under way, and for what they have left running. */
  stop(): Promise<void>
}

/**
 * Runs each job at its own pace, never two rounds of one at a time in this process. A failing job is logged and comes again;
 * it never ends the process. `rounds`: where it notes when each job ran.
 */
export function createRunner(jobs: readonly Job[], log: Log, rounds?: JobRounds): Runner {
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
  const timers: NodeJS.Timeout[] = []
  return {
    start: () => {
      // A stop may come while the start is under way.
      if (isStopped) return
      timers.push(...jobs.map((job) => setInterval(() => void begin(job), job.everyMs)))
    },
    runAll: async () => {
      for (const job of jobs) {
        await underWay.get(job.name)
        await begin(job)
      }
    },
    pause: async () => {
      pauses++
      interruptions++
      await Promise.all(underWay.values())
      await Promise.all(jobs.map((job) => job.drain?.()))
      return () => void pauses--
    },
    stop: async () => {
      isStopped = true
      interruptions++
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay.values())
      await Promise.all(jobs.map((job) => job.drain?.()))
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
    // The guard says it once for all jobs. What was due is due again.
    if (error instanceof WrongClock) return
    rounds?.note(job.name, job.everyMs, true)
    // A sweep that fails has lost nothing: what was due is due again.
    log.error({ err: error, job: job.name }, 'job failed')
  }
}
