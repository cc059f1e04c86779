// `ishtirak doctor` looks at everything the service needs, also where the service does not start, and changes
// nothing; `explainFailure` says in one sentence what kept a command from its work.
import path from 'node:path'
import type { Capability } from '../acts/capability.js'
import type { BringsChecks, CheckResult } from '../acts/check.js'
import { type Database, DatabaseError } from '../database/database.js'
import { diskFull } from '../database/embedded/cluster-folder.js'
import { DataFolderLocked } from '../database/embedded/folder-lock.js'
import { guardSystemClock } from '../database/guarded-clock.js'
import { schemaFit } from '../database/migrate.js'
import { EmbeddedDatabaseMissing } from '../database/open-database.js'
import { examineDatabase, examineSettings, watchGateways } from '../overview/examine.js'
import { systemClock } from '../runtime/clock.js'
import { localUrl } from '../runtime/config.js'
import { ConfigError } from '../runtime/config-file.js'
import type { Variables } from '../runtime/environment.js'
import { createLog } from '../runtime/log.js'
import { SELLERS_OWN } from '../setup/production.js'
import { CAPABILITIES } from './capabilities.js'
import { type Config, misspelt, readConfig } from './config.js'
import { runningSandbox } from './sandbox.js'
import { hasDatabase, openConfigured } from './serve.js'
import { gatewaysOf } from './wire.js'

type Brings = BringsChecks<Config> & Pick<Capability, 'settings'>

export async function* examine(
  env: Variables,
  capabilities: readonly Brings[] = CAPABILITIES,
): AsyncGenerator<CheckResult> {
  let config: Config
  try {
    config = readConfig(env, capabilities)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) {
      const [, missing = ''] = /^(\w+) is missing/.exec(problem) ?? []
      yield fail('configuration', problem, SELLERS_OWN[missing] ?? 'correct it in the environment')
    }
    return
  }
  yield ok('configuration', config.chargily ? 'complete' : 'sandbox: no CHARGILY_SECRET_KEY is set')
  for (const { name, nearest } of misspelt(env, capabilities))
    yield warn('configuration', `nothing reads the variable ${name}`, `did you mean ${nearest}?`)
  yield* openAndExamine(config, env)
  const now = systemClock().now()
  const world = { log: SILENT, noteUse: () => undefined }
  const { chargily } = config
  const gateways = watchGateways(chargily ? gatewaysOf({ chargily }, world) : [])
  yield* examineSettings(config, { gateways, capabilities, now })
  if (chargily && !env.SELLER_FILE)
    yield warn('seller', 'receipts of test payments name an example seller', SELLERS_OWN.SELLER_FILE)
}

const SILENT = createLog({ level: 'silent' })

const saying =
  (verdict: CheckResult['verdict']) =>
  (subject: string, found: string, remedy = ''): CheckResult => ({ subject, verdict, found, remedy })
const [ok, warn, fail] = [saying('ok'), saying('warn'), saying('fail')]

export function resultLine({ verdict, subject, found, remedy }: CheckResult): string {
  const mark = { ok: ' ok ', warn: 'warn', fail: 'FAIL' }[verdict]
  return `[${mark}] ${subject}: ${found}${remedy === '' ? '' : `\n       -> ${remedy}`}`
}

async function* openAndExamine(config: Config, env: Variables): AsyncGenerator<CheckResult> {
  if (config.database.url === undefined && !hasDatabase(config)) {
    const folder = path.resolve(config.database.dataDir)
    return yield ok('database', `embedded: there is no database yet; the first start creates it in ${folder}`)
  }
  try {
    const database = await openConfigured(config)
    try {
      yield* examineDatabase(config, database, await compareClock(config, database))
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof DataFolderLocked) return yield await examineHolder(config, error)
    if (error instanceof EmbeddedDatabaseMissing) return yield fail('database', error.message)
    const [where, remedy] = config.database.url
      ? ['server', 'check DATABASE_URL, and that the server runs and lets this machine in']
      : ['embedded', 'make the folder usable, or set DATA_DIR to another one']
    yield fail('database', `${where}: ${explainFailure(error, env)}`, remedy)
  }
}

