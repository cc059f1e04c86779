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
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

type ReadSeries = () => Promise<readonly Series[]> | readonly Series[]
type AddGauge = (name: string, help: string, labelNames: string[], read: ReadSeries) => void

export function publishGauges(metrics: Metrics, deps: GaugeDeps): void {
  const add: AddGauge = (name, help, labelNames, read) =>
    new Gauge({
      ...{ name: `ishtirak_${name}`, help, labelNames },
      registers: [metrics.registry],
      async collect() {
        const series = await read()
        this.reset()
        for (const { labels = {}, value } of series) this.set(labels, value)
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
    latest: latestCheck(examine),
  }))
  const help = '1: the provider answers and knows the key; 0: it does not; NaN: not asked yet'
  add('provider_up', help, ['gateway'], () => ups.map(({ labels, latest }) => ({ labels, value: latest() })))
}

function addWaits(add: AddGauge, deps: GaugeDeps): void {
  const waits = shareChecks(() => readWaits(deps), WAITS_MS)
  const ageOf = ({ oldest }: { readonly oldest: Instant | null }) =>
    oldest === null ? 0 : Math.max(0, deps.clock.now() - oldest) / SECOND
  const addInbox = (name: string, help: string, figure: (wait: InboxWait) => number) =>
    add(`inbox_${name}`, help, ['kind'], async () => {
      const known = await waits()
      return known?.inbox.map((wait) => ({ labels: { kind: wait.kind.name }, value: figure(wait) })) ?? []
    })
  const addEvents = (name: string, help: string, figure: (queue: EventQueue) => number) =>
    add(`events_${name}`, help, [], async () => {
      const known = await waits()
      // NaN: not known. A comparison with it is false, so that no alert is raised by it.
      return [{ value: known ? figure(known.queue) : Number.NaN }]
    })
  addInbox('entries', 'What waits for operators, at most 100 of a kind', ({ entries }) => entries)
  addInbox('oldest_age_seconds', 'How long the oldest of a kind waits', ageOf)
  addEvents('waiting', 'Events that the platform has not confirmed', ({ events }) => events)
  addEvents('oldest_age_seconds', 'How long the oldest of them waits', ageOf)
}

function addJobs(add: AddGauge, rounds: JobRounds): void {
  type Round = ReturnType<JobRounds['list']>[number]
  const addJob = (name: string, help: string, figure: (round: Round) => number) =>
    add(`job_${name}`, help, ['name'], () =>
      rounds.list().map((round) => ({ labels: { name: round.name }, value: figure(round) })),
    )
  addJob(
    'last_round_timestamp_seconds',
    'When a job ended its last round; before the first one, when it was started',
    ({ ranAt, expectedAt }) => (ranAt ?? expectedAt) / SECOND,
  )
  addJob('interval_seconds', 'How often a job has a round', ({ everyMs }) => everyMs / SECOND)
  addJob('failing', '1: the last round of a job failed', ({ ranAt, failedAt }) =>
    failedAt !== null && failedAt === ranAt ? 1 : 0,
  )
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

/** Returns the last result: 1, 0 or NaN. After a minute another check begins, without being awaited. */
function latestCheck(check: () => Promise<Check>): () => number {
  let latest = Number.NaN
  const begin = shareChecks(async () => {
    const isUp = await check().then(
      ({ verdict }) => verdict === 'ok',
      () => false,
    )
    latest = isUp ? 1 : 0
  }, PROVIDER_MS)
  return () => {
    void begin()
    return latest
  }
}
