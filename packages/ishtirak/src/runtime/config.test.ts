// What the environment may say, and what stops the start. Every refusal names its variable and never its
// value.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEED_LIMITS } from '../core/limit.js'
import { offersOf } from '../core/plan.js'
import { forPlatform, inSandbox, misspelt, readConfig, SETTINGS } from '../main/config.js'
import { ConfigError } from './config-file.js'
import { Environment, isThisMachine } from './environment.js'
import { EXAMPLE_SELLER } from './seller.js'

const SECRET = 's'.repeat(32)
const OLD_SECRET = `an old one: ${'s'.repeat(32)}`
const KEY = 'k'.repeat(20)
const LIVE = {
  CHARGILY_SECRET_KEY: 'live_sk_hush',
  AUTH_JWT_SECRET: SECRET,
  PUBLIC_URL: 'https://pay.example',
  SELLER_FILE: path.resolve(import.meta.dirname, '../../../../docs/seller.example.json'),
}
const ISSUER = {
  OPERATOR_OIDC_ISSUER: 'https://sso.host.example/realms/staff',
  OPERATOR_OIDC_CLIENT_ID: 'ishtirak',
  OPERATOR_OIDC_CLIENT_SECRET: 'hush',
  OPERATOR_OIDC_ROLE_CLAIM: 'realm_access.roles',
}
const TEST = { CHARGILY_SECRET_KEY: 'test_sk_hush', AUTH_JWT_SECRET: SECRET }

function problemsOf(variables: Record<string, string>): readonly string[] {
  try {
    readConfig(variables)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('with nothing set', () => {
  it('the sandbox runs on the defaults of the specification', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      trustedProxies: [],
      workers: 1,
      callsPerMinute: 300,
      publicUrl: 'http://127.0.0.1:3000',
      platformUrl: 'http://127.0.0.1:3000',
      platformPortalUrl: null,
      database: { dataDir: './data' },
      auth: { secrets: [] },
      oldSecrets: [],
      chargily: null,
      plans: expect.objectContaining({ free: expect.objectContaining({ id: 'free', price: 0 }) }),
      billing: { timeZone: 'Africa/Algiers', graceDays: 3, renewalWindowDays: 7, prepayMaxMonths: 24 },
      quotaTimeZone: 'Africa/Algiers',
      proofDays: 90,
      platformKeys: [],
      operatorKeys: [],
      operatorRoles: {},
      operatorIssuer: null,
      codeKeys: [],
      seller: EXAMPLE_SELLER,
      transfers: null,
      frameAncestors: "'none'",
      sandbox: { port: 3001 },
      metrics: { host: '127.0.0.1', port: 3002 },
      logLevel: 'info',
      drainSeconds: 0,
    })
  })

  it('variables of others and empty ones change nothing', () => {
    expect(readConfig({ PATH: '/bin', PORT: '', AUTH_JWT_SECRET: '  ', DATABASE_URL: undefined })).toEqual(
      readConfig({}),
    )
  })

  it('in production every missing secret is named at once, and there is no sandbox', () => {
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
      'CHARGILY_SECRET_KEY is missing',
      'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing',
    ])
  })
})