/** Compares the clock as the start does. The sandbox's clock is moved on purpose. */
async function compareClock({ chargily, clockChecked: checkedOn }: Config, database: Database) {
  if (!chargily || !(await schemaFit(database)).runs) return undefined
  const { guard } = guardSystemClock(systemClock(), { database, log: SILENT, checkedOn })
  // `examineDatabase` reports the trouble.
  await guard?.compare().catch(() => undefined)
  return guard
}

/** The folder belongs to one process, so the service that has it is asked. */
async function examineHolder(config: Config, locked: DataFolderLocked): Promise<CheckResult> {
  // The public address is the proxy's, which this machine may not reach.
  const addresses = [(await runningSandbox(config)) ?? localUrl(config.host, config.port), config.publicUrl]
  for (const url of addresses) {
    const signal = AbortSignal.timeout(3_000)
    const answer = await fetch(`${url}/readyz`, { signal }).catch(() => null)
    if (answer?.ok) return ok('database', `embedded, in use by the service at ${url}, which is ready`)
    const found = `embedded, in use by the service at ${url}, which is not ready (/readyz: ${answer?.status})`
    if (answer) return fail('database', found, 'the log of that service says why')
  }
  return fail(
    'database',
    `embedded: ${locked.message}, and no service answers at ${addresses.join(' or ')}`,
    'end that process, or set DATA_DIR to another folder',
  )
}

/** Thrown by the language itself, so not written for a reader. */
const BUGS: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError, SyntaxError]

/** PostgreSQL's data_corrupted, index_corrupted and undefined_file: the disk lost what was written. */
const DAMAGE = ['XX001', 'XX002', '58P01']

/** For the person who typed the command. A bug keeps its stack: only its author can do anything about it. */
export function explainFailure(error: unknown, variables: Variables): string {
  if (!(error instanceof Error)) return String(error)
  const { DATABASE_URL: server, DATA_DIR: folder } = variables
  const dataFolder = path.resolve(folder || 'data', 'database')
  if (error instanceof DatabaseError && DAMAGE.includes(error.code)) {
    const where = server ? 'on the server of DATABASE_URL' : `in ${dataFolder}`
    const remedy = 'Stop, and restore it from a backup (docs/backup.md).'
    return `the database ${where} is damaged: ${error.message}. ${remedy}`
  }
  if (error instanceof DataFolderLocked)
    return (
      `${error.message}. Use that one or end it; ` +
      'a second service needs a DATA_DIR of its own, not only another PORT.'
    )
  if (isDiskFull(error.cause))
    return server
      ? `the disk of the server of DATABASE_URL is full: ${error.message}. Make room there.`
      : diskFull(dataFolder)
  const ofSystem = [error, error.cause].find(isSystemError)
  if (ofSystem?.syscall === 'listen') return explainListen(ofSystem, variables)
  return BUGS.includes(error.constructor) && !ofSystem ? (error.stack ?? error.message) : error.message
}

/** PostgreSQL's disk_full. */
const isDiskFull = (cause: unknown) => cause instanceof Error && 'code' in cause && cause.code === '53100'

/** The error of Node for a refused call of the operating system. */
type SystemError = NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function explainListen({ code, address, port }: SystemError, variables: Variables): string {
  const { metrics, sandbox } = readConfig(variables)
  const isMetrics = port === metrics?.port
  const host = isMetrics ? 'METRICS_HOST' : 'HOST'
  const others = isMetrics
    ? 'METRICS_PORT to another'
    : sandbox
      ? 'PORT and SANDBOX_PORT to others'
      : 'PORT to another'
  const remedies: Readonly<Record<string, string>> = {
    EADDRINUSE: `it is in use. End the program that has it, or set ${others}`,
    EADDRNOTAVAIL: `this machine has no such address. Set ${host} to one that it has`,
    EACCES: `this user may not. Set ${others}, of 1024 or above`,
  }
  const remedy = remedies[code ?? ''] ?? `set ${host}, or ${others}, where this process may listen`
  return `cannot listen on ${address}:${port} (${code}): ${remedy}`
}
