// What can be wrong, and what to do about it. `ishtirak doctor` looks at everything the service needs, and changes nothing;
// `explainFailure` says in one sentence what kept a command from its work.
import path from 'node:path'
import { DAY, toTimestamp } from '../core/instant.js'
import { type Database, DatabaseError } from '../database/database.js'
import { DataFolderLocked, DataFolderUnusable } from '../database/embedded/folder-lock.js'
import { readServerTime } from '../database/job-leases.js'
import { schemaFit } from '../database/migrate.js'
import { EmbeddedDatabaseMissing } from '../database/open-database.js'
import { loadEventEndpoint } from '../events/event-history.sql.js'
import { createChargily } from '../payments/chargily/chargily.js'
import { missingForReceipts } from '../receipts/typesetter.js'
import { systemClock } from '../runtime/clock.js'
import { type Config, readConfig } from '../runtime/config.js'
import { ConfigError } from '../runtime/config-file.js'
import { misspelt } from '../runtime/environment.js'
import { runningSandbox } from './sandbox.js'
import { openConfigured } from './serve.js'

export interface CheckResult {
  readonly subject: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do; empty when all is well. */
  readonly remedy: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** A payment's instant is the provider's, a session's expiry is ours: a clock that is off confuses both. */
const CLOCK_SKEW_SECONDS_MAX = 30

export async function* examine(env: Variables): AsyncGenerator<CheckResult> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems)
      yield fail('configuration', problem, 'correct it in the environment')
    return
  }
  yield ok('configuration', config.chargily ? 'complete' : 'sandbox: no CHARGILY_SECRET_KEY is set')
  for (const { name, nearest } of misspelt(env))
    yield warn('configuration', `${name} is read by nothing`, `perhaps ${nearest} is meant`)
  yield* examineMode(config)
  yield* examineDatabase(config, env)
  yield await examineProvider(config)
  yield examineTransfers(config)
  yield platformApi(config)
  // Off is a choice, but it should be a known one.
  yield config.smtpUrl
    ? ok('mail', 'on')
    : warn('mail', 'off: nothing is sent', 'set SMTP_URL to send receipts and reminders')
  yield examineReceipts(missingForReceipts())
}

export function resultLine({ verdict, subject, found, remedy }: CheckResult): string {
  const mark = { ok: ' ok ', warn: 'warn', fail: 'FAIL' }[verdict]
  return `[${mark}] ${subject}: ${found}${remedy === '' ? '' : `\n       -> ${remedy}`}`
}

function* examineMode({ chargily, publicUrl }: Config): Generator<CheckResult> {
  if (!chargily) return
  yield ok('mode', chargily.secretKey.startsWith('live_sk_') ? 'live: real money' : 'test: no real money')
  if (chargily.apiUrl || !/\/\/(localhost|127\.|\[::1\])/.test(publicUrl)) return
  yield warn(
    'webhook',
    `${publicUrl} is this machine: the provider cannot reach it`,
    'set PUBLIC_URL to the https address that users and the provider reach; until then payments are found by asking',
  )
}

async function* examineDatabase(config: Config, env: Variables): AsyncGenerator<CheckResult> {
  const where = config.database.url ? 'server' : 'embedded'
  try {
    const database = await openConfigured(config)
    try {
      // Nothing is reachable before a statement has come back.
      const schema = await examineSchema(database)
      yield ok('database', `${where}, reachable`)
      yield schema
      yield* examineEvents(database, config)
      yield await examineClock(database)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof DataFolderLocked) return yield await examineHolder(config, error)
    if (error instanceof EmbeddedDatabaseMissing) return yield fail('database', error.message, '')
    const remedy = config.database.url
      ? 'check DATABASE_URL, and that the server runs and lets this machine in'
      : 'make the folder usable, or set DATA_DIR to another one'
    yield fail('database', `${where}: ${explainFailure(error, env)}`, remedy)
  }
}