it('with everything set each part gets its own', () => {
  const config = readConfig({
    ...LIVE,
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
    PORT: '8080',
    WORKERS: '4',
    RATE_LIMIT_PER_MINUTE: '1000',
    PUBLIC_URL: 'https://pay.example/billing/',
    PLATFORM_URL: 'https://host.example/',
    DATABASE_URL: 'postgres://ishtirak@db/ishtirak',
    DATABASE_SCHEMA: 'billing',
    DATA_DIR: '/var/lib/ishtirak',
    AUTH_JWT_SECRET: `${SECRET}, ${OLD_SECRET}`,
    AUTH_ISSUER: 'https://host.example',
    AUTH_AUDIENCE: 'billing',
    PLATFORM_API_KEYS: `${KEY}1, ${KEY}2`,
    OPERATOR_KEYS: `amina:${KEY}3,yacine:accountant:${KEY}4, lina:owner:${KEY}5, amina:${KEY}6`,
    CODE_KEYS: `${SECRET},${SECRET}2`,
    ...ISSUER,
    OPERATOR_OIDC_CLIENT_SECRET: 'hush,old',
    CHARGILY_WEBHOOK_KEYS: 'live_sk_old,live_sk_older',
    CHARGILY_API_URL: 'http://127.0.0.1:4000',
    BILLING_TIMEZONE: 'UTC',
    QUOTA_TIMEZONE: 'Europe/Paris',
    GRACE_DAYS: '0',
    RENEWAL_WINDOW_DAYS: '14',
    PREPAY_MAX_MONTHS: '36',
    EVENTS_URL: 'https://host.example/events',
    EVENTS_SECRETS: `whsec_${'A'.repeat(32)},whsec_${'B'.repeat(43)}=`,
    SMTP_URL: 'smtps://user:password@mail.example',
    MAIL_FROM: 'Billing <billing@host.example>',
    OPERATOR_MAIL: 'amina@host.example, lina@host.example',
    OPERATOR_MAIL_LOCALE: 'fr',
    PORTAL_FRAME_ANCESTORS: 'self, https://host.example',
    METRICS_PORT: '9090',
    METRICS_HOST: '10.0.0.1',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '20',
  })
  expect(config).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    workers: 4,
    callsPerMinute: 1000,
    publicUrl: 'https://pay.example/billing',
    platformUrl: 'https://host.example',
    metrics: { host: '10.0.0.1', port: 9090 },
    database: { url: 'postgres://ishtirak@db/ishtirak', schema: 'billing', dataDir: '/var/lib/ishtirak' },
    auth: { secrets: [SECRET, OLD_SECRET], issuer: 'https://host.example', audience: 'billing' },
    chargily: {
      secretKey: 'live_sk_hush',
      webhookKeys: ['live_sk_old', 'live_sk_older'],
      apiUrl: 'http://127.0.0.1:4000',
    },
    billing: { timeZone: 'UTC', graceDays: 0, renewalWindowDays: 14, prepayMaxMonths: 36 },
    operatorIssuer: {
      url: 'https://sso.host.example/realms/staff',
      clientId: 'ishtirak',
      clientSecrets: ['hush', 'old'],
      roleClaim: 'realm_access.roles',
    },
    operatorMail: { to: ['amina@host.example', 'lina@host.example'], locale: 'fr' },
    quotaTimeZone: 'Europe/Paris',
    proofDays: 90,
    platformKeys: [`${KEY}1`, `${KEY}2`],
    operatorKeys: [
      { name: 'amina', role: 'owner', key: `${KEY}3` },
      { name: 'yacine', role: 'accountant', key: `${KEY}4` },
      { name: 'lina', role: 'owner', key: `${KEY}5` },
      { name: 'amina', role: 'owner', key: `${KEY}6` },
    ],
    codeKeys: [SECRET, `${SECRET}2`],
    events: {
      url: 'https://host.example/events',
      secrets: [`whsec_${'A'.repeat(32)}`, `whsec_${'B'.repeat(43)}=`],
      reach: 'public',
    },
    smtpUrl: 'smtps://user:password@mail.example',
    mailFrom: { name: 'Billing', address: 'billing@host.example' },
    frameAncestors: "'self' https://host.example",
    oldSecrets: [
      { list: 'AUTH_JWT_SECRET', holder: null, place: 2, of: 2, secret: OLD_SECRET },
      { list: 'PLATFORM_API_KEYS', place: 2, of: 2, secret: `${KEY}2` },
      { list: 'CODE_KEYS', place: 2, of: 2, secret: `${SECRET}2` },
      { list: 'OPERATOR_KEYS', holder: 'amina', place: 2, of: 2, secret: `${KEY}6` },
      { list: 'OPERATOR_OIDC_CLIENT_SECRET', place: 2, of: 2, secret: 'old' },
      { list: 'CHARGILY_WEBHOOK_KEYS', place: 1, of: 2, secret: 'live_sk_old' },
      { list: 'CHARGILY_WEBHOOK_KEYS', place: 2, of: 2, secret: 'live_sk_older' },
    ],
    seller: { identity: { nif: expect.any(String) } },
    sandbox: null,
    logLevel: 'warn',
    drainSeconds: 20,
  })
})

it('lets events out to the internet only, in the sandbox to this machine, and elsewhere when allowed', () => {
  const events = { EVENTS_URL: 'http://127.0.0.1/events', EVENTS_SECRETS: `whsec_${'A'.repeat(32)}` }
  const keys = { CHARGILY_SECRET_KEY: 'test_sk_hush', AUTH_JWT_SECRET: SECRET }
  expect(readConfig({ ...events, ...keys }).events?.reach).toBe('public')
  expect(readConfig({ ...events, ...keys, EVENTS_ALLOW_PRIVATE: 'false' }).events?.reach).toBe('public')
  expect(readConfig({ ...events, ...keys, EVENTS_ALLOW_PRIVATE: 'true' }).events?.reach).toBe('any')
  expect(readConfig(events).events?.reach).toBe('loopback')
})

