// Reads the environment once at the start and reports everything that is wrong together. Secrets have no
// default and are never repeated. Without a provider's key, and outside production, it is the sandbox.
import Type, { type Static, type TObject } from 'typebox'
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { Permission } from '../core/role.js'
import { ConfigError } from './config-file.js'
import {
  type Contradiction,
  type GatewaySettings,
  givenVariables,
  integerSetting,
  listOf,
  origins,
  readValues,
  refined,
  type Settings,
  type SettingsContext,
  settingsOf,
  textSetting,
  timeZone,
  type Variables,
  web,
} from './environment.js'
import { withoutSlash } from './http-client.js'
import { LOG_LEVELS } from './log.js'
import { describeSecrets, isTwice, items, type OldSecret } from './old-secrets.js'
import { readPlans } from './plans-file.js'
import { EXAMPLE_SELLER, readSellerFile } from './seller.js'

export type CommonConfig = Readonly<ReturnType<(typeof COMMON)['read']>> & {
  readonly plans: Catalogue
  readonly seller: Seller
  /** The old secrets of all lists. */
  readonly oldSecrets: readonly OldSecret[]
}

/** The settings that this module does not know. */
export interface OwnSettings {
  /** All gateways that could be configured. */
  readonly gateways: readonly GatewaySettings[]
  /** The settings of capabilities. */
  readonly settings: readonly Settings<unknown>[]
  readonly permissions: readonly Permission[]
}

/** Includes the settings of capabilities and gateways. Throws `ConfigError` with all that is wrong. */
export function readCommonConfig(variables: Variables, own: OwnSettings): CommonConfig {
  const given = givenVariables(variables)
  const provider = missingGateway(given, own.gateways)
  const isEmulated = provider.length > 0 && given.NODE_ENV !== 'production'
  return read(given, isEmulated ? [] : [...provider, ...missingTokenKey(given)], own)
}

/** Settings of a process with its own port and database. A host's own may have the same names. */
const OF_A_PROCESS = [
  ...['HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT', 'SANDBOX_PORT', 'DRAIN_SECONDS'],
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  ...['DATABASE_URL', 'DATABASE_SCHEMA', 'DATA_DIR', 'NODE_ENV'],
]
const OF_USERS = ['AUTH_JWT_SECRET', 'AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE']

/** A mounted service has no sandbox and no process variables, nor those of tokens if the host identifies. */
export function readMountedCommonConfig(
  variables: Variables,
  own: OwnSettings,
  host: { readonly identifies: boolean },
): CommonConfig {
  const unread = new Set([...OF_A_PROCESS, ...(host.identifies ? OF_USERS : [])])
  const given = Object.entries(givenVariables(variables))
  const left = Object.fromEntries(given.filter(([name]) => !unread.has(name)))
  const address = left.PUBLIC_URL === undefined ? ['PUBLIC_URL is missing'] : []
  const tokens = host.identifies ? [] : missingTokenKey(left)
  return read(left, [...address, ...missingGateway(left, own.gateways), ...tokens], own)
}

/** `missing` are the problems of variables that are not set. */
function read(variables: Variables, missing: readonly string[], own: OwnSettings): CommonConfig {
  const settings: readonly Settings<unknown>[] = [COMMON, ...own.settings, ...own.gateways]
  const all = Object.assign({}, ...settings.map((one) => one.variables))
  const { fitting: given, misfits } = readValues(all, variables)
  const configured = own.gateways.filter(({ key }) => given[key] !== undefined)
  const isSandbox = configured.length === 0 && given.NODE_ENV !== 'production'
  const context = { isSandbox, permissions: own.permissions }
  const secretLists = settings.flatMap((one) => one.secretLists ?? [])
  const contradictions: readonly Contradiction[] = [
    ...secretLists.map(
      (name): Contradiction => [isTwice(items(given[name])), `${name} names one secret twice`],
    ),
    ...settings.flatMap((one) => one.contradictions?.(given, context) ?? []),
  ]
  const problems = [
    ...misfits.map(({ problem }) => problem),
    ...missing,
    // Contradictions need valid values, so an invalid variable has none yet.
    ...contradictions
      .flatMap(([isWrong, problem]) => (isWrong ? [problem] : []))
      .filter((problem) => !misfits.some(({ name }) => problem.split(/[^A-Z_]+/).includes(name))),
  ]
  // The sandbox emulates one of them.
  const sold = configured.length > 0 ? configured : own.gateways
  const leastAmount = Math.min(...sold.map((gateway) => gateway.leastAmount))
  const plans = collect(problems, () => readPlans(given.PLANS_FILE, leastAmount))
  const seller = collect(problems, () => readSeller(given, configured))
  const parts = settings.map((one) => collect(problems, () => one.read(given, context)))
  if (!plans || !seller || problems.length > 0) throw new ConfigError(problems)
  const oldSecrets = [
    ...secretLists.flatMap((list) => describeSecrets(list, null, items(given[list])).slice(1)),
    ...settings.flatMap((one) => one.oldSecrets?.(given) ?? []),
  ]
  return Object.assign({ plans, seller, oldSecrets }, ...parts)
}

