// The environment, read once at the start into what the parts need. Everything that is wrong is reported
// together; secrets have no default and are never repeated. Without a provider key, outside production, the
// result is the sandbox.
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import { ConfigError } from './config-file.js'
import {
  type Environment,
  type GatewaySettings,
  givenVariables,
  isSandbox,
  readEnvironment,
  type Settings,
  type Variables,
} from './environment.js'
import { type Reach, withoutSlash } from './http-client.js'
import { isTwice, oldSecretsOf, SECRET_LISTS } from './old-secrets.js'
import { hasConsole, issuerContradictions, operatorIssuerOf } from './operator-issuer.js'
import { hasTwoRoles, isKeyTwice, items, readOperatorKeys } from './operator-keys.js'
import { readPlans } from './plans-file.js'
import { metricsOf, portContradictions, sandboxPort } from './ports.js'
import { EXAMPLE_SELLER, readSellerFile } from './seller.js'

export type Config = Readonly<ReturnType<typeof assemble>>

/** A balancer that looks every second or two has noticed; half of what `docker stop` waits. */
const DRAIN_SECONDS = 5

/** What this module does not know of. */
interface OwnSettings<Part> {
  /** All that could be configured. */
  readonly gateways: readonly GatewaySettings[]
  readonly settings: Settings<Part>
}

/** Throws `ConfigError` with everything that is wrong. */
export function readConfig<Part>(variables: Variables, own: OwnSettings<Part>): Config & Part {
  const given = givenVariables(variables)
  return read(given, missingSecrets(given, own.gateways), own)
}

/** Of a process with a port and a database of its own: a host's may mean something else. */
const OF_A_PROCESS = [
  ...['HOST', 'PORT', 'WORKERS', 'METRICS_HOST', 'METRICS_PORT', 'SANDBOX_PORT', 'DRAIN_SECONDS'],
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  ...['DATABASE_URL', 'DATABASE_SCHEMA', 'DATA_DIR', 'NODE_ENV'],
]
const OF_USERS = ['AUTH_JWT_SECRET', 'AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE']

/**
 * The configuration of a service that is mounted in another program. There is no sandbox; variables of
 * processes are not read, and where the host identifies the users, those of tokens neither.
 */
export function readMountedConfig<Part>(
  variables: Variables,
  { gateways, settings }: OwnSettings<Part>,
  host: { readonly identifies: boolean },
): Config & Part {
  const unread = new Set([...OF_A_PROCESS, ...(host.identifies ? OF_USERS : [])])
  const given = Object.entries(givenVariables(variables))
  const own = Object.fromEntries(given.filter(([name]) => !unread.has(name)))
  const tokens = host.identifies ? [] : missingTokenKey(own)
  const lacking = [...missing(own, 'PUBLIC_URL'), ...missingGateway(own, gateways), ...tokens]
  return read(own, lacking, { gateways, settings })
}

function read<Part>(
  variables: Variables,
  lacking: readonly string[],
  { gateways, settings }: OwnSettings<Part>,
): Config & Part {
  const { environment, misfits } = readEnvironment(variables, gateways)
  const problems = [
    ...misfits.map(({ problem }) => problem),
    ...lacking,
    // What contradicts a variable that does not fit is not known before it does.
    ...contradictions(environment, gateways).filter(
      (problem) => !misfits.some(({ name }) => names(problem, name)),
    ),
  ]
  // The sandbox plays one of them.
  const sold = environment.gateways.length > 0 ? environment.gateways : gateways
  const leastAmount = Math.min(...sold.map((gateway) => gateway.leastAmount))
  const plans = collect(problems, () => readPlans(environment.PLANS_FILE, leastAmount))
  const seller = collect(problems, () => readSeller(environment))
  const part = collect(problems, () => settings.read(variables))
  if (!plans || !seller || part === undefined || problems.length > 0) throw new ConfigError(problems)
  return { ...assemble(environment, { plans, seller }), ...part }
}

