// `ishtirak doctor`: looks at everything the service needs and says what to do about what is missing. It changes nothing.
import { toTimestamp } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { DataFolderLocked } from '../database/embedded/folder-lock.js'
import { readServerTime } from '../database/job-leases.js'
import { schemaFit } from '../database/migrate.js'
import { loadEventEndpoint } from '../events/event-endpoint.sql.js'
import { createChargily } from '../payments/chargily/chargily.js'
import { systemClock } from '../runtime/clock.js'
import { type Config, readConfig } from '../runtime/config.js'
import { ConfigError } from '../runtime/config-file.js'
import { misspelt } from '../runtime/environment.js'
import { runningSandbox } from './sandbox.js'
import { openConfigured } from './serve.js'

export interface Finding {
  readonly subject: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do; empty when all is well. */
  readonly remedy: string
}

/** A payment's instant is the provider's, a session's expiry is ours: a clock that is off confuses both. */
const CLOCK_SKEW_SECONDS_MAX = 30

export async function examine(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => fail('configuration', problem, 'correct it in the environment'))
  }
  return [
    ok('configuration', config.chargily ? 'complete' : 'sandbox: no CHARGILY_SECRET_KEY is set'),
    ...misspelt(env).map(({ name, nearest }) =>
      warn('configuration', `${name} is read by nothing`, `perhaps ${nearest} is meant`),
    ),
    ...examineMode(config),
    ...(await examineDatabase(config)),
    ...(await examineProvider(config)),
    ...examineParts(config),
  ]
}

export function printFindings(findings: readonly Finding[]): string {
  const marks = { ok: ' ok ', warn: 'warn', fail: 'FAIL' }
  return findings
    .map(({ verdict, subject, found, remedy }) => {
      const line = `[${marks[verdict]}] ${subject}: ${found}`
      return remedy === '' ? line : `${line}\n       -> ${remedy}`
    })
    .join('\n')
}

function examineMode({ chargily, publicUrl }: Config): readonly Finding[] {
  if (!chargily) return []
  const isLive = chargily.secretKey.startsWith('live_sk_')
  const isLocal = /\/\/(localhost|127\.|\[::1\])/.test(publicUrl)
  const mode = ok('mode', isLive ? 'live: real money' : 'test: no real money')
  if (!isLocal) return [mode]
  const reach = chargily.apiUrl
    ? []
    : [
        warn(
          'webhook',
          `${publicUrl} is this machine: the provider cannot reach it`,
          'set PUBLIC_URL to the https address that users and the provider reach; until then payments are found by asking',
        ),
      ]
  return [mode, ...reach]
}

async function examineDatabase(config: Config): Promise<readonly Finding[]> {
  const where = config.database.url ? 'server' : 'embedded'
  try {
    const database = await openConfigured(config)
    try {
      return [
        ok('database', `${where}, reachable`),
        await examineSchema(database),
        ...(await examineEvents(database, config)),
        await examineClock(database),
      ]
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof DataFolderLocked) return [await examineHolder(config, error)]
    const message = error instanceof Error ? error.message : String(error)
    const remedy = config.database.url
      ? 'check DATABASE_URL, and that the server runs and lets this machine in'
      : 'stop the other process that has the folder, or set DATA_DIR to another one'
    return [fail('database', `${where}: ${message}`, remedy)]
  }
}

/** The folder belongs to one process: what it is like, the service that has it knows. */
async function examineHolder(config: Config, locked: DataFolderLocked): Promise<Finding> {
  const url = (await runningSandbox(config)) ?? config.publicUrl
  try {
    const { ok: isReady, status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) })
    if (isReady) return ok('database', `embedded, in use by the service at ${url}, which is ready`)
    return fail(
      'database',
      `embedded, in use by the service at ${url}, whose /readyz says ${status}`,
      'see its log',
    )
  } catch {
    return fail(
      'database',
      `embedded: ${locked.message}, and no service answers at ${url}`,
      'end that process, or set DATA_DIR to another folder',
    )
  }
}