describe('a value that does not fit', () => {
  it.each([
    ['HOST', 'two words'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['PORT', '0x10'],
    ['WORKERS', '0'],
    ['RATE_LIMIT_PER_MINUTE', '0'],
    ['PUBLIC_URL', 'pay.example'],
    ['PUBLIC_URL', 'ftp://pay.example'],
    ['PLATFORM_URL', 'javascript:alert(1)'],
    ['DATABASE_URL', 'mysql://db'],
    ['AUTH_JWT_SECRET', 'hush'.repeat(7)], // 28 bytes
    ['AUTH_JWKS_URL', 'keys.json'],
    ['PLATFORM_API_KEYS', 'hush'],
    ['PLATFORM_API_KEYS', `${KEY},`],
    ['OPERATOR_KEYS', KEY],
    ['AUTH_JWT_SECRET', `${SECRET},`],
    ['AUTH_JWT_SECRET', `${SECRET},,${SECRET}2`],
    ['AUTH_JWT_SECRET', `${SECRET}, ${'hush'.repeat(7)}`],
    ['PLATFORM_API_KEYS', `${KEY},hush`],
    ['OPERATOR_KEYS', `amina:${KEY},,yacine:${KEY}2`],
    ['OPERATOR_OIDC_CLIENT_SECRET', 'hush,'],
    ['CODE_KEYS', `${SECRET},`],
    ['EVENTS_SECRETS', `whsec_${'A'.repeat(32)},`],
    ['OPERATOR_OIDC_ISSUER', 'sso.host.example'],
    ['OPERATOR_OIDC_ROLE_CLAIM', 'two words'],
    ['CODE_KEYS', 'hush'.repeat(7)], // 28 characters
    ['OPERATOR_KEYS', 'amina:hush'],
    ['OPERATOR_KEYS', `amina:viewer:hush`],
    ['CHARGILY_SECRET_KEY', 'sk_hush'],
    ['CHARGILY_SECRET_KEY', 'test_pk_hush'],
    ['CHARGILY_SECRET_KEY', 'test_sk_'],
    ['CHARGILY_SECRET_KEY', 'test_sk_hush hush'],
    ['CHARGILY_WEBHOOK_KEYS', 'hush'],
    ['CHARGILY_WEBHOOK_KEYS', 'test_sk_hush,'],
    ['CHARGILY_API_URL', 'pay.chargily.net'],
    ['CHARGILY_API_URL', 'ftp://hush'],
    ['BILLING_TIMEZONE', 'Africa/Nowhere'],
    ['QUOTA_TIMEZONE', '+1'],
    ['GRACE_DAYS', '32'],
    ['RENEWAL_WINDOW_DAYS', '29'],
    ['PREPAY_MAX_MONTHS', '0'],
    ['EVENTS_SECRETS', 'hush'],
    ['EVENTS_SECRETS', `whsec_${'A'.repeat(28)}`],
    ['EVENTS_SECRETS', `whsec_${'A'.repeat(33)}`],
    ['EVENTS_SECRETS', `whsec_${'A'.repeat(43)}`],
    ['EVENTS_SECRETS', `whsec_${'A'.repeat(32)},whsec_${'A'.repeat(34)}`],
    ['EVENTS_ALLOW_PRIVATE', 'hush'],
    ['SMTP_URL', 'mail.example'],
    ['MAIL_FROM', 'Billing billing@host.example'],
    ['OPERATOR_MAIL', 'Amina <amina@host.example>'],
    ['OPERATOR_MAIL', 'amina@host.example;hush'],
    ['OPERATOR_MAIL_LOCALE', 'de'],
    ['PORTAL_FRAME_ANCESTORS', 'self; script-src *'],
    ['LOG_LEVEL', 'loud'],
    ['NODE_ENV', 'hush hush'],
  ])('%s=%s is named', (name, value) => {
    const problems = problemsOf({ [name]: value })
    expect(problems).toContainEqual(expect.stringMatching(`^${name} must be .{6}`))
    expect(problems.join()).not.toContain('hush')
  })

  it('is reported together with all others, and with the secrets that are missing', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      PORT: 'x',
      GRACE_DAYS: 'x',
      LOG_LEVEL: 'x',
      HOST: 'x y',
    })
    expect(problems).toHaveLength(6) // 4 values, the key, the token check
  })

  it('stands in the message on a line of its own', () => {
    expect(() => readConfig({ PORT: 'x', GRACE_DAYS: 'x' })).toThrow(
      'the configuration is not usable:\n  - PORT must be a whole number from 0 to 65535\n  - ' +
        'GRACE_DAYS must be a whole number from 0 to 31',
    )
  })
})