/** Undefined where it failed; what was wrong is added to `problems`. */
function collect<Result>(problems: string[], read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

/** The seller is an example, plainly marked, where no real money moves. */
type Files = { readonly plans: Catalogue; readonly seller: Seller }

function assemble(environment: Environment, files: Files) {
  return {
    ...files,
    ...addressesOf(environment),
    ...outgoingOf(environment),
    /** Processes of HTTP; above 1 only with a database server. */
    workers: environment.WORKERS,
    /** Addresses and ranges whose `X-Forwarded-For` is believed. */
    trustedProxies: items(environment.TRUSTED_PROXIES),
    /** What one user, or one anonymous network, may ask in a minute, of each process. */
    callsPerMinute: environment.RATE_LIMIT_PER_MINUTE,
    /** Without `url` the embedded database in `dataDir`. */
    database: {
      ...member('url', environment.DATABASE_URL),
      ...member('schema', environment.DATABASE_SCHEMA),
      dataDir: environment.DATA_DIR,
    },
    /** The day (UTC) on which a person found the clock of the machine right. */
    ...member('clockChecked', environment.CLOCK_CHECKED),
    /** Outside the sandbox exactly one of `secrets` and `jwksUrl`. */
    auth: {
      /** The first signs, all are accepted. */
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
    quotaTimeZone: environment.QUOTA_TIMEZONE,
    /** Empty: the platform API is switched off. */
    platformKeys: items(environment.PLATFORM_API_KEYS),
    /** Empty: the operator's part is switched off. */
    operatorKeys: readOperatorKeys(environment.OPERATOR_KEYS),
    /** Null: operators sign in by key alone. */
    operatorIssuer: operatorIssuerOf(environment),
    /** The first makes codes, the others still read older ones. Empty: codes are switched off. */
    codeKeys: items(environment.CODE_KEYS),
    oldSecrets: oldSecretsOf(environment),
    /** Null outside the sandbox. */
    sandbox: isSandbox(environment) ? { port: sandboxPort(environment) } : null,
    logLevel: environment.LOG_LEVEL,
    /** Where a collector takes traces; unset: none are made. */
    ...member('tracesUrl', environment.OTEL_EXPORTER_OTLP_ENDPOINT),
    /** After SIGTERM, before the listener closes. */
    drainSeconds: environment.DRAIN_SECONDS ?? (isSandbox(environment) ? 0 : DRAIN_SECONDS),
  }
}

/** Where we are reached, and where others are. */
function addressesOf(environment: Environment) {
  const { HOST: host, PORT: port } = environment
  const publicUrl = withoutSlash(environment.PUBLIC_URL ?? localUrl(host, port))
  return {
    host,
    /** 0: any free port. */
    port,
    /** Where users and the provider reach us; no slash at the end. */
    publicUrl,
    /** The hosting platform's own pages; no slash at the end. */
    platformUrl: withoutSlash(environment.PLATFORM_URL ?? publicUrl),
    /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
    platformPortalUrl: environment.PLATFORM_PORTAL_URL ?? null,
    /** Who may show our pages in a frame, as the Content-Security-Policy writes it. */
    frameAncestors: frameAncestorsOf(environment.PORTAL_FRAME_ANCESTORS),
    /** Where Prometheus reads; null: nowhere. */
    metrics: metricsOf(environment),
  }
}

/** The platform's receiver of events, the mail server. */
function outgoingOf(environment: Environment) {
  const { EVENTS_URL: url, MAIL_FROM: from, OPERATOR_MAIL: operators } = environment
  const secrets = items(environment.EVENTS_SECRETS)
  return {
    ...member('events', url === undefined ? url : { url, secrets, reach: reachOf(environment) }),
    ...member('smtpUrl', environment.SMTP_URL),
    /** The sender of our mail; unset: the seller. */
    ...member('mailFrom', from === undefined ? from : readMailFrom(from)),
    /** Who gets a mail when something enters the inbox, in one language; unset: no mail is sent. */
    ...member(
      'operatorMail',
      operators && { to: items(operators), locale: environment.OPERATOR_MAIL_LOCALE },
    ),
  }
}

/** Which addresses events may go to; the sandbox has its platform on this machine. */
function reachOf(environment: Environment): Reach {
  if (environment.EVENTS_ALLOW_PRIVATE === 'true') return 'any'
  return isSandbox(environment) ? 'loopback' : 'public'
}

/** Receipts are legal papers: where real money moves, they name a real seller. */
function readSeller(environment: Environment): Seller {
  const { SELLER_FILE: file, gateways, given } = environment
  if (file !== undefined) return readSellerFile(file)
  if (gateways.some((gateway) => gateway.isLive(given)))
    throw new ConfigError(['SELLER_FILE is missing: receipts of real money name their seller'])
  return EXAMPLE_SELLER
}

/** Of the raw variables: a wrong value is not missing. */
function missingSecrets(variables: Variables, gateways: readonly GatewaySettings[]): readonly string[] {
  const provider = missingGateway(variables, gateways)
  if (provider.length > 0 && variables.NODE_ENV !== 'production') return []
  return [...provider, ...missingTokenKey(variables)]
}

function missingGateway(variables: Variables, gateways: readonly GatewaySettings[]): readonly string[] {
  return gateways.some(({ key }) => variables[key] !== undefined) ? [] : [`${keysOf(gateways)} is missing`]
}

const keysOf = (gateways: readonly GatewaySettings[]) => gateways.map(({ key }) => key).join(' or ')

function missingTokenKey(variables: Variables): readonly string[] {
  const [secret, keyServer] = [missing(variables, 'AUTH_JWT_SECRET'), missing(variables, 'AUTH_JWKS_URL')]
  return secret.length > 0 && keyServer.length > 0 ? ['AUTH_JWT_SECRET or AUTH_JWKS_URL is missing'] : []
}

function missing(variables: Variables, name: string): readonly string[] {
  return variables[name] === undefined ? [`${name} is missing`] : []
}

/** `Name <address>` or the address alone; the schema has seen that it is one of them. */
function readMailFrom(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^(.+) <(.+)>$/.exec(text) ?? []
  return { name, address }
}

/** The two words that the policy wants in quotes, which an environment should not need. */
function frameAncestorsOf(list: string): string {
  return items(list)
    .map((item) => (item === 'none' || item === 'self' ? `'${item}'` : item))
    .join(' ')
}

function localUrl(host: string, port: number): string {
  // Addresses that mean "all of this machine" are no addresses to go to.
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function names(problem: string, name: string): boolean {
  return problem.split(/[^A-Z_]+/).includes(name)
}

/** The member, or nothing at all where there is no value. */
function member<Name extends string, Value>(name: Name, value: Value | undefined) {
  // The compiler widens a computed name to `string`; there is no other member in it.
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value }
}

/** Values that are right alone and wrong together. */
function contradictions(environment: Environment, gateways: readonly GatewaySettings[]): readonly string[] {
  const { PUBLIC_URL: publicUrl, WORKERS: workers } = environment
  const isEmbedded = environment.DATABASE_URL === undefined || environment.DATABASE_URL === 'memory:'
  const operators = readOperatorKeys(environment.OPERATOR_KEYS)
  const claims: readonly (readonly [boolean, string])[] = [
    [
      !!environment.AUTH_JWT_SECRET && !!environment.AUTH_JWKS_URL,
      'only one of AUTH_JWT_SECRET and AUTH_JWKS_URL may be set',
    ],
    [!!environment.EVENTS_URL && !environment.EVENTS_SECRETS, 'EVENTS_SECRETS is missing: EVENTS_URL is set'],
    [!environment.EVENTS_URL && !!environment.EVENTS_SECRETS, 'EVENTS_URL is missing: EVENTS_SECRETS is set'],
    [!!environment.OPERATOR_MAIL && !environment.SMTP_URL, 'SMTP_URL is missing: OPERATOR_MAIL is set'],
    [
      !!environment.OPERATOR_MAIL && !hasConsole(environment),
      'OPERATOR_KEYS is missing: the mail to OPERATOR_MAIL links to the console',
    ],
    [workers > 1 && isEmbedded, 'WORKERS above 1 needs a database server (DATABASE_URL)'],
    [
      workers > 1 && !isEmbedded && isSandbox(environment),
      `WORKERS above 1 is not for the sandbox: ${keysOf(gateways)} is missing`,
    ],
    [isKeyTwice(operators), 'OPERATOR_KEYS names one key twice'],
    ...SECRET_LISTS.map(
      (name) => [isTwice(items(environment[name])), `${name} names one secret twice`] as const,
    ),
    [hasTwoRoles(operators), 'OPERATOR_KEYS gives one name two roles'],
    [/[?#]/.test(publicUrl ?? ''), 'PUBLIC_URL must have no query and no fragment'],
    ...gateways.flatMap((gateway) => gateway.contradictions(environment.given)),
    ...issuerContradictions(environment),
    ...portContradictions(environment),
  ]
  return claims.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []))
}
