// The environment, read once at the start into what the parts need. Everything that is wrong is told together; secrets
// have no default and are never repeated. Without a provider key, outside production, the answer is the sandbox.
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import {
  contradictions,
  isSandbox,
  items,
  metricsOf,
  readOperatorKey,
  sandboxPort,
} from './contradictions.js'
import { type Environment, readEnvironment } from './environment.js'
import type { LogLevel } from './log.js'
import { readPlans } from './plans-file.js'
import type { Reach } from './public-address.js'
import { EXAMPLE_SELLER, readSellerFile } from './seller.js'

export interface Config {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Processes of HTTP; above 1 only with a database server. */
  readonly workers: number
  /** What one user, or one stranger's address, may ask in a minute, of each process. */
  readonly callsPerMinute: number
  /** Whose `X-Forwarded-For` is believed; empty: nobody's, and whoever connects is who calls. */
  readonly trustedProxies: readonly string[]
  /** Where users and the provider reach us; no slash at the end. */
  readonly publicUrl: string
  /** The hosting platform's own pages; no slash at the end. */
  readonly platformUrl: string
  /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
  readonly platformPortalUrl: string | null
  /** Without `url` the embedded database in `dataDir`. */
  readonly database: { readonly url?: string; readonly dataDir: string }
  /** Outside the sandbox exactly one of `secret` and `jwksUrl`. */
  readonly auth: {
    readonly secret?: string
    readonly jwksUrl?: string
    readonly issuer?: string
    readonly audience?: string
  }
  /** Null in the sandbox, which draws its own key. */
  readonly chargily: {
    readonly secretKey: string
    readonly webhookKeys: readonly string[]
    readonly apiUrl?: string
  } | null
  readonly plans: Catalogue
  readonly billing: {
    readonly timeZone: string
    readonly graceDays: number
    readonly renewalWindowDays: number
  }
  readonly quotaTimeZone: string
  /** Empty: the platform API is switched off. */
  readonly platformKeys: readonly string[]
  /** Empty: the operator's part is switched off. */
  readonly operatorKeys: readonly { readonly name: string; readonly key: string }[]
  /** `reach`: which addresses events may go to; the sandbox has its platform on this machine. */
  readonly events?: { readonly url: string; readonly secrets: readonly string[]; readonly reach: Reach }
  readonly smtpUrl?: string
  /** Whom our mail is from; unset: the seller. */
  readonly mailFrom?: { readonly name: string; readonly address: string }
  /** From SELLER_FILE; an example, plainly marked, where no real money moves. */
  readonly seller: Seller
  /** Who may show our pages in a frame, as the Content-Security-Policy writes it. */
  readonly frameAncestors: string
  /** Null outside the sandbox. */
  readonly sandbox: { readonly port: number } | null
  /** Where Prometheus reads; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  readonly logLevel: LogLevel
  /** After SIGTERM, before the listener closes. */
  readonly drainSeconds: number
}

/** The start is refused. Each problem is one sentence that names its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

/** A balancer that looks every second or two has noticed; half of what `docker stop` waits before it kills. */
const DRAIN_SECONDS = 5
const DEFAULT_TIME_ZONE = 'Africa/Algiers'

/** Throws `ConfigError` with everything that is wrong. */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const { environment, misfits } = readEnvironment(variables)
  const plans = readPlans(environment.PLANS_FILE)
  const seller = readSeller(environment)
  const problems = [
    ...misfits.map(({ problem }) => problem),
    ...missingSecrets(variables),
    // What contradicts a variable that does not fit is not known before it does.
    ...contradictions(environment).filter((problem) => !misfits.some(({ name }) => names(problem, name))),
    ...(isList(plans) ? plans.map((problem) => `PLANS_FILE: ${problem}`) : []),
    ...(isList(seller) ? seller : []),
  ]
  if (isList(plans) || isList(seller) || problems.length > 0) throw new ConfigError(problems)
  return assemble(environment, plans, seller)
}

