// Reads the environment once at the start and reports everything that is wrong together. Secrets have no
// default and are never repeated. Without a provider's key, and outside production, it is the sandbox.
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { Permission } from '../core/role.js'
import { ConfigError } from './config-file.js'
import {
  type Contradiction,
  type Environment,
  type GatewaySettings,
  givenVariables,
  isSandbox,
  readEnvironment,
  type Settings,
  type Variables,
} from './environment.js'
import { withoutSlash } from './http-client.js'
import { describeSecrets, isTwice, items, type OldSecret } from './old-secrets.js'
import { readPlans } from './plans-file.js'
import { EXAMPLE_SELLER, readSellerFile } from './seller.js'

export type CommonConfig = Readonly<ReturnType<typeof assemble>> & {
  /** The old secrets of all lists. */
  readonly oldSecrets: readonly OldSecret[]
}

/** A load balancer that checks every second or two has noticed. `docker stop` waits twice as long. */
const DRAIN_SECONDS = 5

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

/** The lists of secrets that all parts share. */
const SECRET_LISTS = ['AUTH_JWT_SECRET', 'PLATFORM_API_KEYS']

/** `missing` are the problems of variables that are not set. */
function read(variables: Variables, missing: readonly string[], own: OwnSettings): CommonConfig {
  const { gateways } = own
  const settings = [...own.settings, ...gateways]
  const { environment, misfits } = readEnvironment(variables, settings, gateways)
  const { given } = environment
  const context = { isSandbox: isSandbox(environment), permissions: own.permissions }
  const secretLists = [...SECRET_LISTS, ...settings.flatMap((one) => one.secretLists ?? [])]
  const contradictions: readonly Contradiction[] = [
    ...secretLists.map(
      (name): Contradiction => [isTwice(items(given[name])), `${name} names one secret twice`],
    ),
    ...settings.flatMap((one) => one.contradictions?.(given, context) ?? []),
    ...contradictionsOf(environment),
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
  const sold = environment.gateways.length > 0 ? environment.gateways : gateways
  const leastAmount = Math.min(...sold.map((gateway) => gateway.leastAmount))
  const plans = collect(problems, () => readPlans(environment.PLANS_FILE, leastAmount))
  const seller = collect(problems, () => readSeller(environment))
  const parts = settings.map((one) => collect(problems, () => one.read(given, context)))
  if (!plans || !seller || problems.length > 0) throw new ConfigError(problems)
  const oldSecrets = [
    ...secretLists.flatMap((list) => describeSecrets(list, null, items(given[list])).slice(1)),
    ...settings.flatMap((one) => one.oldSecrets?.(given) ?? []),
  ]
  return Object.assign({ ...assemble(environment, { plans, seller }), oldSecrets }, ...parts)
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
function readSeller({ SELLER_FILE: file, gateways, given }: Environment): Seller {
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

/** Values that are valid one by one but contradict each other. */
function contradictionsOf(environment: Environment): readonly Contradiction[] {
  const { PUBLIC_URL: publicUrl, METRICS_HOST: metricsHost } = environment
  return [
    [
      !!environment.AUTH_JWT_SECRET && !!environment.AUTH_JWKS_URL,
      'only one of AUTH_JWT_SECRET and AUTH_JWKS_URL may be set',
    ],
    [/[?#]/.test(publicUrl ?? ''), 'PUBLIC_URL must have no query and no fragment'],
    [
      metricsHost !== undefined && metricsOf(environment) === null,
      'METRICS_HOST is set, METRICS_PORT is not',
    ],
  ]
}

function assemble(environment: Environment, files: { readonly plans: Catalogue; readonly seller: Seller }) {
  const { HOST: host, PORT: port } = environment
  const publicUrl = withoutSlash(environment.PUBLIC_URL ?? localUrl(host, port))
  const isEmulated = isSandbox(environment)
  return {
    ...files,
    host,
    /** 0: any free port. */
    port,
    /** The address at which users and the provider reach us; no slash at the end. */
    publicUrl,
    /** The hosting platform's own pages; no slash at the end. */
    platformUrl: withoutSlash(environment.PLATFORM_URL ?? publicUrl),
    /** The listener for Prometheus; null: off. */
    metrics: metricsOf(environment),
    /** The proxies whose `X-Forwarded-For` is trusted: addresses and ranges. */
    trustedProxies: items(environment.TRUSTED_PROXIES),
    /** Further origins besides the platform's to which the page after paying may lead. */
    returnOrigins: items(environment.RETURN_ORIGINS),
    /** The origins whose pages may call the users' API from a browser. */
    corsOrigins: items(environment.CORS_ORIGINS),
    /** The calls a minute of one user, or one anonymous network, in each process. */
    callsPerMinute: environment.RATE_LIMIT_PER_MINUTE,
    /** If `url` is absent, the embedded database in `dataDir` is used. */
    database: {
      ...member('url', environment.DATABASE_URL),
      ...member('schema', environment.DATABASE_SCHEMA),
      dataDir: environment.DATA_DIR,
    },
    /** The day (UTC) on which a person checked the machine's clock. */
    ...member('clockChecked', environment.CLOCK_CHECKED),
    /** Outside the sandbox exactly one of `secrets` and `jwksUrl` is set. */
    auth: {
      /** The first one signs. All are accepted. */
      secrets: items(environment.AUTH_JWT_SECRET),
      ...member('jwksUrl', environment.AUTH_JWKS_URL),
      ...member('issuer', environment.AUTH_ISSUER),
      ...member('audience', environment.AUTH_AUDIENCE),
    },
    billing: {
      timeZone: environment.BILLING_TIMEZONE,
      graceDays: environment.GRACE_DAYS,
      renewalWindowDays: environment.RENEWAL_WINDOW_DAYS,
      prepayMaxMonths: environment.PREPAY_MAX_MONTHS,
    },
    /** Empty: the platform API is switched off. */
    platformKeys: items(environment.PLATFORM_API_KEYS),
    /** Null outside the sandbox. */
    sandbox: isEmulated ? { port: environment.SANDBOX_PORT ?? portAfter(port, 1) } : null,
    logLevel: environment.LOG_LEVEL,
    /** The address of a collector of traces; unset: no traces are made. */
    ...member('tracesUrl', environment.OTEL_EXPORTER_OTLP_ENDPOINT),
    /** The seconds after SIGTERM before the listener closes. */
    drainSeconds: environment.DRAIN_SECONDS ?? (isEmulated ? 0 : DRAIN_SECONDS),
  }
}

/** Null if nothing is set; in the sandbox the second port after ours. */
function metricsOf(environment: Environment): { readonly host: string; readonly port: number } | null {
  const { PORT: port, METRICS_HOST: host = '127.0.0.1', METRICS_PORT: chosen } = environment
  if (chosen !== undefined) return { host, port: chosen }
  return isSandbox(environment) ? { host, port: portAfter(port, 2) } : null
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
