// `ishtirak doctor` looks at everything the service needs, also where the service does not start, and changes
// nothing; `explainFailure` says in one sentence what kept a command from its work.
import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import type { Capability } from '../acts/capability.js'
import type { BringsChecks, CheckResult } from '../acts/check.js'
import { type Database, DatabaseError } from '../database/database.js'
import { DataFolderFull } from '../database/embedded/cluster-folder.js'
import { makeFolder } from '../database/embedded/flush.js'
import { DataFolderLocked, DataFolderUnusable } from '../database/embedded/folder-lock.js'
import { guardSystemClock } from '../database/guarded-clock.js'
import { schemaFit } from '../database/migrate.js'
import { EmbeddedDatabaseMissing } from '../database/open-database.js'
import { examineDatabase, examineSettings, watchGateways } from '../overview/examine.js'
import { systemClock } from '../runtime/clock.js'
import { localUrl } from '../runtime/config.js'
import { ConfigError } from '../runtime/config-file.js'
import { createLog } from '../runtime/log.js'
import { SELLERS_OWN } from '../setup/sellers-own.js'
import { CAPABILITIES } from './capabilities.js'
import { type Config, misspelt, readConfig, readConfigOfNoSeller } from './config.js'
import { runningSandbox } from './sandbox.js'
import { openConfigured } from './serve.js'
import { gatewaysOf } from './wire.js'

type Variables = Readonly<Record<string, string | undefined>>
type Brings = BringsChecks<Config> & Pick<Capability, 'settings'>

export async function* examine(
  env: Variables,
  brought: readonly Brings[] = CAPABILITIES,
): AsyncGenerator<CheckResult> {
  const { config, problems } = readAsFarAsPossible(env, brought)
  for (const problem of problems) {
    const [, missing = ''] = /^(\w+) is missing/.exec(problem) ?? []
    yield fail('configuration', problem, SELLERS_OWN[missing] ?? 'correct it in the environment')
  }
  if (!config) return
  if (problems.length === 0)
    yield ok('configuration', config.chargily ? 'complete' : 'sandbox: no CHARGILY_SECRET_KEY is set')
  for (const { name, nearest } of misspelt(env, brought))
    yield warn('configuration', `nothing reads the variable ${name}`, `did you mean ${nearest}?`)
  yield* openAndExamine(config, env)
  const now = systemClock().now()
  yield* examineSettings(config, { gateways: examinedGateways(config), brought, now })
  if (config.chargily && problems.length === 0 && !env.SELLER_FILE)
    yield warn('seller', 'receipts of test payments name an example seller', SELLERS_OWN.SELLER_FILE ?? '')
}

/** Where only what the seller has is missing or wrong, key or file, all the rest can be looked at. */
function readAsFarAsPossible(
  env: Variables,
  brought: readonly Brings[],
): { readonly config: Config | null; readonly problems: readonly string[] } {
  try {
    return { config: readConfig(env, brought), problems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { config: readConfigOfNoSeller(env, brought), problems: error.problems }
  }
}

function examinedGateways({ chargily }: Config) {
  const clock = systemClock()
  const log = createLog({ level: 'silent' })
  return watchGateways(chargily ? gatewaysOf({ chargily }, { clock, log, noteUse: () => undefined }) : [])
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

export function resultLine({ verdict, subject, found, remedy }: CheckResult): string {
  const mark = { ok: ' ok ', warn: 'warn', fail: 'FAIL' }[verdict]
  return `[${mark}] ${subject}: ${found}${remedy === '' ? '' : `\n       -> ${remedy}`}`
}

async function* openAndExamine(config: Config, env: Variables): AsyncGenerator<CheckResult> {
  const where = config.database.url ? 'server' : 'embedded'
  try {
    const database = await openWithoutMaking(config)
    try {
      const guard = await compareClock(config, database)
      yield* examineDatabase(config, database, guard)
    } finally {
      await database.close()
    }
  } catch (error) {
    if (error instanceof DataFolderLocked) {
      yield await examineHolder(config, error)
      return
    }
    if (error instanceof EmbeddedDatabaseMissing) return yield fail('database', error.message, '')
    const remedy = config.database.url
      ? 'check DATABASE_URL, and that the server runs and lets this machine in'
      : 'make the folder usable, or set DATA_DIR to another one'
    yield fail('database', `${where}: ${explainFailure(error, env)}`, remedy)
  }
}

/** Where the first start makes a database in a folder, one in memory shows that this machine can run it. */
async function openWithoutMaking(config: Config): Promise<Database> {
  const { url, dataDir } = config.database
  const folder = path.resolve(dataDir, 'database')
  const isNew = !existsSync(folder) || readdirSync(folder).length === 0
  if (url !== undefined || !isNew) return openConfigured(config)
  tryFolder(folder)
  return openConfigured({ ...config, database: { ...config.database, url: 'memory:' } })
}

/** Throws where it cannot be made, as the start does; what was missing is missing again. */
function tryFolder(folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = path.dirname(at)) missing.push(at)
  try {
    makeFolder(folder)
  } finally {
    for (const made of missing.filter((one) => existsSync(one))) rmdirSync(made)
  }
}

/** As the start does it. The sandbox's clock is moved on purpose. */
async function compareClock({ chargily, clockChecked: checkedOn }: Config, database: Database) {
  if (!chargily || !(await schemaFit(database)).runs) return undefined
  const log = createLog({ level: 'silent' })
  const { guard } = guardSystemClock(systemClock(), { database, log, checkedOn })
  // What it throws is a finding.
  await guard?.compare().catch(() => undefined)
  return guard
}

/** The folder belongs to one process: what it is like, the service that has it knows. */
async function examineHolder(config: Config, locked: DataFolderLocked): Promise<CheckResult> {
  // The public address is the proxy's, which this machine may not reach.
  const addresses = [(await runningSandbox(config)) ?? localUrl(config.host, config.port), config.publicUrl]
  for (const url of addresses) {
    const signal = AbortSignal.timeout(3_000)
    const answer = await fetch(`${url}/readyz`, { signal }).catch(() => null)
    if (answer?.ok) return ok('database', `embedded, in use by the service at ${url}, which is ready`)
    const found = `embedded, in use by the service at ${url}, whose /readyz says ${answer?.status}`
    if (answer) return fail('database', found, 'see its log')
  }
  return fail(
    'database',
    `embedded: ${locked.message}, and no service answers at ${addresses.join(' or ')}`,
    'end that process, or set DATA_DIR to another folder',
  )
}

/** Thrown by the language itself, so not written for a reader. */
const BUGS: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError, SyntaxError]