it('the sandbox shows the secret of events that it has made, and none that was given', () => {
  const made = Buffer.from('thirty bytes of this one test.').toString('base64url')
  const shown = (variables: Record<string, string>) => {
    const config = readConfig({ EVENTS_URL: 'http://127.0.0.1:4000', ...variables })
    return forPlatform(config, { ...config, ...inSandbox(config, () => made) }).EVENTS_SECRET
  }
  expect(shown({})).toBe('whsec_dGhpcnR5IGJ5dGVzIG9mIHRoaXMgb25lIHRlc3Qu')
  expect(shown({ EVENTS_SECRETS: `whsec_${'A'.repeat(32)}` })).toBeUndefined()
})

it('everything that is wrong is reported at once: values, secrets, contradictions, files', () => {
  expect(
    problemsOf({
      NODE_ENV: 'production',
      PORT: 'x',
      WORKERS: '2',
      EVENTS_URL: 'https://host.example',
      PLANS_FILE: '/nowhere/plans.json',
      SELLER_FILE: '/nowhere/seller.json',
      TRANSFER_FILE: '/nowhere/transfer.json',
    }),
  ).toEqual([
    'PORT must be a whole number from 0 to 65535',
    'CHARGILY_SECRET_KEY is missing',
    'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing',
    'EVENTS_SECRETS is missing: EVENTS_URL is set',
    'WORKERS above 1 needs a database server (DATABASE_URL)',
    'PLANS_FILE cannot be read: ENOENT (/nowhere/plans.json)',
    'SELLER_FILE cannot be read: ENOENT (/nowhere/seller.json)',
    'TRANSFER_FILE cannot be read: ENOENT (/nowhere/transfer.json)',
  ])
})

it('a contradiction with a value that does not fit waits until it fits', () => {
  expect(
    problemsOf({ CHARGILY_SECRET_KEY: 'sk_x', AUTH_JWT_SECRET: SECRET, CHARGILY_WEBHOOK_KEYS: 'test_sk_a' }),
  ).toEqual(['CHARGILY_SECRET_KEY must be a key that starts with test_sk_ or live_sk_'])
})

it('a misspelt variable is mentioned with the name that may be meant; those of others are not', () => {
  const variables = {
    DATABASE_URI: 'x',
    AUTH_JWT_SECRTE: 'x',
    ISHTIRAK_PORT: '1',
    PATH: '/',
    HOSTNAME: 'a',
    LOGNAME: 'b',
  }
  expect(
    misspelt({ ...variables, DATABASE_URL: 'x', ISHTIRAK_URL: 'x', OPERATOR_KEY: 'x', LANG: 'C' }),
  ).toEqual([
    { name: 'DATABASE_URI', nearest: 'DATABASE_URL' },
    { name: 'AUTH_JWT_SECRTE', nearest: 'AUTH_JWT_SECRET' },
    { name: 'ISHTIRAK_PORT', nearest: 'PORT' },
  ])
})

