// The files of one production: those of deploy/ that belong to the answers, with the same ports, addresses
// and names in each.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { randomToken } from '../runtime/secret.js'
import type { Answers } from './answers.js'
import { CHECKOUT, fillIn, NODE, PROGRAM, packageContainerfile } from './templates.js'

export interface ProductionFile {
  /** Below the folder. */
  readonly name: string
  readonly text: string
  /** Readable by its owner only, and never shown. */
  readonly isSecret?: boolean
}

type Values = Readonly<Record<string, string>>

/** Where the unit's StateDirectory= lies. */
const DATA_DIR = '/var/lib/ishtirak'
/** Of deploy/compose.yaml. */
const IN_COMPOSE = { service: '172.30.250.10:3000', metrics: '172.30.250.10:9464' }
/** In the samples. */
const SAMPLE = {
  domain: 'billing.example.dz',
  service: '127.0.0.1:3000',
  metrics: '127.0.0.1:9464',
  password: '0123456789abcdef',
}

/** Variables whose values init makes; they are never shown. */
const SECRETS = {
  AUTH_JWT_SECRET: () => randomToken(),
  PLATFORM_API_KEYS: () => randomToken(),
  EVENTS_SECRETS: () => `whsec_${randomBytes(32).toString('base64')}`,
  // In an address and in SQL: letters and digits alone.
  POSTGRES_PASSWORD: () => randomBytes(24).toString('hex'),
} as const

export function environmentName({ service }: Answers): string {
  // Compose reads the variables of its own files from a file of this name.
  return service === 'compose' ? '.env' : 'environment'
}

/**
 * `folder` is absolute. `existing`: variables of the file of an earlier run; its secrets stay, so that the
 * same answers give the same files.
 */
export function productionFiles(
  answers: Answers,
  folder: string,
  existing: Values = {},
): readonly ProductionFile[] {
  const { service, proxy, database } = answers
  const inCompose = service === 'compose'
  const password =
    existing.POSTGRES_PASSWORD ?? passwordOf(existing.DATABASE_URL) ?? SECRETS.POSTGRES_PASSWORD()
  const environment = environmentOf(answers, password, existing)
  return [
    { name: environmentName(answers), text: fillVariables(environment, answers), isSecret: true },
    ...(inCompose ? composeFiles(answers) : unitFiles(answers, { folder, password })),
    proxy === 'nginx'
      ? {
          name: 'nginx.conf',
          text: fillIn('deploy/nginx.conf', {
            ...addressesIn(answers),
            ...(inCompose && { '/var/log/nginx/ishtirak.log': '/dev/stdout' }),
          }),
        }
      : { name: 'Caddyfile', text: fillIn('deploy/Caddyfile', addressesIn(answers)) },
    {
      name: 'prometheus-rules.yml',
      text: fillIn('deploy/prometheus-rules.yml', {
        [SAMPLE.metrics]: inCompose ? IN_COMPOSE.metrics : `127.0.0.1:${answers.metricsPort}`,
        ...(!inCompose && { 'METRICS_PORT=9464': `METRICS_PORT=${answers.metricsPort}` }),
        ...(database === 'postgres' && { '430e6': '200e6' }),
      }),
    },
  ]
}

function addressesIn({ domain, service, port }: Answers): Values {
  return {
    [SAMPLE.domain]: domain,
    [SAMPLE.service]: service === 'compose' ? IN_COMPOSE.service : `127.0.0.1:${port}`,
  }
}