/** PostgreSQL's data_corrupted, index_corrupted and undefined_file: the disk has not what was written. */
const DAMAGE = ['XX001', 'XX002', '58P01']

/** For the person who typed the command. A bug keeps its stack: only its author can do anything about it. */
export function explainFailure(error: unknown, variables: Variables): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof DatabaseError && DAMAGE.includes(error.code)) return explainDamage(error, variables)
  if (error instanceof DataFolderLocked) {
    const remedy = 'a second service needs a DATA_DIR of its own, not only another PORT'
    return `${error.message}. Use that one or end it; ${remedy}.`
  }
  if (error instanceof DataFolderUnusable) {
    return (
      `${error.message}. Give it to this user, on a disk of this machine, ` +
      `or set DATA_DIR to another folder.`
    )
  }
  if (error instanceof DataFolderFull) return `${error.message}. Make room, ${ANOTHER}.`
  if (isDiskFull(error.cause)) return explainFullDisk(error, variables)
  const ofSystem = [error, error.cause].find(isSystemError)
  if (ofSystem) return explainSystem(ofSystem, variables)
  return BUGS.includes(error.constructor) ? (error.stack ?? error.message) : error.message
}

const databaseFolder = ({ DATA_DIR: folder }: Variables) => path.resolve(folder || 'data', 'database')

/** PostgreSQL's disk_full. */
const isDiskFull = (cause: unknown) => cause instanceof Error && 'code' in cause && cause.code === '53100'

function explainFullDisk(error: Error, variables: Variables): string {
  return variables.DATABASE_URL
    ? `the disk of the server of DATABASE_URL is full: ${error.message}. Make room there.`
    : `${new DataFolderFull(databaseFolder(variables), error).message}. Make room, ${ANOTHER}.`
}

function explainDamage(error: Error, variables: Variables): string {
  const where = variables.DATABASE_URL ? 'on the server of DATABASE_URL' : `in ${databaseFolder(variables)}`
  return (
    `the database ${where} is damaged: ${error.message}. Stop, and restore it ` +
    `from a backup (docs/backup.md).`
  )
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

function explainSystem(error: SystemError, variables: Variables): string {
  const { code, syscall, address, port } = error
  if (syscall === 'listen' && port !== undefined) {
    const { metrics, sandbox } = readConfig(variables)
    const ofHost = port === metrics?.port ? 'METRICS_HOST' : 'HOST'
    const ofPort = port === metrics?.port ? ['METRICS_PORT'] : sandbox ? ['PORT', 'SANDBOX_PORT'] : ['PORT']
    const remedy =
      LISTENING[code]?.(ofHost, ofPort) ??
      `set ${[ofHost, ...ofPort].join(' and ')} to where this process may listen`
    return `cannot listen on ${address}:${port} (${code}): ${remedy}`
  }
  const remedy = FILES[code]
  return remedy !== undefined && error.path !== undefined && isOfDataFolder(error.path, variables)
    ? `${error.path}: ${remedy} (${code})`
    : error.message
}

/** The file is in the data folder, or above it: then the folder cannot be made. */
function isOfDataFolder(file: string, { DATA_DIR: folder }: Variables): boolean {
  const data = path.resolve(folder || 'data') + path.sep
  const given = path.resolve(file) + path.sep
  return given.startsWith(data) || data.startsWith(given)
}

const LISTENING: Readonly<Record<string, (host: string, ports: readonly string[]) => string>> = {
  EADDRINUSE: (_, ports) =>
    `another program has it. End that, ` +
    `or set ${ports.join(' and ')} to ${ports.length > 1 ? 'others' : 'another'}`,
  EADDRNOTAVAIL: (host) => `it is no address of this machine. Set ${host} to one that is`,
  EACCES: (_, ports) => `this user may not. Set ${ports.join(' and ')} to 1024 or above`,
}

const ANOTHER = 'or set DATA_DIR to another folder'
const FILES: Readonly<Record<string, string>> = {
  EACCES: `this user may not write there. Give it the folder, ${ANOTHER}`,
  EPERM: `this user may not write there. Give it the folder, ${ANOTHER}`,
  EROFS: `the disk is mounted read-only. Mount it writable, ${ANOTHER}`,
  ENOENT: `no folder can be made there. Set DATA_DIR to another folder`,
  ENOTDIR: `a file stands where a folder is needed. Remove it, ${ANOTHER}`,
  EEXIST: `a file stands where a folder is needed. Remove it, ${ANOTHER}`,
}
