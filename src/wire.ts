// The composition root: every part of the service is built here, once, in reading order. Start here to see what there is.
import { type Billing, createBilling } from './billing/billing.js'
import type { Occurrence } from './billing/parts.js'
import { type App, createApp } from './http/app.js'
import { createApiKeys, createOperatorKeys } from './http/api-keys.js'
import { createTokenVerifier } from './http/auth.js'
import { createIdentify } from './http/identify.js'
import { billingRoutes } from './http/routes/billing.js'
import { operatorRoutes } from './http/routes/operator.js'
import { overviewRoutes } from './http/routes/overview.js'
import { platformRoutes } from './http/routes/platform.js'
import { returnRoutes } from './http/routes/return.js'
import { type Runner, startRunner } from './jobs/runner.js'
import { schedule } from './jobs/schedule.js'
import { createChargily } from './provider/chargily/chargily.js'
import { createCalendar, dayIn } from './runtime/calendar.js'
import { systemChance } from './runtime/chance.js'
import type { Clock } from './runtime/clock.js'
import type { Config } from './runtime/config.js'
import { createEventSender } from './runtime/event-sender.js'
import { createIds } from './runtime/id.js'
import type { Log } from './runtime/log.js'
import { counter, createMetrics, type Metrics } from './runtime/metrics.js'
import { wait } from './runtime/wait.js'
import { wallClockIn } from './runtime/wall-clock.js'
import type { Database } from './store/database.js'
import { expectedVersion, schemaVersion } from './store/migrate.js'

export interface Service {
  readonly app: App
  readonly billing: Billing
  readonly runner: Runner
  /** Takes no further work, finishes what is in hand, closes the database. */
  stop(): Promise<void>
}

/** Configuration with every secret there is: outside the sandbox from the environment, in it drawn by lot. */
export interface WiredConfig extends Config {
  readonly chargily: NonNullable<Config['chargily']>
}

export async function wire(
  config: WiredConfig,
  world: {
    readonly database: Database
    readonly clock: Clock
    readonly log: Log
    /** For a command that does one thing and ends: nothing runs by itself. */
    readonly withoutJobs?: boolean
  },
): Promise<Service> {
  const { database, clock, log } = world
  const metrics = createMetrics()
  const { publicUrl } = config

  const provider = createChargily({
    ...config.chargily,
    clock,
    log: (line) => log.debug(line, 'provider call'),
  })
  const dayOf = dayIn(config.billing.timeZone)
  const quotaDayOf = dayIn(config.quotaTimeZone)
  const billing = createBilling({
    database,
    provider,
    clock,
    wait,
    log,
    publicUrl,
    ids: createIds(),
    catalogue: config.plans,
    terms: {
      freePlan: config.plans.free,
      graceDays: config.billing.graceDays,
      renewalWindowDays: config.billing.renewalWindowDays,
      calendar: createCalendar(config.billing.timeZone),
    },
    quotaDayEndsAt: (instant) => quotaDayOf(instant).endsAt,
    wallClock: wallClockIn(config.billing.timeZone),
    receipts: { seriesAt: (paidAt) => dayOf(paidAt).date.slice(0, 4), sellerAt: () => null },
    ...(config.events
      ? { outgoing: { sender: createEventSender(config.events), chance: systemChance } }
      : {}),
    count: countOccurrences(metrics),
  })

  const { identify, admitStranger } = createIdentify({
    tokens: createTokenVerifier({ ...config.auth, clock }),
    clock,
  })
  const app = createApp({ log, publicUrl, metrics, checkReadiness: () => checkReadiness(database) })
  await app.register(billingRoutes({ billing, publicUrl, identify, admitStranger }))
  await app.register(overviewRoutes({ billing, publicUrl, identify }))
  await app.register(platformRoutes({ billing, keys: createApiKeys(config.platformKeys), admitStranger }))
  const operatorKeys = createOperatorKeys(config.operatorKeys)
  await app.register(operatorRoutes({ billing, publicUrl, clock, keys: operatorKeys, admitStranger }))
  await app.register(returnRoutes({ billing, platformUrl: config.platformUrl, admitStranger }))

  if (database.kind === 'pglite') await billing.resume()
  await billing.eventDelivery.introduce()
  const runner = startRunner(world.withoutJobs ? [] : schedule(billing), log)
  const stop = async () => {
    await app.close()
    await runner.stop()
    await database.close()
  }
  return { app, billing, runner, stop }
}

async function checkReadiness(database: Database) {
  const [current, expected] = await Promise.all([schemaVersion(database), expectedVersion()])
  const schema = current === expected ? 'ok' : `at ${current}, expected ${expected}`
  return { ready: current === expected, checks: { database: 'ok', schema } }
}

function countOccurrences(metrics: Metrics): (what: Occurrence) => void {
  const settlements = counter(metrics, {
    name: 'ishtirak_settlements_total',
    help: 'Reports of the provider, by what came of them',
    labels: ['outcome'],
  })
  const events = counter(metrics, {
    name: 'ishtirak_provider_events_total',
    help: 'Webhooks received, by what was made of them',
    labels: ['result'],
  })
  const checkouts = counter(metrics, {
    name: 'ishtirak_checkouts_opened_total',
    help: 'Checkouts that the provider opened for us',
  })
  const deliveries = counter(metrics, {
    name: 'ishtirak_event_deliveries_total',
    help: 'Attempts to deliver an event to the platform, by outcome; endpoint_disabled: it was given up',
    labels: ['outcome'],
  })
  const findings = counter(metrics, {
    name: 'ishtirak_comparison_findings_total',
    help: 'What the comparison with the provider found on one side only, or different, by what was made of it',
    labels: ['kind', 'outcome'],
  })
  return (what) => {
    if (what.name === 'settlement') settlements.inc({ outcome: what.outcome })
    else if (what.name === 'provider_event') events.inc({ result: what.result })
    else if (what.name === 'finding') findings.inc({ kind: what.kind, outcome: what.outcome })
    else if (what.name === 'event_delivery') deliveries.inc({ outcome: what.outcome })
    else checkouts.inc()
  }
}
