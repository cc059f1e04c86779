// The composition root: every part of the service is built here, once, in reading order. Start here to see what there is.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleRoutes } from '../console/console.route.js'
import { HOUR, type Instant, MINUTE } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { BillingRules } from '../core/subscription.js'
import type { Database } from '../database/database.js'
import { beginDelivery } from '../events/deliver-events.js'
import { createEventSender } from '../events/webhook-sender.js'
import { type App, createApp } from '../http/app.js'
import { createApiKeys, createOperatorKeys, createTokenVerifier } from '../http/auth.js'
import {
  type CallerChecks,
  callersWithKey,
  createCallerChecks,
  createRateLimit,
  type IdentifyUser,
  networkOf,
  usersByToken,
} from '../http/callers.js'
import { healthRoutes, shareLooks } from '../http/health.js'
import { createMetrics, type Metrics } from '../http/metrics.js'
import { createUploads } from '../http/upload.js'
import { createFormats } from '../i18n/formats.js'
import { createUsageState } from '../limits/usage.js'
import { overviewRoutes, platformRoutes } from '../limits/usage.route.js'
import { createLoadUserWithUsage } from '../limits/usage.sql.js'
import { createMailer } from '../mail/send-mail.js'
import { examineService, watchGateways } from '../operator/examine.js'
import { createJobRounds } from '../operator/health.js'
import { createIssuer } from '../operator/issuer.js'
import { watchOldSecrets } from '../operator/old-secrets.js'
import { operatorRoutes } from '../operator/operator.route.js'
import { createRefusalLog } from '../operator/refusals.js'
import { createChargily } from '../payments/chargily/chargily.js'
import { createDesk } from '../payments/desk/desk.js'
import { createLoadHeldTime } from '../payments/held-time.sql.js'
import { createPaymentMethods, type PaymentMethod, type PaymentMethods } from '../payments/method.js'
import { offerRoutes } from '../payments/offers.route.js'
import { createListPayments } from '../payments/payments.sql.js'
import { redeemRoutes } from '../payments/redeem.route.js'
import { createSettlements, type Settlements } from '../payments/settle.sql.js'
import { historyRoutes, statusRoutes } from '../payments/status.route.js'
import { proofRoutes } from '../payments/transfer/proof.route.js'
import { createTransfer } from '../payments/transfer/transfer.js'
import { createUpgradeState } from '../payments/upgrade.js'
import { upgradeRoutes } from '../payments/upgrade.route.js'
import { releaseAttemptLeases } from '../payments/upgrade.sql.js'
import { createLoadUser } from '../payments/users.sql.js'
import { createForgeryLog } from '../payments/webhook.js'
import { webhookRoutes } from '../payments/webhook.route.js'
import { pages } from '../portal/portal.route.js'
import { portalSessionRoutes } from '../portal/portal-sessions.route.js'
import { createFindSession, openMailedLink } from '../portal/portal-sessions.sql.js'
import { createReceiptPrinter } from '../receipts/receipt.js'
import { receiptRoutes } from '../receipts/receipt.route.js'
import { statementRoutes } from '../receipts/statement.route.js'
import { createTurns, singleFlight } from '../runtime/async.js'
import { createCalendar, dayIn, quotaWindowsIn, wallClockIn } from '../runtime/calendar.js'
import type { Clock } from '../runtime/clock.js'
import type { Count, Log } from '../runtime/log.js'
import type { NoteUse } from '../runtime/old-secrets.js'
import { createIds, randomCode, systemRandom } from '../runtime/random.js'
import type { Tracing } from '../runtime/tracing.js'
import type { Config } from './config.js'
import { installDocumentation, operatorDocumentation } from './documentation.js'
import { publishGauges } from './gauges.js'
import { countIn } from './metrics.js'
import { checkReadiness, DRAINING } from './readiness.js'
import { createRunner, type Runner, schedule } from './schedule.js'
import type { ServiceTracing } from './tracing.js'

export interface Service {
  readonly app: App
  /** What the use cases are given. */
  readonly parts: ReturnType<typeof createParts>
  readonly runner: Runner
  /** Begins the jobs. The schema must be there, which nothing before needs. */
  start(): Promise<void>
  /** From now on not ready, and serving as before: for the load balancers to notice. */
  drain(): void
  readonly metrics: Metrics
  /** Takes no further work, finishes what was begun, closes the database. */
  stop(): Promise<void>
}

/** Configuration with every secret there is: outside the sandbox from the environment, in it random. */
export interface WiredConfig extends Config {
  readonly chargily: NonNullable<Config['chargily']>
}

