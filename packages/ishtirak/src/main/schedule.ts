// Everything that runs by itself, on one screen. Each job is a sweep over rows that are due: it may be late, run twice or
// be killed at any line. None of them gives or takes access; they find out, announce and tidy.
import { HOUR, MINUTE, SECOND } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { claimRound } from '../database/job-leases.js'
import { type AnnounceDeps, announceTime } from '../events/announce-time.js'
import { type DeliveryDeps, deliverEvents, drainDeliveries } from '../events/deliver-events.js'
import { pruneEvents } from '../events/manage-events.js'
import { forgetOperations } from '../limits/usage.js'
import { forgetOldMail, type SendMailDeps, sendDueMail } from '../mail/send-mail.js'
import { type ReconcileDeps, reconcileDaily } from '../operator/reconcile.js'
import { repairInstants } from '../operator/repair-instants.sql.js'
import { checkDuePayments } from '../payments/sweep.js'
import { forgetPortalSessions } from '../portal/portal-sessions.sql.js'

export interface ScheduleDeps extends ReconcileDeps, AnnounceDeps, DeliveryDeps, SendMailDeps {
  readonly database: Database
}

export interface Job {
  readonly name: string
  readonly everyMs: number
  /** What the job promises, for the operator. */
  readonly promise: string
  /** Works through what is due, bounded; gives how much it did. */
  run(): Promise<number>
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

/** 240,000 a day: more than are written. */
const PRUNED_A_ROUND = 10_000

/** Of each kind. More than are written in the moment that a clock is wrong. */
const REPAIRED_A_ROUND = 5_000

/** Four at a time and half a second each: a round of some 12 seconds. 300,000 a day. */
const MAILS_A_ROUND = 100

export function schedule(deps: ScheduleDeps): readonly Job[] {
  return [...jobsOf(deps), ...housekeeping(deps)].map((job) => (job.oncePerCluster ? inTurn(deps, job) : job))
}

function inTurn({ database, clock }: ScheduleDeps, job: Job): Job {
  const claim = () => {
    const now = clock.now()
    return claimRound(database, job.name, { now, nextRunAt: now + Math.floor(job.everyMs * EARLY) })
  }
  return { ...job, run: async () => ((await claim()) ? job.run() : 0) }
}

function jobsOf(deps: ScheduleDeps): readonly Job[] {
  return [
    {
      name: 'repair-instants',
      everyMs: MINUTE,
      promise: 'a clock that was ahead puts nothing off once it is right',
      run: () => repairInstants(deps, REPAIRED_A_ROUND),
    },
    {
      name: 'check-due-payments',
      everyMs: 10 * SECOND,
      promise: 'a payment without a webhook is booked all the same',
      run: () => checkDuePayments(deps, LOOKS_A_ROUND),
      oncePerCluster: true,
    },
    {
      name: 'compare-with-provider',
      everyMs: 30 * SECOND,
      promise:
        'once a day the provider’s list is compared with our books, and what only one side has is reported',
      run: () => reconcileDaily(deps),
      oncePerCluster: true,
    },
    {
      name: 'announce-time',
      everyMs: 30 * SECOND,
      promise: 'the platform hears of each end that comes near, is reached or is final, once',
      run: () => announceTime(deps, ANNOUNCED_A_ROUND),
    },
    {
      name: 'deliver-events',
      everyMs: SECOND,
      promise: 'every event reaches the platform, in order for each user',
      run: () => deliverEvents(deps),
      drain: () => drainDeliveries(deps),
    },
    {
      name: 'send-mail',
      everyMs: 10 * SECOND,
      promise: 'each user who paid gets their receipt, and no paid time ends without a word',
      run: () => sendDueMail(deps, MAILS_A_ROUND),
    },
  ]
}

/** What nothing waits for. */
function housekeeping(deps: ScheduleDeps): readonly Job[] {
  return [
    {
      name: 'forget-operations',
      everyMs: MINUTE,
      promise: 'an operation on usage is remembered for 48 hours, and not much longer',
      run: () => forgetOperations(deps, FORGOTTEN_A_ROUND),
    },
    {
      name: 'maintain-database',
      everyMs: HOUR,
      promise: 'the embedded database is vacuumed, and its log does not grow without end',
      run: async () => {
        await deps.database.maintain?.()
        return deps.database.maintain ? 1 : 0
      },
    },
    {
      name: 'prune-events',
      everyMs: HOUR,
      promise: 'events that wait for no delivery are forgotten after 90 days',
      run: () => pruneEvents(deps, PRUNED_A_ROUND),
    },
    {
      name: 'forget-mail',
      everyMs: HOUR,
      promise: 'what became of a mail is forgotten after 90 days',
      run: () => forgetOldMail(deps, PRUNED_A_ROUND),
    },
    {
      name: 'forget-portal-sessions',
      everyMs: HOUR,
      promise: 'links and sessions of the portal that are over leave nothing behind',
      run: () => forgetPortalSessions(deps, PRUNED_A_ROUND),
    },
  ]
}
