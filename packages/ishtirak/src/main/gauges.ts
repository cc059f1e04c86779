// Gauges for Prometheus: how much work waits, and whether it is being done. The database is asked at most
// twice a minute, the provider once, and neither keeps a scrape waiting for long.
import { Gauge } from 'prom-client'
import type { Check } from '../acts/check.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { type Database, givenUpAfter, withLimit } from '../database/database.js'
import { type EventQueue, eventQueue } from '../events/event-history.sql.js'
import { shareChecks } from '../http/health.js'
import type { Metrics } from '../http/metrics.js'
import type { ExaminedGateway } from '../overview/examine.js'
import type { JobRounds } from '../overview/health.js'
import { type Inbox, type InboxWait, inboxWaits } from '../overview/inbox.sql.js'
import type { Clock } from '../runtime/clock.js'
import type { Log } from '../runtime/log.js'
import type { watchOldSecrets } from '../runtime/old-secrets.js'

interface GaugeDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly rounds: JobRounds
  readonly inbox: Inbox
  readonly examinedGateways: readonly ExaminedGateway[]
  /** Absent: events are stored and not sent. */
  readonly outgoing?: object
  readonly oldSecrets: ReturnType<typeof watchOldSecrets>
}

const WAITS_MS = 30 * SECOND
const WAITS_LIMIT_MS = 2 * SECOND
const PROVIDER_MS = MINUTE

interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

type AddGauge = (
  name: string,
  help: string,
  labelNames: string[],
  read: () => Promise<readonly Series[]> | readonly Series[],
) => void

export function publishGauges(metrics: Metrics, deps: GaugeDeps): void {
  const add: AddGauge = (name, help, labelNames, read) =>
    new Gauge({
      ...{ name: `ishtirak_${name}`, help, labelNames },
      registers: [metrics.registry],
      async collect() {
        const series = await read()
        this.reset()
        for (const { labels, value } of series) this.set(labels, value)
      },
    })
  addWaits(add, deps)
  addJobs(add, deps.rounds)
  add(
    'old_secret_last_use_timestamp_seconds',
    'When this process last accepted a secret behind the first of its list; 0: not since its start',
    ['list', 'holder', 'place'],
    () =>
      deps.oldSecrets.uses().map(({ list, holder, place, usedAt }) => ({
        labels: { list, holder: holder ?? '', place: String(place) },
        value: (usedAt ?? 0) / SECOND,
      })),
  )
  const ups = deps.examinedGateways.map(({ gateway, examine }, _, { length }) => ({
    // A single gateway has no label.
    labels: length > 1 ? { gateway: gateway.name } : {},
    up: latestCheck(examine),
  }))
  const help = '1: the provider answers and knows the key; 0: it does not; NaN: not asked yet'
  add('provider_up', help, ['gateway'], () => ups.map(({ labels, up }) => ({ labels, value: up() })))
}

function addWaits(add: AddGauge, deps: GaugeDeps): void {
  const waits = shareChecks(() => readWaits(deps), WAITS_MS)
  const ageOf = (since: Instant | null) =>
    since === null ? 0 : Math.max(0, deps.clock.now() - since) / SECOND
  const inbox = (figure: (wait: InboxWait) => number) => async () =>
    (await waits())?.inbox.map((wait) => ({ labels: { kind: wait.kind.name }, value: figure(wait) })) ?? []
  // NaN: not known. A comparison with it is false, so that no alert is raised by it.
  const events = (figure: (queue: EventQueue) => number) => async () => {
    const known = await waits()
    return [{ labels: {}, value: known ? figure(known.queue) : Number.NaN }]
  }
  const entries = inbox((wait) => wait.entries)
  add('inbox_entries', 'What waits for operators, at most 100 of a kind', ['kind'], entries)
  const oldestEntry = inbox(({ oldest }) => ageOf(oldest))
  add('inbox_oldest_age_seconds', 'How long the oldest of a kind waits', ['kind'], oldestEntry)
  const waiting = events((queue) => queue.events)
  add('events_waiting', 'Events that the platform has not confirmed', [], waiting)
  const oldestEvent = events(({ oldest }) => ageOf(oldest))
  add('events_oldest_age_seconds', 'How long the oldest of them waits', [], oldestEvent)
}

function addJobs(add: AddGauge, rounds: JobRounds): void {
  const jobs = (figure: (round: ReturnType<JobRounds['list']>[number]) => number) => () =>
    rounds.list().map((round) => ({ labels: { name: round.name }, value: figure(round) }))
  const help = 'When a job ended its last round; before the first one, when it was started'
  const lastRound = jobs(({ ranAt, expectedAt }) => (ranAt ?? expectedAt) / SECOND)
  add('job_last_round_timestamp_seconds', help, ['name'], lastRound)
  const interval = jobs(({ everyMs }) => everyMs / SECOND)
  add('job_interval_seconds', 'How often a job has a round', ['name'], interval)
  const failing = jobs(({ ranAt, failedAt }) => (failedAt !== null && failedAt === ranAt ? 1 : 0))
  add('job_failing', '1: the last round of a job failed', ['name'], failing)
}

/** Null: the database did not say, and nothing is published for as long. */
async function readWaits({ database, clock, log, inbox, outgoing }: GaugeDeps) {
  const bounded = withLimit(database, givenUpAfter(WAITS_LIMIT_MS))
  try {
    const waits = await inboxWaits(bounded, inbox, clock.now())
    // Without an address, events are only stored.
    const queue = outgoing ? await eventQueue(bounded) : { events: 0, oldest: null }
    return { inbox: waits, queue }
  } catch (error) {
    log.warn({ err: error }, 'the figures of what waits cannot be read for the metrics')
    return null
  }
}

/**
 * Returns the result of the last check. If that is older than a minute, another begins, without being
 * awaited.
 */
function latestCheck(check: () => Promise<Check>): () => number {
  let checkedAt = Number.NEGATIVE_INFINITY
  let latest = Number.NaN
  return () => {
    // Not the service's clock, which may be moved.
    const now = performance.now()
    if (now >= checkedAt + PROVIDER_MS) {
      checkedAt = now
      check()
        .then(({ verdict }) => verdict === 'ok')
        .catch(() => false)
        .then((isUp) => {
          latest = isUp ? 1 : 0
        })
    }
    return latest
  }
}