function assemble(environment: Environment, plans: Catalogue, seller: Seller): Config {
  const { HOST: host = '127.0.0.1', PORT: port = 3000 } = environment
  const publicUrl = withoutSlash(environment.PUBLIC_URL ?? localUrl(host, port))
  const { EVENTS_URL: eventsUrl } = environment
  return {
    host,
    port,
    workers: environment.WORKERS ?? 1,
    trustedProxies: items(environment.TRUSTED_PROXIES),
    callsPerMinute: environment.RATE_LIMIT_PER_MINUTE ?? 300,
    publicUrl,
    platformUrl: withoutSlash(environment.PLATFORM_URL ?? publicUrl),
    platformPortalUrl: environment.PLATFORM_PORTAL_URL ?? null,
    database: { ...member('url', environment.DATABASE_URL), dataDir: environment.DATA_DIR ?? './data' },
    auth: {
      ...member('secret', environment.AUTH_JWT_SECRET),
      ...member('jwksUrl', environment.AUTH_JWKS_URL),
      ...member('issuer', environment.AUTH_ISSUER),
      ...member('audience', environment.AUTH_AUDIENCE),
    },
    chargily: chargilyOf(environment),
    plans,
    billing: {
      timeZone: environment.BILLING_TIMEZONE ?? DEFAULT_TIME_ZONE,
      graceDays: environment.GRACE_DAYS ?? 3,
      renewalWindowDays: environment.RENEWAL_WINDOW_DAYS ?? 7,
    },
    quotaTimeZone: environment.QUOTA_TIMEZONE ?? DEFAULT_TIME_ZONE,
    platformKeys: items(environment.PLATFORM_API_KEYS),
    operatorKeys: items(environment.OPERATOR_KEYS).map(readOperatorKey),
    ...(eventsUrl === undefined
      ? {}
      : {
          events: { url: eventsUrl, secrets: items(environment.EVENTS_SECRETS), reach: reachOf(environment) },
        }),
    ...member('smtpUrl', environment.SMTP_URL),
    ...(environment.MAIL_FROM === undefined ? {} : { mailFrom: readMailFrom(environment.MAIL_FROM) }),
    seller,
    frameAncestors: frameAncestorsOf(environment.PORTAL_FRAME_ANCESTORS),
    sandbox: isSandbox(environment) ? { port: sandboxPort(environment) } : null,
    metrics: metricsOf(environment),
    logLevel: environment.LOG_LEVEL ?? 'info',
    drainSeconds: environment.DRAIN_SECONDS ?? (isSandbox(environment) ? 0 : DRAIN_SECONDS),
  }
}

function reachOf(environment: Environment): Reach {
  if (environment.EVENTS_ALLOW_PRIVATE === 'true') return 'any'
  return isSandbox(environment) ? 'loopback' : 'public'
}

function chargilyOf(environment: Environment): Config['chargily'] {
  const { CHARGILY_SECRET_KEY: secretKey } = environment
  if (secretKey === undefined) return null
  const webhookKeys = items(environment.CHARGILY_WEBHOOK_KEYS)
  return { secretKey, webhookKeys, ...member('apiUrl', environment.CHARGILY_API_URL) }
}

/** Receipts are legal papers: where real money moves, somebody real must stand on them. */
function readSeller(environment: Environment): Seller | readonly string[] {
  const { SELLER_FILE: file, CHARGILY_SECRET_KEY: key } = environment
  if (file !== undefined) return readSellerFile(file)
  if (key?.startsWith('live_sk_')) return ['SELLER_FILE is missing: receipts of real money name their seller']
  return EXAMPLE_SELLER
}

/** Takes the raw variables too: who has a wrong port and no secret should hear of both. */
function missingSecrets(variables: Readonly<Record<string, string | number | undefined>>): readonly string[] {
  const isSet = (name: string) => String(variables[name] ?? '').trim() !== ''
  if (!isSet('CHARGILY_SECRET_KEY') && variables.NODE_ENV !== 'production') return []
  return [
    ...(isSet('CHARGILY_SECRET_KEY') ? [] : ['CHARGILY_SECRET_KEY is missing']),
    ...(isSet('AUTH_JWT_SECRET') || isSet('AUTH_JWKS_URL')
      ? []
      : ['AUTH_JWT_SECRET or AUTH_JWKS_URL is missing']),
  ]
}

/** `Name <address>` or the address alone; the schema has seen that it is one of them. */
function readMailFrom(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^(.+) <(.+)>$/.exec(text) ?? []
  return { name, address }
}

/** The two words that the policy wants in quotes, which are a nuisance in an environment. */
function frameAncestorsOf(list: string | undefined): string {
  const quoted = (item: string) => (item === 'none' || item === 'self' ? `'${item}'` : item)
  return items(list ?? 'none')
    .map(quoted)
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

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** The member, or nothing at all where there is no value. */
function member<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } {
  // The compiler widens a computed name to `string`; there is no other member in it.
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: string }
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value)
}
