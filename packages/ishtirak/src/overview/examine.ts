// The checks of the service: for `ishtirak doctor`, which opens the database itself, and for the page Health
// of the running service. They change nothing.

import { lastActed } from '../acts/audit.sql.js'
import { type BringsChecks, type Check, fail, ok, warn } from '../acts/check.js'
import { type Instant, SECOND, toTimestamp } from '../core/instant.js'
import { taxEnd } from '../core/receipt.js'
import type { Database } from '../database/database.js'
import { readServerTime } from '../database/job-leases.js'
import { schemaFit } from '../database/migrate.js'
import { missingForReceipts } from '../documents/typesetter.js'
import { loadEventEndpoint } from '../events/event-history.sql.js'
import { ON_EVENT } from '../events/event-sender.js'
import type { EventConfig } from '../events/settings.js'
import { shareChecks } from '../http/health.js'
import type { PaymentMethod } from '../ledger/method.js'
import type { MailConfig } from '../mail/settings.js'
import { dayIn } from '../runtime/calendar.js'
import { type Clock, type ClockGuard, shownClock, systemClock } from '../runtime/clock.js'
import type { CommonConfig } from '../runtime/config.js'
import type { OverviewConfig } from './settings.js'

type Config = CommonConfig & EventConfig & MailConfig & OverviewConfig

/** Payments have instants of the provider, sessions those of this machine. A wrong clock breaks both. */
const CLOCK_SKEW_SECONDS_MAX = 30

/** The provider limits calls, so all checks within this time share one answer. */
const ANSWER_SHARED_MS = 10 * SECOND

export type ExaminedGateway = ReturnType<typeof watchGateways>[number]

export function watchGateways(gateways: readonly PaymentMethod[]) {
  return gateways.map((gateway) => ({
    gateway,
    examine: shareChecks(() => examineProvider(gateway), ANSWER_SHARED_MS),
  }))
}

/** All checks, for a service whose database is open. Throws if the database fails. */
export async function examineService<Read extends Config>(
  config: Read,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { gateways, capabilities }: Pick<Examined<Read>, 'gateways' | 'capabilities'>,
): Promise<readonly Check[]> {
  const results: Check[] = []
  const now = shownClock(clock).now()
  for await (const result of examineDatabase(config, database, clock.guard)) results.push(result)
  const isLive = gateways.some(({ gateway }) => gateway.live)
  if (isLive && database.kind === 'pglite') results.push(await examineBackups(database))
  for await (const result of examineSettings(config, { gateways, capabilities, now })) results.push(result)
  return results
}

export async function* examineDatabase(config: Config, database: Database, guard: ClockGuard | undefined) {
  // The database is reachable once this query has been answered.
  const schema = await examineSchema(database)
  yield ok('database', config.database.url ? 'database_server' : 'database_embedded')
  yield schema
  yield* examineEvents(database, config)
  yield await examineClock(database, guard)
  if (config.events && config.events.secrets.length > 1)
    yield ok('secrets', 'secrets_events', { count: String(config.events.secrets.length) })
}

interface Examined<Config> {
  /** Empty: the sandbox has not started yet, or the installation has no key. */
  readonly gateways: readonly ExaminedGateway[]
  readonly capabilities: readonly BringsChecks<Config>[]
  readonly now: Instant
}

export async function* examineSettings<Read extends Config>(
  config: Read,
  { gateways, capabilities, now }: Examined<Read>,
): AsyncGenerator<Check> {
  yield* examineMode(config, gateways)
  if (config.sandbox && gateways.length === 0) yield ok('provider', 'provider_emulator')
  for (const { gateway, examine } of gateways) {
    const check = await examine()
    const { name } = gateway
    const named = { data: { ...check.data, gateway: name }, found: `${name}: ${check.found}` }
    yield gateways.length > 1 ? { ...check, ...named } : check
  }
  for (const { checks } of capabilities) yield* checks?.(config) ?? []
  if (config.platformKeys.length > 0) yield ok('platform API', 'platform_on')
  else yield config.sandbox ? ok('platform API', 'platform_sandbox') : warn('platform API', 'platform_off')
  // A shop may run without mail, but its owner should know.
  if (config.smtpUrl) yield ok('mail', config.operatorMail ? 'mail_operators' : 'mail_on')
  else yield config.sandbox ? ok('mail', 'mail_sandbox') : warn('mail', 'mail_off')
  const missing = missingForReceipts()
  if (missing.length === 0) yield ok('receipts', 'receipts_printed')
  else yield warn('receipts', 'receipts_unprinted', { packages: missing.join(' ') })
  yield* examineTax(config, now)
}