export interface Surroundings {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Who calls, in place of the tokens that the configuration names. */
  readonly identify?: IdentifyUser
  /** For a command that does one thing and ends: nothing runs by itself. */
  readonly withoutJobs?: boolean
  /** Where traces are collected. Stopped with the service. */
  readonly tracing?: ServiceTracing | undefined
  /** False: memory, processor time and garbage collection are not counted. */
  readonly processMetrics?: boolean
}

export async function wire(config: WiredConfig, world: Surroundings): Promise<Service> {
  const { database, clock, log } = world
  const metrics = createMetrics({ processMetrics: world.processMetrics ?? true })
  const { publicUrl, callsPerMinute, trustedProxies } = config
  const parts = createParts(config, world, countIn(metrics))
  publishGauges(metrics, parts, config)

  const identify =
    world.identify ?? usersByToken(createTokenVerifier({ ...config.auth, clock, noteUse: parts.noteUse }))
  const checks = createCallerChecks({ identify, clock, callsPerMinute })
  let isDraining = false
  const look = shareLooks(() => checkReadiness(database))
  const { limitAnonymous } = checks
  const app = createApp({ log, publicUrl, trustedProxies, metrics, limitAnonymous })
  world.tracing?.watch(app)
  installDocumentation(app, { publicUrl, limitAnonymous, limits: config.plans.limits })
  await app.register(healthRoutes({ checkReadiness: async () => (isDraining ? DRAINING : await look()) }))
  await registerRoutes(app, config, { ...parts, ...checks })
  if (config.operatorKeys.length > 0 || config.operatorIssuer)
    await app.register(consoleRoutes({ ...parts, ...checks }))
  await app.register(pages({ ...parts, ...checks, ...pageOptions(config, clock) }))

  const runner = createRunner(world.withoutJobs ? [] : schedule(parts), log, parts.rounds)
  const start = async () => {
    // It has one process, so no holder of a lease is left.
    if (database.kind === 'pglite') await releaseAttemptLeases(database, clock.now())
    if (!world.withoutJobs) await beginDelivery(parts)
    runner.start()
  }
  const drain = () => {
    isDraining = true
  }
  const stop = async () => {
    await Promise.all([app.close(), runner.stop()])
    await parts.oldSecrets
      .save(database, 'all')
      .catch((error: unknown) => log.warn({ err: error }, 'the last use of old secrets is not saved'))
    await database.close()
    await world.tracing?.stop()
  }
  return { app, parts, runner, metrics, start, drain, stop }
}

/** Everything that a use case may name, each part built once. */
function createParts(config: WiredConfig, { database, clock, log, tracing }: Surroundings, count: Count) {
  const { publicUrl, seller, billing } = config
  const ids = createIds()
  const oldSecrets = watchOldSecrets(config.oldSecrets, clock)
  const { noteUse } = oldSecrets
  const billingDayOf = dayIn(billing.timeZone)
  const { name, email } = seller.identity
  const methods = methodsOf(config, { database, clock, log, tracing, noteUse })
  const examinedGateways = watchGateways(methods.gateways)
  return {
    ...{ database, clock, log, count, ids, wait, publicUrl, seller, oldSecrets, noteUse },
    ...(tracing && { tracing }),
    methods,
    rules: rulesOf(config, methods),
    proofDays: config.proofDays,
    admitUpload: createRateLimit({ clock, quota: UPLOADS, windowMs: HOUR }),
    secondApprovalFrom: config.transfers?.secondApprovalFrom ?? null,
    catalogue: config.plans,
    codeKeys: config.codeKeys,
    drawCode: randomCode,
    formats: createFormats(billing.timeZone),
    wallClock: wallClockIn(billing.timeZone),
    quotaWindowAt: quotaWindowsIn(config.quotaTimeZone),
    receipts: { seller, dayOf: (instant: Instant) => billingDayOf(instant).date },
    mailFrom: (locale: Locale) => config.mailFrom ?? { name: name[locale], address: email },
    signInLink: (userId: string) => openMailedLink({ database, clock, ids, publicUrl }, userId),
    // What the requests of this process share.
    settlements: recorded(createSettlements(database), tracing),
    loadUser: createLoadUser(database),
    loadUserWithUsage: createLoadUserWithUsage(database),
    loadHeldTime: createLoadHeldTime(database),
    listPayments: createListPayments(database),
    findSession: createFindSession({ database, clock }),
    looks: singleFlight<boolean>(),
    inTurn: createTurns(),
    upgrades: createUpgradeState(database),
    usage: createUsageState(database),
    operatorKeys: config.operatorKeys,
    issuer: config.operatorIssuer && createIssuer(config.operatorIssuer, { clock, log, publicUrl, noteUse }),
    recordRefusal: createRefusalLog({ database, clock, ids, log }),
    printer: createReceiptPrinter(log, seller.shop.color),
    examine: () => examineService(config, database, examinedGateways),
    ...{ examinedGateways, rounds: createJobRounds(clock), uploads: createUploads() },
    logForgery: createForgeryLog({ clock, log }),
    ...(config.smtpUrl === undefined ? {} : { mailer: createMailer(config.smtpUrl) }),
    ...(config.operatorMail && { operatorMail: config.operatorMail }),
    ...(config.events && {
      outgoing: {
        sender: createEventSender({ ...config.events, tracing }),
        random: systemRandom,
        lanes: new Set<Promise<void>>(),
      },
    }),
  }
}

