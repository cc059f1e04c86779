// What single variables cannot say: values that are right alone and wrong together. Beside it, how values with parts are
// read, for these rules and for the configuration.
import type { Environment } from './environment.js'

/** Values that are right alone and wrong together. */
export function contradictions(environment: Environment): readonly string[] {
  const { PUBLIC_URL: publicUrl, CHARGILY_SECRET_KEY: key, WORKERS: workers = 1 } = environment
  const isEmbedded = environment.DATABASE_URL === undefined || environment.DATABASE_URL === 'memory:'
  const names = items(environment.OPERATOR_KEYS).map((pair) => readOperatorKey(pair).key)
  const claims: readonly (readonly [boolean, string])[] = [
    [
      both(environment.AUTH_JWT_SECRET, environment.AUTH_JWKS_URL),
      'only one of AUTH_JWT_SECRET and AUTH_JWKS_URL may be set',
    ],
    [!key && !!environment.CHARGILY_WEBHOOK_KEYS, 'CHARGILY_WEBHOOK_KEYS is set, CHARGILY_SECRET_KEY is not'],
    [!key && !!environment.CHARGILY_API_URL, 'CHARGILY_API_URL is set, CHARGILY_SECRET_KEY is not'],
    [!!environment.EVENTS_URL && !environment.EVENTS_SECRETS, 'EVENTS_SECRETS is missing: EVENTS_URL is set'],
    [!environment.EVENTS_URL && !!environment.EVENTS_SECRETS, 'EVENTS_URL is missing: EVENTS_SECRETS is set'],
    [workers > 1 && isEmbedded, 'WORKERS above 1 needs a database server (DATABASE_URL)'],
    [
      workers > 1 && !isEmbedded && isSandbox(environment),
      'WORKERS above 1 is not for the sandbox: CHARGILY_SECRET_KEY is missing',
    ],
    [new Set(names).size < names.length, 'OPERATOR_KEYS names one key twice'],
    [hasQuery(publicUrl), 'PUBLIC_URL must have no query and no fragment'],
    [
      key?.startsWith('live_sk_') === true && publicUrl !== undefined && !isPrivateEnough(publicUrl),
      'PUBLIC_URL must start with https:// when real money moves (live_sk_)',
    ],
    [
      isSandbox(environment) && sandboxPort(environment) > 65_535,
      'SANDBOX_PORT is missing: PORT leaves none after it',
    ],
  ]
  return [...claims, ...metricsContradictions(environment)].flatMap(([isWrong, problem]) =>
    isWrong ? [problem] : [],
  )
}

function metricsContradictions(environment: Environment): readonly (readonly [boolean, string])[] {
  const { PORT: port = 3000, METRICS_PORT: chosen, METRICS_HOST: host } = environment
  const metrics = metricsOf(environment)
  const others = [port, ...(isSandbox(environment) ? [sandboxPort(environment)] : [])]
  const isTaken = metrics !== null && metrics.port !== 0 && others.includes(metrics.port)
  return [
    [metrics === null && host !== undefined, 'METRICS_HOST is set, METRICS_PORT is not'],
    [
      metrics !== null && metrics.port > 65_535,
      'METRICS_PORT is missing: PORT leaves no second one after it',
    ],
    [isTaken && chosen !== undefined, 'METRICS_PORT must differ from PORT and SANDBOX_PORT'],
    [isTaken && chosen === undefined, 'METRICS_PORT is missing: SANDBOX_PORT is the second port after PORT'],
  ]
}

export function isSandbox(environment: Environment): boolean {
  return environment.CHARGILY_SECRET_KEY === undefined && environment.NODE_ENV !== 'production'
}

/** The port after ours; where ours is any free one, any free one. */
export function sandboxPort({ PORT: port = 3000, SANDBOX_PORT: sandbox }: Environment): number {
  return sandbox ?? (port === 0 ? 0 : port + 1)
}

export function readOperatorKey(pair: string): { name: string; key: string } {
  const [name = '', key = ''] = pair.split(':')
  return { name, key }
}

export function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim())
}

function isPrivateEnough(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || ['localhost', '[::1]'].includes(hostname) || hostname.startsWith('127.')
}

function hasQuery(url: string | undefined): boolean {
  return url !== undefined && /[?#]/.test(url)
}

function both(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined
}

/** Off where nothing is set; in the sandbox the second port after ours. */
export function metricsOf(environment: Environment): { readonly host: string; readonly port: number } | null {
  const { PORT: port = 3000, METRICS_HOST: host = '127.0.0.1' } = environment
  const besideSandbox = isSandbox(environment) ? (port === 0 ? 0 : port + 2) : undefined
  const chosen = environment.METRICS_PORT ?? besideSandbox
  return chosen === undefined ? null : { host, port: chosen }
}
