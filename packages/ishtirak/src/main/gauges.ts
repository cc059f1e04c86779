// What waits, and whether it is being worked on, for Prometheus. The database is asked at most twice a
// minute, the provider once, and neither keeps a scrape waiting for long.
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

type Read = () => Promise<readonly Series[]> | readonly Series[]
type AddGauge = (
  of: { readonly name: string; readonly help: string; readonly labelNames?: string[] },
  read: Read,
) => void

export function publishGauges(metrics: Metrics, deps: GaugeDeps): void {
  const add: AddGauge = (of, read) =>
    new Gauge({
      ...of,
      registers: [metrics.registry],
      async collect() {
        const series = await read()
        this.reset()
        for (const { labels, value } of series) this.set(labels, value)
      },
    })
  addWaits(add, deps, deps.outgoing !== undefined)
  addProviders(add, deps.examinedGateways, PROVIDER_MS)
  addJobs(add, deps.rounds)
  addOldSecrets(add, deps.oldSecrets)
}

function addOldSecrets(add: AddGauge, { uses }: GaugeDeps['oldSecrets']): void {
  const name = 'ishtirak_old_secret_last_use_timestamp_seconds'
  const help = 'When this process last accepted a secret behind the first of its list; 0: not since its start'
  add({ name, help, labelNames: ['list', 'holder', 'place'] }, () =>
    uses().map(({ list, holder, place, usedAt }) => ({
      labels: { list, holder: holder ?? '', place: String(place) },
      value: (usedAt ?? 0) / SECOND,
    })),
  )
}

/** One gateway has no label, as before there could be several. */
function addProviders(add: AddGauge, gateways: readonly ExaminedGateway[], everyMs: number): void {
  const ups = gateways.map(({ gateway, examine }) => ({
    labels: gateways.length > 1 ? { gateway: gateway.name } : {},
    up: latestCheck(examine, everyMs),
  }))
  const help = '1: the provider answers and knows the key; 0: not; NaN: not asked yet'
  add({ name: 'ishtirak_provider_up', help, labelNames: ['gateway'] }, () =>
    ups.map(({ labels, up }) => ({ labels, value: up() })),
  )
}

function addWaits(add: AddGauge, deps: GaugeDeps, sendsEvents: boolean): void {
  const waits = shareChecks(() => readWaits(deps, sendsEvents), WAITS_MS)
  const ageOf = (since: Instant | null) =>
    since === null ? 0 : Math.max(0, deps.clock.now() - since) / SECOND
  const ofInbox =
    (figure: (wait: InboxWait) => number): Read =>
    async () =>
      (await waits())?.inbox.map((wait) => ({ labels: { kind: wait.kind.name }, value: figure(wait) })) ?? []
  // NaN: not known. A comparison with it is false, so that no alert is raised by it.
  const ofQueue =
    (figure: (queue: EventQueue) => number): Read =>
    async () => {
      const known = await waits()
      return [{ labels: {}, value: known ? figure(known.queue) : Number.NaN }]
    }
  const labelNames = ['kind']
  add(
    { name: 'ishtirak_inbox_entries', help: 'What waits for operators, at most 100 of a kind', labelNames },
    ofInbox(({ entries }) => entries),
  )
  add(
    { name: 'ishtirak_inbox_oldest_age_seconds', help: 'How long the oldest of a kind waits', labelNames },
    ofInbox(({ oldest }) => ageOf(oldest)),
  )
  add(
    { name: 'ishtirak_events_waiting', help: 'Events that the platform has not confirmed' },
    ofQueue(({ events }) => events),
  )
  add(
    { name: 'ishtirak_events_oldest_age_seconds', help: 'How long the oldest of them waits' },
    ofQueue(({ oldest }) => ageOf(oldest)),
  )
}

function addJobs(add: AddGauge, rounds: JobRounds): void {
  const each =
    (read: (round: ReturnType<JobRounds['list']>[number]) => number): Read =>
    () =>
      rounds.list().map((round) => ({ labels: { name: round.name }, value: read(round) }))
  const labelNames = ['name']
  const help = 'When a job ended its last round; before the first one, when it was started'
  add(
    { name: 'ishtirak_job_last_round_timestamp_seconds', help, labelNames },
    each(({ ranAt, expectedAt }) => (ranAt ?? expectedAt) / SECOND),
  )
  add(
    { name: 'ishtirak_job_interval_seconds', help: 'How often a job has a round', labelNames },
    each(({ everyMs }) => everyMs / SECOND),
  )
  add(
    { name: 'ishtirak_job_failing', help: '1: the last round of a job failed', labelNames },
    each(({ ranAt, failedAt }) => (failedAt !== null && failedAt === ranAt ? 1 : 0)),
  )
}

/** Null: the database did not say, and nothing is published for as long. */
async function readWaits({ database, clock, log, inbox }: GaugeDeps, sendsEvents: boolean) {
  const bounded = withLimit(database, givenUpAfter(WAITS_LIMIT_MS))
  try {
    const waits = await inboxWaits(bounded, inbox, clock.now())
    // Where there is no address, events are only stored.
    const queue = sendsEvents ? await eventQueue(bounded) : { events: 0, oldest: null }
    return { inbox: waits, queue }
  } catch (error) {
    log.warn({ err: error }, 'the figures of what waits cannot be read for the metrics')
    return null
  }
}

/** What the last check said. A check that is older than `everyMs` begins another, which nothing waits for. */
function latestCheck(check: () => Promise<Check>, everyMs: number): () => number {
  let checkedAt = Number.NEGATIVE_INFINITY
  let latest = Number.NaN
  const note = (value: number) => {
    latest = value
  }
  return () => {
    // Not the service's clock, which may be moved.
    const now = performance.now()
    if (now >= checkedAt + everyMs) {
      checkedAt = now
      check().then(
        ({ verdict }) => note(verdict === 'ok' ? 1 : 0),
        () => note(0),
      )
    }
    return latest
  }
}
