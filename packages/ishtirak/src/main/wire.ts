// The composition root: every part of the service is built here, once, in reading order. Start here.

import { setTimeout as wait } from 'node:timers/promises'
import { createIssuer } from '../access/issuer.js'
import { operatorsByKey } from '../access/operators.js'
import { consoleSignIn } from '../access/sign-in.route.js'
import type { Act } from '../acts/act.js'
import { actRoutes, type OperatorCallers, platformReadingRoutes, readingRoutes } from '../acts/act-routes.js'
import {
  actsOf,
  type Capability,
  type DiscountSource,
  inboxOf,
  type PaysAtOnce,
  readingsOf,
} from '../acts/capability.js'
import type { BringsChecks } from '../acts/check.js'
import type { FileParts } from '../acts/file-parts.js'
import type { MailWriter } from '../acts/mail-writer.js'
import { createRefusalLog, recordRefusals } from '../acts/refusals.js'
import { createChargily } from '../checkout/gateways/chargily/chargily.js'
import { createUpgradeState } from '../checkout/upgrade.js'
import { releaseAttemptLeases } from '../checkout/upgrade.sql.js'
import { createForgeryLog } from '../checkout/webhook.js'
import { consoleRoutes } from '../console/console.route.js'
import { HOUR, type Instant, MINUTE } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { OperatorKey } from '../core/role.js'
import type { BillingRules } from '../core/subscription.js'
import type { Database } from '../database/database.js'
import { createReceiptPrinter } from '../documents/receipt.js'
import { beginDelivery } from '../events/deliver-events.js'
import { createEventSender, createHostSender, type OnEvent } from '../events/event-sender.js'
import { type App, createApp } from '../http/app.js'
import { createApiKeys, createOperatorKeys, createTokenVerifier } from '../http/auth.js'
import {
  type CallerChecks,
  callersWithKey,
  createCallerChecks,
  createRateLimit,
  type IdentifyUser,
  type PlatformCallers,
} from '../http/callers.js'
import { checkReadiness, DRAINING, healthRoutes, shareChecks } from '../http/health.js'
import { createMetrics, type Metrics } from '../http/metrics.js'
import { createUploads } from '../http/upload.js'
import { createFormats } from '../i18n/formats.js'
import {
  type BringsMethods,
  createPaymentMethods,
  type PaymentMethod,
  type PaymentMethods,
} from '../ledger/method.js'
import { createListPayments } from '../ledger/payments.sql.js'
import { createSettlements, type Settlements } from '../ledger/settle.sql.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { createLoadTimeList } from '../ledger/time-list.sql.js'
import { userCallRoutes } from '../ledger/user-routes.js'
import { createLoadUser } from '../ledger/users.sql.js'
import { createUsageState } from '../limits/usage.js'
import { createLoadUserWithUsage } from '../limits/usage.sql.js'
import { createMailer, type Mailer } from '../mail/send-mail.js'
import { examineService, watchGateways } from '../overview/examine.js'
import { createJobRounds } from '../overview/health.js'
import { createInbox } from '../overview/inbox.sql.js'
import { operatorFiles } from '../overview/views.js'
import { pages } from '../portal/portal.route.js'
import { createFindSession } from '../portal/portal-sessions.sql.js'
import { createViewAsUser } from '../portal/view-as-user.js'
import { createTurns, singleFlight } from '../runtime/async.js'
import { createCalendar, dayIn, quotaWindowsIn, wallClockIn } from '../runtime/calendar.js'
import { type Clock, shownClock } from '../runtime/clock.js'
import type { Log } from '../runtime/log.js'
import { type NoteUse, watchOldSecrets } from '../runtime/old-secrets.js'
import { createIds, randomCode, systemRandom } from '../runtime/random.js'
import type { Tracing } from '../runtime/tracing.js'
import { CAPABILITIES } from './capabilities.js'
import type { Config, WiredConfig } from './config.js'
import { installDocumentation, operatorDocumentation } from './documentation.js'
import type { DocumentsPageOptions } from './documents-page.js'
import { publishGauges } from './gauges.js'
import { createRunner, schedule } from './schedule.js'
import type { ServiceTracing } from './tracing.js'