describe('values that are right alone and wrong together', () => {
  const NO_MORE_THAN_A_PATH = 'CHARGILY_API_URL must have no user, no query and no fragment'
  const IN_CLEAR = 'CHARGILY_API_URL must start with https:// for a live key, unless it is on this machine'
  it.each([
    [
      { ...TEST, AUTH_JWKS_URL: 'https://keys.example' },
      'only one of AUTH_JWT_SECRET and AUTH_JWKS_URL may be set',
    ],
    [{ CHARGILY_SECRET_KEY: 'test_sk_hush' }, 'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing'],
    [{ CHARGILY_API_URL: 'http://127.0.0.1:4000' }, 'CHARGILY_API_URL is set, CHARGILY_SECRET_KEY is not'],
    [{ CHARGILY_WEBHOOK_KEYS: 'test_sk_hush' }, 'CHARGILY_WEBHOOK_KEYS is set, CHARGILY_SECRET_KEY is not'],
    [
      { ...LIVE, PUBLIC_URL: 'http://pay.example' },
      'PUBLIC_URL must start with https:// when real money moves (live_sk_)',
    ],
    [{ PUBLIC_URL: 'https://pay.example/?a=1' }, 'PUBLIC_URL must have no query and no fragment'],
    [{ ...TEST, EVENTS_URL: 'https://host.example' }, 'EVENTS_SECRETS is missing: EVENTS_URL is set'],
    [{ EVENTS_SECRETS: `whsec_${'A'.repeat(32)}` }, 'EVENTS_URL is missing: EVENTS_SECRETS is set'],
    [{ WORKERS: '2' }, 'WORKERS above 1 needs a database server (DATABASE_URL)'],
    [{ WORKERS: '2', DATABASE_URL: 'memory:' }, 'WORKERS above 1 needs a database server (DATABASE_URL)'],
    [
      { WORKERS: '2', DATABASE_URL: 'postgres://db' },
      'WORKERS above 1 is not for the sandbox: CHARGILY_SECRET_KEY is missing',
    ],
    [{ SMTP_URL: '', OPERATOR_MAIL: 'amina@host.example' }, 'SMTP_URL is missing: OPERATOR_MAIL is set'],
    [
      { ...TEST, SMTP_URL: 'smtp://127.0.0.1', OPERATOR_MAIL: 'amina@host.example' },
      'OPERATOR_KEYS is missing: the mail to OPERATOR_MAIL links to the console',
    ],
    [{ OPERATOR_KEYS: `amina:${KEY},yacine:${KEY}` }, 'OPERATOR_KEYS names one key twice'],
    [{ ...TEST, AUTH_JWT_SECRET: `${SECRET}, ${SECRET}` }, 'AUTH_JWT_SECRET names one secret twice'],
    [{ PLATFORM_API_KEYS: `${KEY},${KEY}2,${KEY}` }, 'PLATFORM_API_KEYS names one secret twice'],
    [
      { ...ISSUER, OPERATOR_OIDC_CLIENT_SECRET: 'hush,hush' },
      'OPERATOR_OIDC_CLIENT_SECRET names one secret twice',
    ],
    [{ CODE_KEYS: `${SECRET},${SECRET}` }, 'CODE_KEYS names one secret twice'],
    [
      { ...TEST, CHARGILY_WEBHOOK_KEYS: 'test_sk_old,test_sk_old' },
      'CHARGILY_WEBHOOK_KEYS names one secret twice',
    ],
    [
      { ...LIVE, CHARGILY_WEBHOOK_KEYS: 'live_sk_old,test_sk_old' },
      'CHARGILY_WEBHOOK_KEYS must be of the mode of CHARGILY_SECRET_KEY, test or live',
    ],
    [{ ...TEST, CHARGILY_API_URL: 'http://user:pw@x' }, NO_MORE_THAN_A_PATH],
    [{ ...TEST, CHARGILY_API_URL: 'https://x/?a=b' }, NO_MORE_THAN_A_PATH],
    [{ ...TEST, CHARGILY_API_URL: 'https://x/#a' }, NO_MORE_THAN_A_PATH],
    [{ ...LIVE, CHARGILY_API_URL: 'http://10.0.0.7' }, IN_CLEAR],
    [{ ...LIVE, CHARGILY_API_URL: 'http://127.example' }, IN_CLEAR],
    [
      {
        EVENTS_URL: 'https://host.example',
        EVENTS_SECRETS: `whsec_${'A'.repeat(32)},whsec_${'A'.repeat(32)}`,
      },
      'EVENTS_SECRETS names one secret twice',
    ],
    [{ OPERATOR_KEYS: `amina:${KEY},amina:viewer:${KEY}2` }, 'OPERATOR_KEYS gives one name two roles'],
    [
      { OPERATOR_KEYS: `amina:admin:${KEY}`, OPERATOR_ROLES: 'night=support' },
      'OPERATOR_KEYS names a role that is neither built in nor in OPERATOR_ROLES',
    ],
    [{ OPERATOR_ROLES: 'night=' }, 'OPERATOR_ROLES: role 1 (night) is empty'],
    [
      { ...ISSUER, OPERATOR_OIDC_ROLE_CLAIM: '' },
      'OPERATOR_OIDC_ROLE_CLAIM is missing: all four OPERATOR_OIDC_… are set, or none',
    ],
    [
      { ...ISSUER, OPERATOR_OIDC_ISSUER: 'http://sso.host.example' },
      'OPERATOR_OIDC_ISSUER must start with https:// unless it is on this machine',
    ],
    [
      { ...ISSUER, OPERATOR_OIDC_ISSUER: 'https://sso.host.example/?a=1' },
      'OPERATOR_OIDC_ISSUER must have no query and no fragment',
    ],
    [{ ...LIVE, SELLER_FILE: '' }, 'SELLER_FILE is missing: receipts of real money name their seller'],
    [{ PORT: '65535', METRICS_PORT: '4001' }, 'SANDBOX_PORT is missing: PORT leaves none after it'],
    [{ PORT: '65535', SANDBOX_PORT: '4000' }, 'METRICS_PORT is missing: PORT leaves no second one after it'],
    [{ SANDBOX_PORT: '3002' }, 'METRICS_PORT is missing: SANDBOX_PORT is the second port after PORT'],
    [
      { METRICS_PORT: '3001' },
      'METRICS_PORT must differ from PORT and SANDBOX_PORT, which is PORT + 1 unless it is set',
    ],
    [{ METRICS_PORT: '4000', SANDBOX_PORT: '4000' }, 'METRICS_PORT must differ from PORT and SANDBOX_PORT'],
    [{ ...TEST, METRICS_PORT: '3000' }, 'METRICS_PORT must differ from PORT'],
    [{ ...TEST, METRICS_HOST: '0.0.0.0' }, 'METRICS_HOST is set, METRICS_PORT is not'],
  ])('%o: %s', (variables, problem) => {
    expect(problemsOf(variables)).toEqual([problem])
  })

  it.each([
    ['in the sandbox, which draws keys', {}],
    ['by key', { ...TEST, OPERATOR_KEYS: `amina:${KEY}` }],
    ['by an issuer', { ...TEST, ...ISSUER }],
  ])('operators who are told by mail have a console: %s', (_by, variables) => {
    const mail = { SMTP_URL: 'smtp://127.0.0.1', OPERATOR_MAIL: 'amina@host.example' }
    expect(problemsOf({ ...variables, ...mail })).toEqual([])
  })

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'a live key on loopback (%s) is let through: someone tries it out',
    (url) => {
      expect(problemsOf({ ...LIVE, PUBLIC_URL: url })).toEqual([])
    },
  )
})

