// The composition root: every part of the service is built here, once, in reading order. Start here to see what there is.

import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Terms } from '../core/subscription.js'
import { type Database, givenUpAfter, withLimit } from '../database/database.js'
import { schemaFit } from '../database/migrate.js'
import { createEventSender } from '../events/webhook-sender.js'
import { type App, createApp } from '../http/app.js'
import { createApiKeys, createOperatorKeys, createTokenVerifier } from '../http/auth.js'
import { type CallerChecks, createCallerChecks, createRateLimit, networkOf } from '../http/callers.js'
import { healthRoutes, shareLooks } from '../http/health.js'
import { counter, createMetrics, type Metrics } from '../http/metrics.js'
import { createFormats, type Formats } from '../i18n/formats.js'
import { overviewRoutes } from '../limits/overview.route.js'
import { platformRoutes } from '../limits/usage.route.js'
import { createMailer } from '../mail/mailer.js'
import { operatorRoutes } from '../operator/operator.route.js'
import { billingRoutes } from '../payments/billing.route.js'
import { createChargily } from '../payments/chargily/chargily.js'
import type { Occurrence, Parts } from '../payments/parts.js'
import { createSettlements } from '../payments/settle.sql.js'
import { type PagesParts, pages } from '../portal/portal.js'
import { portalSessionRoutes } from '../portal/portal-sessions.route.js'
import { receiptRoutes } from '../receipts/receipt.route.js'
import { createTypesetter } from '../receipts/typesetter.js'
import { createWorkQueue } from '../runtime/async.js'
import { createCalendar, dayIn, wallClockIn } from '../runtime/calendar.js'
import type { Clock } from '../runtime/clock.js'
import type { Config } from '../runtime/config.js'
import type { Log } from '../runtime/log.js'
import { createIds, systemRandom } from '../runtime/random.js'
import { type Billing, createBilling } from './billing.js'
import { installDocumentation } from './documentation.js'
import { type Runner, startRunner } from './runner.js'
import { schedule } from './schedule.js'

export interface Service {
  readonly app: App
  readonly billing: Billing
  readonly runner: Runner
  /** From now on not ready, and serving as before: for the load balancers to notice. */
  drain(): void
  readonly metrics: Metrics
  /** Takes no further work, finishes what is in hand, closes the database. */
  stop(): Promise<void>
}

/** Configuration with every secret there is: outside the sandbox from the environment, in it drawn by lot. */
export interface WiredConfig extends Config {
  readonly chargily: NonNullable<Config['chargily']>
}

export interface Surroundings {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** For a command that does one thing and ends: nothing runs by itself. */
  readonly withoutJobs?: boolean
}

export async function wire(config: WiredConfig, world: Surroundings): Promise<Service> {
  const { database, clock, log } = world
  const metrics = createMetrics()
  const { publicUrl, callsPerMinute, trustedProxies } = config

  const provider = createChargily({
    ...config.chargily,
    clock,
    log: (line) => log.debug(line, 'provider call'),
  })
  const formats = createFormats(config.billing.timeZone)
  const quotaDayOf = dayIn(config.quotaTimeZone)
  const terms = termsOf(config)
  const billing = createBilling({
    database,
    settlements: createSettlements(database),
    provider,
    clock,
    wait,
    log,
    publicUrl,
    ids: createIds(),
    catalogue: config.plans,
    terms,
    quotaDayEndsAt: (instant) => quotaDayOf(instant).endsAt,
    wallClock: wallClockIn(config.billing.timeZone),
    receipts: receiptTerms(config),
    ...outgoingParts(config),
    ...mailParts(config, formats),
    count: countOccurrences(metrics),
  })

  const tokens = createTokenVerifier({ ...config.auth, clock })
  const checks = createCallerChecks({ tokens, clock, callsPerMinute })
  let isDraining = false
  const look = shareLooks(() => checkReadiness(database))
  const { limitAnonymous } = checks
  const app = createApp({ log, publicUrl, trustedProxies, metrics, limitAnonymous })
  installDocumentation(app, { publicUrl, limitAnonymous })
  await app.register(healthRoutes({ checkReadiness: async () => (isDraining ? DRAINING : await look()) }))
  await registerRoutes(app, config, { billing, publicUrl, clock, ...checks })
  await app.register(pages(pageParts(config, { billing, clock, formats, terms, ...checks })))

  if (database.kind === 'pglite') await billing.resume()
  if (!world.withoutJobs) await billing.eventDelivery.introduce()
  const runner = startRunner(world.withoutJobs ? [] : schedule(billing), log)
  const drain = () => {
    isDraining = true
  }
  const stop = async () => {
    await app.close()
    await runner.stop()
    await database.close()
  }
  return { app, billing, runner, metrics, drain, stop }
}