/** The parts that capabilities receive. */
export type Parts = ReturnType<typeof createParts> &
  CallerChecks &
  PlatformCallers &
  OperatorCallers &
  SubjectDeps

export type Service = Awaited<ReturnType<typeof wire>>

type WiredCapability = Capability<Parts> & BringsMethods<WiredConfig> & BringsChecks<WiredConfig>

export interface Surroundings {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Replaces `CAPABILITIES`. */
  readonly capabilities?: readonly WiredCapability[]
  /** Identifies the caller, instead of the configured tokens. */
  readonly identify?: IdentifyUser
  /** Sends mail, instead of the server of SMTP_URL. */
  readonly mailer?: Mailer | undefined
  /** Receives the events, instead of EVENTS_URL. */
  readonly onEvent?: OnEvent | undefined
  /** The key of a command that opens the database itself. It acts as this owner. */
  readonly commandKey?: OperatorKey
  /** True for a command that does one thing and ends. */
  readonly withoutJobs?: boolean
  readonly tracing?: ServiceTracing | undefined
  /** The sandbox's keys, for its page of documents. */
  readonly sandboxKeys?: DocumentsPageOptions['sandboxKeys']
  /** False: memory, processor time and garbage collection are not counted. */
  readonly processMetrics?: boolean
}

export async function wire(config: WiredConfig, world: Surroundings) {
  const { database, clock, log } = world
  const capabilities: readonly WiredCapability[] = world.capabilities ?? CAPABILITIES
  const metrics = createMetrics({ processMetrics: world.processMetrics ?? true })
  const { publicUrl, callsPerMinute, trustedProxies, corsOrigins } = config
  const parts = createParts(config, { ...world, capabilities }, metrics)
  publishGauges(metrics, { ...parts, clock: shownClock(clock) })

  const identify = world.identify ?? usersByToken(config, parts)
  const checks = createCallerChecks({ identify, clock, callsPerMinute })
  const { limitAnonymous } = checks
  const operators = callersWithKey(parts.operatorKeyRing, limitAnonymous)
  const platforms = callersWithKey(createApiKeys(config.platformKeys, parts.noteUse), limitAnonymous)
  const all: Parts = { ...parts, ...checks, platforms, operators, files: operatorFiles(parts) }
  let isDraining = false
  const check = shareChecks(() => checkReadiness(database, clock))
  const app = createApp({ log, publicUrl, trustedProxies, corsOrigins, metrics, limitAnonymous })
  world.tracing?.watch(app)
  const documented = { publicUrl, plans: config.plans, capabilities }
  installDocumentation(app, { ...world, ...documented, limitAnonymous })
  fillInShared(all, capabilities)
  await app.register(healthRoutes(async () => (isDraining ? DRAINING : await check())))
  await app.register(operatorDocumentation({ ...documented, operators }))
  for (const { routes, calls = [] } of capabilities) {
    if (routes) await app.register(routes(all))
    await app.register(userCallRoutes(all, calls))
  }
  const ofPlatform = capabilities.flatMap(({ platformReadings = [] }) => platformReadings)
  await app.register(platformReadingRoutes(all, ofPlatform))
  await app.register(operatorRoutes(all, capabilities))
  const viewAsUser = createViewAsUser(all, capabilities)
  if (config.operatorKeys.length > 0 || config.operatorIssuer)
    await app.register(consoleRoutes({ ...all, viewAsUser, signIn: consoleSignIn(all) }, capabilities))
  await app.register(pages(all, capabilities))

  const runner = createRunner(world.withoutJobs ? [] : schedule(capabilities, all), log, parts.rounds)
  return {
    ...{ app, parts: all, acts: actsOf(capabilities), runner, metrics },
    /** Starts the jobs. The schema must exist by then; nothing before needs it. */
    start: async () => {
      await clock.guard?.compare()
      // The embedded database has one process, so no holder of a lease is left.
      if (database.kind === 'pglite') await releaseAttemptLeases(database, clock.now())
      if (!world.withoutJobs) await beginDelivery(parts)
      runner.start()
    },
    /** Makes `/readyz` fail while requests are still served, so that load balancers notice. */
    drain: () => {
      isDraining = true
    },
    /** Accepts no further work, finishes the work under way, and closes the database. */
    stop: async () => {
      await Promise.all([app.close(), runner.stop()])
      await database.close()
      await world.tracing?.stop()
    },
  }
}