it('the metrics are off where METRICS_PORT is not set, and on loopback where it is', () => {
  expect(readConfig(TEST).metrics).toBeNull()
  expect(readConfig({ ...TEST, METRICS_PORT: '9090' }).metrics).toEqual({ host: '127.0.0.1', port: 9090 })
})

describe('addresses that follow from others', () => {
  it.each([
    [{ HOST: '0.0.0.0', PORT: '80' }, 'http://127.0.0.1:80', 81],
    [{ HOST: '::1' }, 'http://[::1]:3000', 3001],
    [{ PORT: '0' }, 'http://127.0.0.1:0', 0],
    [{ SANDBOX_PORT: '4000' }, 'http://127.0.0.1:3000', 4000],
  ])('%o is reached at %s, the sandbox on %i', (variables, publicUrl, sandboxPort) => {
    expect(readConfig(variables)).toMatchObject({
      publicUrl,
      platformUrl: publicUrl,
      sandbox: { port: sandboxPort },
    })
  })
})

describe('PLANS_FILE', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-plans-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const limits = { projects: 1, domains_per_project: 1, deploys_per_day: 1, storage_mb: 1 }
  const free = { id: 'free', name: 'Free', price: 0, currency: 'DZD', limits }

  function file(content: unknown): string {
    const name = path.join(folder, 'plans.json')
    writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content))
    return name
  }

  it('brings plans of one’s own, in their order', () => {
    const PLANS_FILE = file([free, { ...free, id: 'team', name: 'Team', price: 9000 }])
    expect(readConfig({ PLANS_FILE }).plans.plans.map(({ id }) => id)).toEqual(['free', 'team'])
  })

  const sold = (terms: unknown) => ({ ...free, id: 'pro', price: 100, terms })

  it(
    'sells terms beside the single month, in any order in the file, which may name the single month ' + 'too',
    () => {
      const terms = [
        { months: 36, price: 3000 },
        { months: 1, price: 100 },
        { months: 2, price: 200 },
      ]
      const [, pro] = readConfig({ PLANS_FILE: file([free, sold(terms)]) }).plans.plans
      expect(pro && offersOf(pro).map(({ months, price }) => [months, price.amount])).toEqual([
        [1, 100],
        [2, 200],
        [36, 3000],
      ])
    },
  )

  it.each([
    ['{', expect.stringMatching(/^PLANS_FILE is not JSON: /)],
    [[], 'PLANS_FILE /: must not have fewer than 1 items'],
    [[{ ...free, price: 0.5 }], 'PLANS_FILE /0/price: must be integer'],
    [[{ ...free, price: '0' }], 'PLANS_FILE /0/price: must be integer'],
    [
      [{ ...free, limits: { ...limits, storage_gb: 1 } }],
      'PLANS_FILE /0/limits/storage_gb: is not a known field',
    ],
    [[free, { ...free, id: 'pro', price: 3_000_000_000 }], 'PLANS_FILE /1/price: must be <= 1000000000'],
    [[{ ...free, name: 'Free\u0000' }], expect.stringMatching(/^PLANS_FILE \/0\/name: must match pattern/)],
    [[{ ...free, name: 'Free \ud83d' }], expect.stringMatching(/^PLANS_FILE \/0\/name: must match pattern/)],
    [[{ ...free, prize: 0 }], 'PLANS_FILE /0/prize: is not a known field'],
    [[{ ...free, price: 100 }], 'PLANS_FILE: no plan costs 0: users who never paid need one'],
    [[free, { ...free, id: 'pro' }], 'PLANS_FILE: more than one plan costs 0'],
    [[{ ...free, id: 'pro', price: 100 }, free], 'PLANS_FILE: the plan that costs 0 must stand first'],
    [[free, { ...free, price: 100 }], 'PLANS_FILE: plan "free" stands twice'],
    [
      [free, { ...free, id: 'pro', price: 100, currency: 'EUR' }],
      'PLANS_FILE: plan "pro": the provider takes DZD only',
    ],
    [
      [{ ...free, limits: { ...limits, projects: 2 ** 53 } }],
      'PLANS_FILE /0/limits/projects: must be <= 9007199254740991',
    ],
    [
      [free, { ...free, id: 'pro', price: 49 }],
      'PLANS_FILE: plan "pro": the provider takes no payment under 50 DZD',
    ],
    [[free, sold([{ months: 0, price: 500 }])], 'PLANS_FILE /1/terms/0/months: must be >= 1'],
    [[free, sold([{ months: 37, price: 500 }])], 'PLANS_FILE /1/terms/0/months: must be <= 36'],
    [[free, sold([{ months: 1.5, price: 500 }])], 'PLANS_FILE /1/terms/0/months: must be integer'],
    [[free, sold([{ months: 12, price: 0.5 }])], 'PLANS_FILE /1/terms/0/price: must be integer'],
    [[free, sold([{ months: 12 }])], 'PLANS_FILE /1/terms/0/price: is missing'],
    [
      [free, sold([{ months: 12, price: 49 }])],
      'PLANS_FILE: plan "pro": the term of 12 months: the provider takes no payment under 50 DZD',
    ],
    [
      [free, sold([{ months: 12, price: 1201 }])],
      'PLANS_FILE: plan "pro": the term of 12 months costs more than 12 single months, 1200',
    ],
    [
      [free, sold([{ months: 1, price: 99 }])],
      'PLANS_FILE: plan "pro": a term of 1 month costs what the plan costs, 100',
    ],
    [
      [
        free,
        sold([
          { months: 12, price: 900 },
          { months: 12, price: 950 },
        ]),
      ],
      'PLANS_FILE: plan "pro": the term of 12 months stands twice',
    ],
    [
      [{ ...free, terms: [{ months: 12, price: 0 }] }],
      'PLANS_FILE: plan "free": it costs nothing, so it has no terms',
    ],
  ])('that says %j is refused', (content, problem) => {
    expect(problemsOf({ PLANS_FILE: file(content) })).toContainEqual(problem)
  })

  it('may be an object that says which limits there are, in their order', () => {
    const words = { ar: 'مقاعد', fr: 'Places', en: 'Seats' }
    const definitions = {
      seats: { kind: 'gauge', per: 'region', name: words, per_name: words, unit: words },
      storage_mb: { kind: 'gauge' },
      builds: { kind: 'counter', window: 'month', name: words },
      projects: { kind: 'gauge', name: words },
    }
    const plan = { ...free, limits: { projects: 4, builds: 1, seats: 2, storage_mb: 3 } }
    const { plans } = readConfig({ PLANS_FILE: file({ limits: definitions, plans: [plan] }) })
    expect(plans.limits).toEqual([
      { name: 'seats', window: null, per: 'region', words, unit: words, perWords: words },
      { ...SEED_LIMITS.find(({ name }) => name === 'storage_mb') },
      { name: 'builds', window: 'month', per: null, words, unit: null, perWords: null },
      { name: 'projects', window: null, per: null, words, unit: null, perWords: null },
    ])
    expect(Object.keys(plans.free.limits)).toEqual(['seats', 'storage_mb', 'builds', 'projects'])
  })

  const seats = { kind: 'gauge', name: { ar: 'مقاعد', fr: 'Places', en: 'Seats' } }
  const fifty = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`seats_${n}`, seats]))
  const ofLimit = (limit: object, name = 'seats') => ({ [name]: { ...seats, ...limit } })
  it.each<[Readonly<Record<string, object>>, string]>([
    [{}, '/limits: must not have fewer than 1 properties'],
    [fifty, '/limits: must not have more than 50 properties'],
    [ofLimit({}, 'Seats'), '/limits/Seats: is no name of a limit'],
    [ofLimit({}, '__proto'), '/limits/__proto: is no name of a limit'],
    [ofLimit({}, `s${'x'.repeat(63)}`), ': is no name of a limit'],
    [ofLimit({ kind: 'meter' }), '/limits/seats/kind: must be one of counter, gauge'],
    [ofLimit({ kind: 'counter' }), '/limits/seats/window: is missing: a counter'],
    [ofLimit({ kind: 'counter', window: 'week' }), '/limits/seats/window: must be one of day, month'],
    [ofLimit({ window: 'day' }), '/limits/seats/window: is of counters only'],
    [ofLimit({ kind: 'counter', window: 'day', per: 'project' }), '/limits/seats/per: is of gauges only'],
    [ofLimit({ per: 'A region' }), '/limits/seats/per: is no name'],
    [ofLimit({ per: 'region' }), '/limits/seats/per_name: is missing'],
    [ofLimit({ per_name: seats.name }), '/limits/seats/per_name: is of limits with `per` only'],
    [{ seats: { kind: 'gauge' } }, '/limits/seats/name: is missing'],
    [{ deploys_per_day: { kind: 'counter', window: 'month' } }, '/limits/deploys_per_day/name: is missing'],
    [{ domains_per_project: { kind: 'gauge' } }, '/limits/domains_per_project/name: is missing'],
    [ofLimit({ name: { ar: 'مقاعد', en: 'Seats' } }), '/limits/seats/name/fr: is missing'],
    [ofLimit({ name: { ...seats.name, en: '' } }), '/limits/seats/name/en: must not have fewer'],
    [ofLimit({ max: 3 }), '/limits/seats/max: is not a known field'],
  ])('with limits %j is refused', (definitions, problem) => {
    expect(problemsOf({ PLANS_FILE: file({ limits: definitions, plans: [] }) }).join('\n')).toContain(problem)
  })

  it.each([
    [{ ...free, limits: {} }, 'PLANS_FILE /plans/0/limits/seats: is missing'],
    [{ ...free, limits: { seats: 1, chairs: 1 } }, 'PLANS_FILE /plans/0/limits/chairs: is not a known field'],
    [{ ...free, limits: { seats: -1 } }, 'PLANS_FILE /plans/0/limits/seats: must be >= 0'],
  ])('with a plan %j that does not have exactly its limits is refused', (plan, problem) => {
    expect(problemsOf({ PLANS_FILE: file({ limits: { seats }, plans: [plan] }) })).toContainEqual(problem)
  })

  it('that does not exist is refused', () => {
    expect(problemsOf({ PLANS_FILE: path.join(folder, 'none.json') })).toEqual([
      expect.stringMatching(/^PLANS_FILE cannot be read: ENOENT/),
    ])
  })
})

it('an empty variable leaves the default of the image, one with a value does not', () => {
  const IMAGE_DEFAULTS = 'NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data'
  const image = readConfig({ ...TEST, IMAGE_DEFAULTS, NODE_ENV: '', HOST: ' ', PORT: '4000', DATA_DIR: '' })
  expect(image).toMatchObject({ host: '0.0.0.0', port: 4000, database: { dataDir: '/data' }, sandbox: null })
  expect(problemsOf({ IMAGE_DEFAULTS, NODE_ENV: '', CHARGILY_SECRET_KEY: '' })).toEqual([
    'CHARGILY_SECRET_KEY is missing',
    'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing',
  ])
})

it('.env.example names exactly the variables of the schema, and sets none', () => {
  const example = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8')
  const lines = example.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(lines.map((line) => line.replace(/=$/, '')).sort()).toEqual(
    [...Object.keys(Environment.properties), ...SETTINGS].sort(),
  )
})

it('only an address of this machine is one, and no name that begins like it', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '[::1]'].every(isThisMachine)).toBe(true)
  expect(['127.mail.example', '127.0.0.1.example', '10.0.0.7', '[::2]'].some(isThisMachine)).toBe(false)
})