async function examineSchema(database: Database): Promise<Finding> {
  const { current, expected, runs } = await schemaFit(database)
  if (current === expected) return ok('schema', `version ${current}, current`)
  if (runs) return ok('schema', `version ${current}, newer than this program (${expected}) and compatible`)
  if (current > expected)
    return fail('schema', `version ${current}, this program knows ${expected}`, 'run the newer program')
  return warn(
    'schema',
    `version ${current} of ${expected}`,
    'run `ishtirak migrate`; `serve` does it at its start',
  )
}

/** The address that the running service uses; a new one is not known before the service has started with it. */
async function examineEvents(database: Database, config: Config): Promise<readonly Finding[]> {
  if (!config.events) {
    return [warn('events', 'off: they are written and not sent', 'set EVENTS_URL and EVENTS_SECRETS')]
  }
  if (!(await schemaFit(database)).runs) return []
  const endpoint = await loadEventEndpoint(database)
  if (endpoint?.url !== config.events.url) return [ok('events', 'on, not yet used')]
  if (endpoint.disabledAt !== null) {
    return [
      fail(
        'events',
        `EVENTS_URL is switched off: ${endpoint.disabledBecause}`,
        'mend the receiver, then: ishtirak events resend --all-undelivered',
      ),
    ]
  }
  if (endpoint.failingSince === null) return [ok('events', 'on')]
  const since = toTimestamp(endpoint.failingSince)
  return [warn('events', `EVENTS_URL fails since ${since}`, 'see why: ishtirak events list --undelivered')]
}

async function examineClock(database: Database): Promise<Finding> {
  const skew = Math.abs((await readServerTime(database)) - systemClock().now()) / 1_000
  if (skew <= CLOCK_SKEW_SECONDS_MAX) return ok('clock', `within ${skew.toFixed(1)} s of the database’s`)
  return fail('clock', `${skew.toFixed(0)} s off the database’s`, 'let both machines keep time by NTP')
}

async function examineProvider({ chargily }: Config): Promise<readonly Finding[]> {
  if (!chargily) return [ok('provider', 'the emulator, which `serve` starts')]
  const answer = await createChargily({ ...chargily, clock: systemClock() }).checkKey()
  if (answer.ok) return [ok('provider', 'answers, and knows the key')]
  const { failure } = answer
  if (failure.kind === 'rejected') {
    return [
      fail(
        'provider',
        `refused the key (${failure.status}): ${failure.detail}`,
        'copy CHARGILY_SECRET_KEY anew from the Developers Corner; test and live have keys of their own',
      ),
    ]
  }
  return [
    fail(
      'provider',
      `out of reach: ${failure.reason}`,
      'check that this machine may reach pay.chargily.net by https',
    ),
  ]
}

/** Parts that are switched on by a key: off is a choice, but it should be a known one. */
function examineParts(config: Config): readonly Finding[] {
  return [
    platformApi(config),
    config.smtpUrl
      ? ok('mail', 'on')
      : warn('mail', 'off: nothing is sent', 'set SMTP_URL to send receipts and reminders'),
  ]
}

function platformApi({ platformKeys, chargily }: Config): Finding {
  if (platformKeys.length > 0) return ok('platform API', 'on')
  if (!chargily) return ok('platform API', 'on, with the key that `serve` prints for the sandbox')
  return warn('platform API', 'off', 'set PLATFORM_API_KEYS to switch it on')
}

function ok(subject: string, found: string): Finding {
  return { subject, verdict: 'ok', found, remedy: '' }
}

function warn(subject: string, found: string, remedy: string): Finding {
  return { subject, verdict: 'warn', found, remedy }
}

function fail(subject: string, found: string, remedy: string): Finding {
  return { subject, verdict: 'fail', found, remedy }
}