function usersByToken(
  { auth }: WiredConfig,
  { clock, noteUse }: Pick<Parts, 'clock' | 'noteUse'>,
): IdentifyUser {
  const verify = createTokenVerifier({ ...auth, clock, noteUse })
  return ({ headers }) => verify(headers.authorization)
}

function operatorRoutes(all: Parts, capabilities: readonly Capability<Parts>[]) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', all.operators.onRequest)
    recordRefusals(app, all.recordRefusal, (request) => all.operators.find(request)?.name ?? null)
    actRoutes(app, all, actsOf(capabilities))
    readingRoutes(app, all, readingsOf(capabilities))
  }
}

function fillInShared(all: Parts, capabilities: readonly Capability<Parts>[]): void {
  const { discounts, atOnce, mails, fileParts, actsOfAll } = all
  actsOfAll.push(...actsOf(capabilities))
  for (const one of capabilities) {
    if (one.discount) discounts.push(one.discount(all))
    if (one.paysAtOnce) atOnce.push(one.paysAtOnce(all))
    mails.push(...(one.mails?.(all) ?? []))
    fileParts.payment.push(...(one.paymentParts?.(all) ?? []))
    fileParts.user.push(...(one.userParts?.(all) ?? []))
  }
}

type PartsWorld = Omit<Surroundings, 'capabilities'> & {
  readonly capabilities: readonly (BringsMethods<WiredConfig> &
    BringsChecks<WiredConfig> &
    Pick<Capability, 'inbox' | 'readReference'>)[]
}

/** Everything that a use case may name, each part built once. */
function createParts(config: WiredConfig, world: PartsWorld, { count }: Metrics) {
  const { database, clock, log, tracing, capabilities, commandKey } = world
  const { publicUrl, seller, billing, operatorKeys, operatorIssuer, smtpUrl } = config
  const ids = createIds()
  const oldSecrets = watchOldSecrets(config.oldSecrets, world)
  const { noteUse } = oldSecrets
  const dayOf = dayIn(billing.timeZone)
  const { name, email } = seller.identity
  const methods = methodsOf(config, { ...world, noteUse })
  const examinedGateways = watchGateways(methods.gateways)
  const mailer = world.mailer ?? (smtpUrl === undefined ? undefined : createMailer(smtpUrl))
  return {
    // The settings of capabilities are among them.
    ...config,
    ...{ count, wait, oldSecrets, noteUse, ...(tracing && { tracing }) },
    ...{ database, clock, log, ids, methods, rules: rulesOf(config, methods), inTurn: createTurns() },
    billingDayOf: (instant: Instant) => dayOf(instant).date,
    uploads: createUploads(),
    ...rateLimits(clock),
    mailsLinks: mailer !== undefined,
    catalogue: config.plans,
    // The parts that capabilities give each other. `fillInShared` fills them in.
    discounts: [] as DiscountSource[],
    atOnce: [] as PaysAtOnce[],
    fileParts: { payment: [], user: [] } as FileParts,
    mails: [] as MailWriter[],
    actsOfAll: [] as Act<never>[],
    inbox: createInbox(inboxOf(capabilities)),
    referencesIn: (typed: string) =>
      capabilities.flatMap(({ readReference }) => readReference?.(typed) ?? []),
    drawCode: randomCode,
    ...{ formats: createFormats(billing.timeZone), wallClock: wallClockIn(billing.timeZone) },
    quotaWindowAt: quotaWindowsIn(config.quotaTimeZone),
    mailFrom: (locale: Locale) => config.mailFrom ?? { name: name[locale], address: email },
    // The state that all requests of this process share.
    settlements: recorded(createSettlements(database), tracing),
    loadUser: createLoadUser(database),
    loadUserWithUsage: createLoadUserWithUsage(database),
    loadTimeList: createLoadTimeList(database),
    listPayments: createListPayments(database),
    findSession: createFindSession({ database, clock }),
    lookups: singleFlight<boolean>(),
    upgrades: createUpgradeState({ database, clock }),
    usage: createUsageState(database),
    operatorKeyRing: createOperatorKeys(
      [...operatorKeys, ...(commandKey ? [commandKey] : [])],
      noteUse,
      operatorsByKey({ ...config, database }),
    ),
    issuer: operatorIssuer && createIssuer(operatorIssuer, { clock, log, publicUrl, noteUse }),
    recordRefusal: createRefusalLog({ database, clock, ids, log }),
    printer: createReceiptPrinter(log, seller.shop.color),
    examine: () => examineService(config, { database, clock }, { gateways: examinedGateways, capabilities }),
    examinedGateways,
    rounds: createJobRounds(shownClock(clock)),
    logForgery: createForgeryLog({ clock, log }),
    ...(mailer && { mailer }),
    ...outgoingOf(config, world),
  }
}