/** The folder belongs to one process: what it is like, the service that has it knows. */
async function examineHolder(config: Config, locked: DataFolderLocked): Promise<CheckResult> {
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

async function examineSchema(database: Database): Promise<CheckResult> {
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
async function* examineEvents(database: Database, config: Config): AsyncGenerator<CheckResult> {
  if (!config.events)
    return yield warn('events', 'off: they are written and not sent', 'set EVENTS_URL and EVENTS_SECRETS')
  if (!(await schemaFit(database)).runs) return
  const endpoint = await loadEventEndpoint(database)
  if (endpoint?.url !== config.events.url) return yield ok('events', 'on, not yet used')
  const { disabledAt, disabledBecause, failingSince } = endpoint
  if (disabledAt !== null) {
    yield fail(
      'events',
      `EVENTS_URL is switched off: ${disabledBecause}`,
      'mend the receiver, then: ishtirak events resend --all-undelivered',
    )
  } else if (failingSince !== null) {
    const found = `EVENTS_URL fails since ${toTimestamp(failingSince)}`
    yield warn('events', found, 'see why: ishtirak events list --undelivered')
  } else yield ok('events', 'on')
}

async function examineClock(database: Database): Promise<CheckResult> {
  const skew = Math.abs((await readServerTime(database)) - systemClock().now()) / 1_000
  if (skew <= CLOCK_SKEW_SECONDS_MAX) return ok('clock', `within ${skew.toFixed(1)} s of the database’s`)
  return fail('clock', `${skew.toFixed(0)} s off the database’s`, 'let both machines keep time by NTP')
}

async function examineProvider({ chargily }: Config): Promise<CheckResult> {
  if (!chargily) return ok('provider', 'the emulator, which `serve` starts')
  const answer = await createChargily({ ...chargily, clock: systemClock() }).checkKey()
  if (answer.ok) return ok('provider', 'answers, and knows the key')
  const { failure } = answer
  return failure.kind === 'rejected'
    ? fail(
        'provider',
        `refused the key (${failure.status}): ${failure.detail}`,
        'copy CHARGILY_SECRET_KEY anew from the Developers Corner; test and live have keys of their own',
      )
    : fail(
        'provider',
        `out of reach: ${failure.reason}`,
        'check that this machine may reach pay.chargily.net by https',
      )
}

function examineTransfers({ transfers }: Config): CheckResult {
  if (!transfers) return ok('transfers', 'off: money comes by card alone (TRANSFER_FILE)')
  const kinds = transfers.accounts.map(({ kind }) => kind).join(', ')
  const days = transfers.lifetimeMs / DAY
  const second = transfers.secondApprovalFrom
  const approvals = second === null ? 'one approval' : `two approvals from ${second} DZD on`
  return ok('transfers', `on: ${kinds}; waited for ${days} days; ${approvals}`)
}

function platformApi({ platformKeys, chargily }: Config): CheckResult {
  if (platformKeys.length > 0) return ok('platform API', 'on')
  if (!chargily) return ok('platform API', 'on, with the key that `serve` prints for the sandbox')
  return warn('platform API', 'off', 'set PLATFORM_API_KEYS to switch it on')
}

function examineReceipts(missing: readonly string[]): CheckResult {
  if (missing.length === 0) return ok('receipts', 'numbered and printed')
  const found = 'numbered, not printed: packages are missing'
  return warn('receipts', found, `npm install ${missing.join(' ')}`)
}

function ok(subject: string, found: string): CheckResult {
  return { subject, verdict: 'ok', found, remedy: '' }
}

function warn(subject: string, found: string, remedy: string): CheckResult {
  return { subject, verdict: 'warn', found, remedy }
}

function fail(subject: string, found: string, remedy: string): CheckResult {
  return { subject, verdict: 'fail', found, remedy }
}

/** Thrown by the language itself, so not written for a reader. */
const BUGS: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError, SyntaxError]

/** PostgreSQL's data_corrupted, index_corrupted and undefined_file: what is on the disk is not what was written. */
const DAMAGE = ['XX001', 'XX002', '58P01']

/** For the person who typed the command. A bug keeps its stack: only its author can do anything about it. */
export function explainFailure(error: unknown, variables: Variables): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof DatabaseError && DAMAGE.includes(error.code)) return explainDamage(error, variables)
  if (error instanceof DataFolderLocked) {
    return `${error.message}. Use that one or end it; a second service needs a DATA_DIR of its own, not only another PORT.`
  }
  if (error instanceof DataFolderUnusable) {
    return `${error.message}. Give it to this user, on a disk of this machine, or set DATA_DIR to another folder.`
  }
  const ofSystem = [error, error.cause].find(isSystemError)
  if (ofSystem) return explainSystem(ofSystem)
  return BUGS.includes(error.constructor) ? (error.stack ?? error.message) : error.message
}

function explainDamage(error: Error, { DATABASE_URL: url, DATA_DIR: folder }: Variables): string {
  const where = url ? 'on the server of DATABASE_URL' : `in ${path.resolve(folder || 'data', 'database')}`
  return `the database ${where} is damaged: ${error.message}. Stop, and restore it from a backup (docs/backup.md).`
}

/** What Node throws for a refused call of the operating system. */
interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function explainSystem(error: SystemError): string {
  const { code, syscall, address, port } = error
  if (syscall === 'listen' && port !== undefined) {
    const remedy = LISTENING[code] ?? 'set HOST and PORT to where this process may listen'
    return `cannot listen on ${address}:${port} (${code}): ${remedy}`
  }
  const remedy = FILES[code]
  return error.path !== undefined && remedy !== undefined
    ? `${error.path}: ${remedy} (${code})`
    : error.message
}

const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program has it. End that, or set PORT (for the sandbox’s emulator SANDBOX_PORT) to another',
  EADDRNOTAVAIL: 'it is no address of this machine. Set HOST to one that is',
  EACCES: 'this user may not. Set PORT to 1024 or above',
}

const ANOTHER = 'or set DATA_DIR to another folder'
const FILES: Readonly<Record<string, string>> = {
  EACCES: `this user may not write there. Give it the folder, ${ANOTHER}`,
  EPERM: `this user may not write there. Give it the folder, ${ANOTHER}`,
  EROFS: `the disk is mounted read-only. Mount it writable, ${ANOTHER}`,
  ENOSPC: `the disk is full. Make room, ${ANOTHER}`,
  ENOTDIR: `a file stands where a folder is needed. Remove it, ${ANOTHER}`,
  EEXIST: `a file stands where a folder is needed. Remove it, ${ANOTHER}`,
}