type GatewayWorld = Pick<Surroundings, 'clock' | 'log' | 'tracing'> & { readonly noteUse: NoteUse }

/** The gateways, in the order in which a purchase asks them for a page. */
export function gatewaysOf(
  { chargily }: Pick<WiredConfig, 'chargily'>,
  { clock, log, tracing, noteUse }: GatewayWorld,
): readonly PaymentMethod[] {
  return [
    createChargily({
      ...chargily,
      noteWebhookKey: (key) => noteUse('CHARGILY_WEBHOOK_KEYS', key),
      ...(tracing && { send: tracing.send('chargily') }),
      clock,
      log: (line) => log.debug(line, 'provider call'),
    }),
  ]
}

/** The gateways; transfers, where there are accounts for them; and the desk. */
function methodsOf(config: WiredConfig, world: GatewayWorld & Pick<Surroundings, 'database'>) {
  const { transfers, seller } = config
  const gateways = gatewaysOf(config, world)
  const live = gateways.some((gateway) => gateway.live)
  return createPaymentMethods(
    ...gateways,
    ...(transfers ? [createTransfer({ ...world, ...transfers, live })] : []),
    ...createDesk({ live, takesCash: seller.stampDutyTerms !== null }),
  )
}

/** The statement that books is a span of its own, its wait for a batch included. */
function recorded(settlements: Settlements, tracing: Tracing | undefined): Settlements {
  if (!tracing) return settlements
  const save: Settlements['save'] = (change, giveUpAt) =>
    tracing.span('settlements.save', null, () => settlements.save(change, giveUpAt))
  return { ...settlements, save }
}

function rulesOf({ plans, billing }: Config, { gateways }: PaymentMethods): BillingRules {
  return {
    catalogue: plans,
    leastAmount: Math.min(...gateways.map(({ leastAmount }) => leastAmount)),
    graceDays: billing.graceDays,
    renewalWindowDays: billing.renewalWindowDays,
    prepayMaxMonths: billing.prepayMaxMonths,
    calendar: createCalendar(billing.timeZone),
  }
}

/** A family behind one address may forget at once; a program that tries addresses should not get far. */
const LINK_REQUESTS = 10
const LINK_REQUESTS_MS = 10 * MINUTE

/** What people see. */
function pageOptions(config: Config, clock: Clock) {
  const { platformUrl, platformPortalUrl, frameAncestors } = config
  const linkRequests = createRateLimit({ clock, quota: LINK_REQUESTS, windowMs: LINK_REQUESTS_MS })
  return {
    platformUrl,
    platformPortalUrl,
    frameAncestors,
    mailsLinks: config.smtpUrl !== undefined,
    admitLinkRequest: (request: FastifyRequest, reply: FastifyReply) =>
      linkRequests(networkOf(request.ip), reply),
  }
}

/** Of one user in an hour. Three a transfer are taken, and some are not what they should be. */
const UPLOADS = 10

/** What programs call. */
async function registerRoutes(
  app: App,
  config: Config,
  parts: Service['parts'] & CallerChecks,
): Promise<void> {
  const { limitAnonymous } = parts
  const platforms = callersWithKey(createApiKeys(config.platformKeys, parts.noteUse), limitAnonymous)
  const operators = callersWithKey(createOperatorKeys(config.operatorKeys, parts.noteUse), limitAnonymous)
  await app.register(offerRoutes(parts))
  await app.register(upgradeRoutes(parts))
  await app.register(statusRoutes(parts))
  await app.register(historyRoutes(parts))
  await app.register(redeemRoutes(parts))
  await app.register(proofRoutes(parts))
  await app.register(webhookRoutes(parts))
  await app.register(overviewRoutes(parts))
  await app.register(receiptRoutes(parts))
  await app.register(statementRoutes(parts))
  await app.register(portalSessionRoutes(parts))
  await app.register(platformRoutes({ ...parts, platforms }))
  await app.register(operatorRoutes({ ...parts, operators }))
  await app.register(operatorDocumentation({ operators }))
}