const rateLimits = (clock: Clock) => ({
  // A transfer takes three files, and some are refused.
  admitUpload: createRateLimit({ clock, quota: 10, windowMs: HOUR }),
  // A family behind one address may forget at once; a program that tries addresses should not get far.
  admitLinkRequest: createRateLimit({ clock, quota: 10, windowMs: 10 * MINUTE }),
})

/** Undefined: events are only stored. */
function outgoingOf({ events }: WiredConfig, { onEvent, ...world }: PartsWorld) {
  const { tracing } = world
  const ofAddress = events && createEventSender({ ...events, tracing })
  const sender = onEvent ? createHostSender(onEvent, world) : ofAddress
  return sender && { outgoing: { sender, random: systemRandom, lanes: new Set<Promise<void>>() } }
}

type GatewayWorld = Pick<Surroundings, 'log' | 'tracing'> & { readonly noteUse: NoteUse }

/** The gateways: there is one. A purchase asks the first for a page. */
export function gatewaysOf(
  { chargily }: Pick<WiredConfig, 'chargily'>,
  { log, tracing, noteUse }: GatewayWorld,
): readonly PaymentMethod[] {
  return [
    createChargily({
      ...chargily,
      noteWebhookKey: (key) => noteUse('CHARGILY_WEBHOOK_KEYS', key),
      ...(tracing && { send: tracing.send('chargily') }),
      log: (line) => log.debug(line, 'provider call'),
    }),
  ]
}

function methodsOf(config: WiredConfig, world: GatewayWorld & PartsWorld): PaymentMethods {
  const { database, clock, capabilities } = world
  const gateways = gatewaysOf(config, world)
  const live = gateways.some((gateway) => gateway.live)
  return createPaymentMethods(
    ...gateways,
    ...capabilities.flatMap(({ methods }) => methods?.(config, { database, clock, live }) ?? []),
  )
}

/** The statement that books has a span of its own, which includes its wait for a batch. */
function recorded(settlements: Settlements, tracing: Tracing | undefined): Settlements {
  if (!tracing) return settlements
  const save: Settlements['save'] = (change, giveUpAt) =>
    tracing.span('settlements.save', null, () => settlements.save(change, giveUpAt))
  return { ...settlements, save }
}

function rulesOf({ plans, billing, balanceMax }: Config, { gateways }: PaymentMethods): BillingRules {
  return {
    catalogue: plans,
    leastAmount: Math.min(...gateways.map(({ leastAmount }) => leastAmount)),
    graceDays: billing.graceDays,
    renewalWindowDays: billing.renewalWindowDays,
    prepayMaxMonths: billing.prepayMaxMonths,
    balanceMax: balanceMax ?? 0,
    calendar: createCalendar(billing.timeZone),
  }
}