function* examineMode({ publicUrl }: Config, gateways: readonly ExaminedGateway[]): Generator<Check> {
  if (gateways.length === 0) return
  yield ok('mode', gateways.some(({ gateway }) => gateway.live) ? 'mode_live' : 'mode_test')
  const needsPublicAddress = gateways.some(({ gateway }) => gateway.webhook?.needsPublicAddress)
  if (!needsPublicAddress || !/\/\/(localhost|127\.|\[::1\])/.test(publicUrl)) return
  yield warn('webhook', 'webhook_local', { url: publicUrl })
}

async function examineSchema(database: Database): Promise<Check> {
  const { current, expected, runs, refusal } = await schemaFit(database)
  const versions = { current: String(current), expected: String(expected) }
  if (refusal) return fail('schema', 'schema_other', versions)
  if (current === 0) return ok('schema', 'schema_new', versions)
  if (current === expected) return ok('schema', 'schema_current', versions)
  if (runs) return ok('schema', 'schema_newer', versions)
  return current > expected
    ? fail('schema', 'schema_unknown', versions)
    : warn('schema', 'schema_older', versions)
}

/**
 * The address that the running service uses. A new one is stored when the service first starts with it. Only
 * the database says that a host takes the events itself.
 */
async function* examineEvents(database: Database, { events }: Config): AsyncGenerator<Check> {
  const { runs } = await schemaFit(database)
  const endpoint = runs ? await loadEventEndpoint(database) : null
  const isOfHost = endpoint?.url === ON_EVENT
  if (!events && !isOfHost) return yield warn('events', 'events_off')
  if (!runs) return
  if (!endpoint || (events && endpoint.url !== events.url)) return yield ok('events', 'events_unused')
  const to = isOfHost ? ON_EVENT : 'EVENTS_URL'
  const { disabled_because: why, failing_since: since } = endpoint
  if (why !== null) yield fail('events', 'events_disabled', { to, why })
  else if (since !== null) yield warn('events', 'events_failing', { to, since })
  else yield ok('events', 'events_on')
}

/** Only for the embedded database, which is on one disk. A server has backups of its own. */
async function examineBackups(database: Database): Promise<Check> {
  const at = await lastActed(database, 'database.backup')
  return at === null ? warn('backup', 'backup_never') : ok('backup', 'backup_made', { at: toTimestamp(at) })
}

async function examineClock(database: Database, guard: ClockGuard | undefined): Promise<Check> {
  const trouble = guard?.trouble()
  if (trouble) return fail('clock', 'clock_wrong', { seconds: (Math.abs(trouble.ms) / 1_000).toFixed(0) })
  const skew = Math.abs((await readServerTime(database)) - systemClock().now()) / 1_000
  return skew <= CLOCK_SKEW_SECONDS_MAX
    ? ok('clock', 'clock_right', { seconds: skew.toFixed(1) })
    : fail('clock', 'clock_off', { seconds: skew.toFixed(0) })
}

async function examineProvider(gateway: PaymentMethod): Promise<Check> {
  const answer = await gateway.checkKey()
  if (answer.ok) return ok('provider', 'provider_answers')
  const { failure } = answer
  const { detail } = failure
  if (failure.kind === 'rejected')
    return fail('provider', 'provider_refused', { status: String(failure.status), detail })
  return fail('provider', TROUBLE_OF_PROVIDER[failure.reason], { reason: failure.reason, detail })
}

/** `provider_silent` only if no answer came. */
const TROUBLE_OF_PROVIDER = {
  timeout: 'provider_silent',
  network: 'provider_silent',
  server_error: 'provider_failing',
  rate_limited: 'provider_limits',
  unreadable: 'provider_foreign',
  not_configured: 'provider_foreign',
} as const

/** Checks nothing if the tax has no end date. */
function* examineTax({ seller, billing }: Config, now: Instant): Generator<Check> {
  const end = taxEnd(seller.taxTerms, dayIn(billing.timeZone)(now).date)
  if (!end) return
  const data = { until: end.until }
  if (end.state === 'far') yield ok('tax', 'tax_set', data)
  else yield end.state === 'near' ? warn('tax', 'tax_ends', data) : fail('tax', 'tax_ended', data)
}