function termsOf({ plans, billing }: Config): Terms {
  return {
    freePlan: plans.free,
    graceDays: billing.graceDays,
    renewalWindowDays: billing.renewalWindowDays,
    calendar: createCalendar(billing.timeZone),
  }
}

/** A family behind one address may forget at once; a program that tries addresses should not get far. */
const LINK_REQUESTS = 10
const LINK_REQUESTS_MS = 10 * MINUTE

/** What people see. */
function pageParts(
  config: Config,
  parts: Pick<PagesParts, 'billing' | 'formats' | 'terms'> & { readonly clock: Clock } & CallerChecks,
): PagesParts {
  const { publicUrl, platformUrl, platformPortalUrl, frameAncestors, seller } = config
  const { clock } = parts
  const linkRequests = createRateLimit({ clock, quota: LINK_REQUESTS, windowMs: LINK_REQUESTS_MS })
  return {
    ...parts,
    publicUrl,
    platformUrl,
    platformPortalUrl,
    frameAncestors,
    seller,
    mailsLinks: config.smtpUrl !== undefined,
    admitLinkRequest: (request, reply) => linkRequests(networkOf(request.ip), reply),
  }
}

/** What programs call. */
async function registerRoutes(
  app: App,
  config: Config,
  parts: { readonly billing: Billing; readonly publicUrl: string; readonly clock: Clock } & CallerChecks,
): Promise<void> {
  await app.register(billingRoutes(parts))
  await app.register(overviewRoutes(parts))
  await app.register(receiptRoutes(parts))
  await app.register(portalSessionRoutes(parts))
  await app.register(platformRoutes({ ...parts, keys: createApiKeys(config.platformKeys) }))
  await app.register(operatorRoutes({ ...parts, keys: createOperatorKeys(config.operatorKeys) }))
}

function receiptTerms({ seller, billing }: Config): Parts['receipts'] {
  const dayOf = dayIn(billing.timeZone)
  return {
    seller,
    dayOf: (instant) => dayOf(instant).date,
    typesetter: createTypesetter(),
    press: createWorkQueue(),
  }
}

/** Nothing where there is no address for events. */
function outgoingParts({ events }: Config): Pick<Parts, 'outgoing'> {
  return events ? { outgoing: { sender: createEventSender(events), random: systemRandom } } : {}
}

/** Nothing where there is no mail server. */
function mailParts({ smtpUrl, mailFrom, seller }: Config, formats: Formats): Pick<Parts, 'mail'> {
  if (smtpUrl === undefined) return {}
  const { name, email } = seller.identity
  const from = (locale: Locale) => mailFrom ?? { name: name[locale], address: email }
  return { mail: { mailer: createMailer(smtpUrl), from, formats } }
}

/** Asked to stop: a balancer should send its next request elsewhere. */
const DRAINING = { ready: false, checks: { service: 'stopping' } }

/** Supervisors wait a second or two. */
const READINESS_LIMIT_MS = 1_500

async function checkReadiness(database: Database) {
  const { current, expected, runs } = await schemaFit(withLimit(database, givenUpAfter(READINESS_LIMIT_MS)))
  const schema = `at ${current}, ${runs ? 'newer and compatible' : `expected ${expected}`}`
  return { ready: runs, checks: { database: 'ok', schema: current === expected ? 'ok' : schema } }
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
  const mails = counter(metrics, {
    name: 'ishtirak_mails_total',
    help: 'Letters that were due, by what became of them',
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
    else if (what.name === 'mail') mails.inc({ outcome: what.outcome })
    else checkouts.inc()
  }
}