function environmentOf(answers: Answers, password: string, existing: Values): Values {
  const { domain, service, database, operator, platformUrl, jwksUrl, eventsUrl } = answers
  const secret = (name: keyof typeof SECRETS) => existing[name] || SECRETS[name]()
  return {
    NODE_ENV: 'production',
    PLATFORM_URL: platformUrl,
    ...(jwksUrl === '' ? { AUTH_JWT_SECRET: secret('AUTH_JWT_SECRET') } : { AUTH_JWKS_URL: jwksUrl }),
    PLATFORM_API_KEYS: secret('PLATFORM_API_KEYS'),
    OPERATOR_KEYS: existing.OPERATOR_KEYS || `${operator}:owner:${randomToken()}`,
    ...(eventsUrl !== '' && { EVENTS_URL: eventsUrl, EVENTS_SECRETS: secret('EVENTS_SECRETS') }),
    ...(service === 'systemd' && {
      ...{ HOST: '127.0.0.1', PORT: String(answers.port), METRICS_PORT: String(answers.metricsPort) },
      ...{ TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: `https://${domain}`, DATA_DIR },
      ...(database === 'postgres' && {
        DATABASE_URL: `postgres://ishtirak:${password}@127.0.0.1:5432/ishtirak`,
      }),
    }),
    ...(service === 'compose' && {
      COMPOSE_PROJECT_NAME: 'ishtirak',
      COMPOSE_FILE: composeNames(answers).join(':'),
      BILLING_DOMAIN: domain,
      ...(database === 'postgres' && { POSTGRES_PASSWORD: password }),
    }),
  }
}

/** A variable is filled in where .env.example has it; those of Compose come at the end. */
function fillVariables(values: Values, { service }: Answers): string {
  const left = new Map(Object.entries(values))
  const filled = fillIn('.env.example').replace(/^(\w+)=$/gm, (line, name: string) => {
    const value = left.get(name) ?? ''
    left.delete(name)
    return line + value
  })
  if (service === 'systemd') return filled
  const ofCompose = [...left].map(([name, value]) => `${name}=${value}`)
  return `${filled}\n# --- Compose: what its files ask for, and which they are\n${ofCompose.join('\n')}\n`
}

function composeNames({ database, proxy }: Answers): readonly string[] {
  return [
    'compose.yaml',
    ...(database === 'postgres' ? ['compose.postgres.yaml'] : []),
    `compose.${proxy}.yaml`,
  ]
}

function composeFiles(answers: Answers): readonly ProductionFile[] {
  const [, ...others] = composeNames(answers)
  const inYaml = (text: string) => JSON.stringify(text.replaceAll('$', '$$$$'))
  const build: Values = CHECKOUT
    ? { 'context: ..,': `context: ${inYaml(CHECKOUT)},` }
    : { 'context: .., dockerfile: deploy/Containerfile': 'context: ., dockerfile: Containerfile' }
  return [
    { name: 'compose.yaml', text: fillIn('deploy/compose.yaml', build) },
    ...(CHECKOUT ? [] : [{ name: 'Containerfile', text: packageContainerfile() }]),
    ...others.map((name) => ({ name, text: fillIn(`deploy/${name}`) })),
  ]
}

function unitFiles(
  { database }: Answers,
  { folder, password }: { readonly folder: string; readonly password: string },
): readonly ProductionFile[] {
  const unit = (name: string) => ({
    name,
    text: fillIn(`deploy/${name}`, {
      '/etc/ishtirak/environment': path.join(folder, 'environment').replaceAll('%', '%%'),
      '/usr/bin/node': inUnit(NODE),
      '/opt/ishtirak/node_modules/ishtirak/dist/main/cli.js': inUnit(PROGRAM.file),
    }),
  })
  if (database === 'embedded') return [unit('ishtirak.service')]
  return [
    unit('ishtirak.service'),
    unit('ishtirak@.service'),
    { name: 'ishtirak.service.d/server.conf', text: fillIn('deploy/ishtirak-server.conf') },
    {
      name: 'database.sql',
      text: fillIn('deploy/database.sql', { [SAMPLE.password]: password }),
      isSecret: true,
    },
  ]
}

/** One word of `ExecStart=`. */
function inUnit(word: string): string {
  const escaped = word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w./%-]+$/.test(escaped) ? escaped : `"${escaped}"`
}

function passwordOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).password || undefined : undefined
}