/** Undefined if it failed. The errors are added to `problems`. */
function collect<Result>(problems: string[], read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

/** Receipts are legal documents: if real money moves, they must name a real seller. */
function readSeller(given: Variables, gateways: readonly GatewaySettings[]): Seller {
  const file = given.SELLER_FILE
  if (file !== undefined) return readSellerFile(file)
  if (gateways.some((gateway) => gateway.isLive(given)))
    throw new ConfigError(['SELLER_FILE is missing: receipts of real money name their seller'])
  return EXAMPLE_SELLER
}

function missingGateway(variables: Variables, gateways: readonly GatewaySettings[]): readonly string[] {
  const keys = gateways.map(({ key }) => key)
  return keys.some((key) => variables[key] !== undefined) ? [] : [`${keys.join(' or ')} is missing`]
}

function missingTokenKey({ AUTH_JWT_SECRET: secret, AUTH_JWKS_URL: keyServer }: Variables) {
  return (secret ?? keyServer) ? [] : ['AUTH_JWT_SECRET or AUTH_JWKS_URL is missing']
}

const ADDRESS = /^[\w.:-]+$/

/** The variables that all parts share. */
const VARIABLES = {
  NODE_ENV: textSetting('a word such as production or development', /^\w+$/),
  HOST: textSetting('an address to listen on, such as 127.0.0.1 or 0.0.0.0', ADDRESS),
  PORT: integerSetting(0, 65_535),
  RATE_LIMIT_PER_MINUTE: integerSetting(1, 100_000_000),
  TRUSTED_PROXIES: listOf(
    'addresses or ranges such as 10.0.0.1 or 10.0.0.0/8',
    /[\da-fA-F.:]{2,45}(?:\/\d{1,3})?/,
  ),
  CORS_ORIGINS: origins(),
  PUBLIC_URL: web(),
  PLATFORM_URL: web(),
  RETURN_ORIGINS: origins(),
  DATABASE_URL: textSetting('postgres://… or memory:', /^(postgres(ql)?:\/\/.+|memory:)$/),
  DATABASE_SCHEMA: textSetting('a name of a to z, 0 to 9 and _', /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/),
  DATA_DIR: textSetting('a folder'),
  CLOCK_CHECKED: textSetting('a day such as 2026-11-21', /^\d{4}-\d{2}-\d{2}$/),
  AUTH_JWT_SECRET: refined('secrets of at least 32 bytes each, separated by commas', (value) =>
    items(value).every((secret) => Buffer.byteLength(secret) >= 32),
  ),
  AUTH_JWKS_URL: web(),
  AUTH_ISSUER: textSetting('a text'),
  AUTH_AUDIENCE: textSetting('a text'),
  PLATFORM_API_KEYS: listOf('keys of at least 20 characters from A-Z a-z 0-9 . _ ~ + / -', /[\w.~+/-]{20,}/),
  PLANS_FILE: textSetting('a file'),
  BILLING_TIMEZONE: timeZone(),
  GRACE_DAYS: integerSetting(0, 31),
  RENEWAL_WINDOW_DAYS: integerSetting(0, 28),
  PREPAY_MAX_MONTHS: integerSetting(1, 120),
  SELLER_FILE: textSetting('a file'),
  SANDBOX_PORT: integerSetting(0, 65_535),
  DRAIN_SECONDS: integerSetting(0, 300),
  METRICS_PORT: integerSetting(0, 65_535),
  METRICS_HOST: textSetting('an address to listen on, such as 127.0.0.1 or 0.0.0.0', ADDRESS),
  OTEL_EXPORTER_OTLP_ENDPOINT: web(),
  LOG_LEVEL: Type.Optional(Type.Enum([...LOG_LEVELS], { description: `one of ${LOG_LEVELS.join(', ')}` })),
}

export const COMMON = settingsOf(VARIABLES, {
  secretLists: ['AUTH_JWT_SECRET', 'PLATFORM_API_KEYS'],
  contradictions: (given, { isSandbox }) => [
    [
      !!given.AUTH_JWT_SECRET && !!given.AUTH_JWKS_URL,
      'only one of AUTH_JWT_SECRET and AUTH_JWKS_URL may be set',
    ],
    [/[?#]/.test(given.PUBLIC_URL ?? ''), 'PUBLIC_URL must have no query and no fragment'],
    [!!given.METRICS_HOST && !given.METRICS_PORT && !isSandbox, 'METRICS_HOST is set, METRICS_PORT is not'],
  ],
  read: assemble,
})

function assemble(values: Static<TObject<typeof VARIABLES>>, { isSandbox }: SettingsContext) {
  const { HOST: host = '127.0.0.1', PORT: port = 3_000 } = values
  const publicUrl = withoutSlash(values.PUBLIC_URL ?? localUrl(host, port))
  const metricsPort = values.METRICS_PORT ?? (isSandbox ? portAfter(port, 2) : null)
  return {
    host,
    /** 0: any free port. */
    port,
    /** The address at which users and the provider reach us; no slash at the end. */
    publicUrl,
    /** The hosting platform's own pages; no slash at the end. */
    platformUrl: withoutSlash(values.PLATFORM_URL ?? publicUrl),
    /** The listener for Prometheus; null: off. In the sandbox it has the second port after ours. */
    metrics: metricsPort === null ? null : { host: values.METRICS_HOST ?? '127.0.0.1', port: metricsPort },
    trustedProxies: items(values.TRUSTED_PROXIES),
    /** Further origins besides the platform's to which the page after paying may lead. */
    returnOrigins: items(values.RETURN_ORIGINS),
    corsOrigins: items(values.CORS_ORIGINS),
    /** The calls a minute of one user, or one anonymous network, in each process. */
    callsPerMinute: values.RATE_LIMIT_PER_MINUTE ?? 300,
    /** If `url` is absent, the embedded database in `dataDir` is used. */
    database: {
      ...member('url', values.DATABASE_URL),
      ...member('schema', values.DATABASE_SCHEMA),
      dataDir: values.DATA_DIR ?? './data',
    },
    /** The day (UTC) on which a person checked the machine's clock. */
    ...member('clockChecked', values.CLOCK_CHECKED),
    /** Outside the sandbox exactly one of `secrets` and `jwksUrl` is set. */
    auth: {
      /** The first one signs, by HS256. All are accepted. */
      secrets: items(values.AUTH_JWT_SECRET),
      /** The address of public keys for RS256, ES256 and EdDSA. */
      ...member('jwksUrl', values.AUTH_JWKS_URL),
      ...member('issuer', values.AUTH_ISSUER),
      ...member('audience', values.AUTH_AUDIENCE),
    },
    billing: {
      timeZone: values.BILLING_TIMEZONE ?? 'Africa/Algiers',
      graceDays: values.GRACE_DAYS ?? 3,
      renewalWindowDays: values.RENEWAL_WINDOW_DAYS ?? 7,
      prepayMaxMonths: values.PREPAY_MAX_MONTHS ?? 24,
    },
    /** Empty: the platform API is switched off. */
    platformKeys: items(values.PLATFORM_API_KEYS),
    /** Null outside the sandbox. */
    sandbox: isSandbox ? { port: values.SANDBOX_PORT ?? portAfter(port, 1) } : null,
    logLevel: values.LOG_LEVEL ?? 'info',
    /** The address of a collector of traces; unset: no traces are made. */
    ...member('tracesUrl', values.OTEL_EXPORTER_OTLP_ENDPOINT),
    /**
     * The seconds after SIGTERM before the listener closes. After 5, a load balancer that checks every second
     * or two has noticed. `docker stop` waits twice as long.
     */
    drainSeconds: values.DRAIN_SECONDS ?? (isSandbox ? 0 : 5),
  }
}

/** 0, any free port, if `port` is that too, or the last one. */
function portAfter(port: number, steps: number): number {
  return port === 0 || port + steps > 65_535 ? 0 : port + steps
}

export function localUrl(host: string, port: number): string {
  // These addresses mean "all of this machine", and cannot be connected to.
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** The member, or no member if there is no value. */
function member<Name extends string, Value>(name: Name, value: Value | undefined) {
  // The compiler widens a computed name to `string`; there is no other member in it.
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value }
}
