// Every error names its variable and never the value.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { offersOf } from '../core/plan.js'
import { forPlatform, inSandbox, misspelt, readConfig, SETTINGS } from '../main/config.js'
import { ConfigError } from './config-file.js'
import { isThisMachine } from './environment.js'
import { SEED_CATALOGUE } from './plans-file.js'
import { EXAMPLE_SELLER } from './seller.js'

const SECRET = 's'.repeat(32)
const EVENTS_SECRET = `whsec_${'A'.repeat(32)}`
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

it('with nothing set the sandbox runs on the defaults of the specification', () => {
  expect(readConfig({})).toEqual({
    ...{
      host: '127.0.0.1',
      port: 3000,
      trustedProxies: [],
      corsOrigins: [],
      returnOrigins: [],
      callsPerMinute: 300,
    },
    publicUrl: 'http://127.0.0.1:3000',
    platformUrl: 'http://127.0.0.1:3000',
    platformPortalUrl: null,
    database: { dataDir: './data' },
    auth: { secrets: [] },
    oldSecrets: [],
    chargily: null,
    plans: expect.objectContaining({ free: expect.objectContaining({ id: 'free', price: 0 }) }),
    billing: { timeZone: 'Africa/Algiers', graceDays: 3, renewalWindowDays: 7, prepayMaxMonths: 24 },
    ...{ quotaTimeZone: 'Africa/Algiers', proofDays: 90 },
    ...{ platformKeys: [], operatorKeys: [], operatorRoles: {}, operatorIssuer: null, codeKeys: [] },
    seller: EXAMPLE_SELLER,
    transfers: null,
    frameAncestors: "'none'",
    sandbox: { port: 3001 },
    metrics: { host: '127.0.0.1', port: 3002 },
    ...{ logLevel: 'info', drainSeconds: 0 },
  })
  // Unknown and empty variables change nothing.
  const others = { PATH: '/bin', PORT: '', AUTH_JWT_SECRET: '  ', DATABASE_URL: undefined }
  expect(readConfig(others)).toEqual(readConfig({}))
})

it('with everything set each part gets its own', () => {
  const config = readConfig({
    ...LIVE,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://pay.example/billing/',
    PLATFORM_URL: 'https://host.example/',
    DATABASE_URL: 'postgres://ishtirak@db/ishtirak',
    DATABASE_SCHEMA: 'billing',
    AUTH_JWT_SECRET: `${SECRET}, ${OLD_SECRET}`,
    ...{ AUTH_ISSUER: 'https://host.example', AUTH_AUDIENCE: 'billing' },
    PLATFORM_API_KEYS: `${KEY}1, ${KEY}2`,
    OPERATOR_KEYS: `amina:${KEY}3,yacine:accountant:${KEY}4, lina:owner:${KEY}5, amina:${KEY}6`,
    CODE_KEYS: `${SECRET},${SECRET}2`,
    ...ISSUER,
    OPERATOR_OIDC_CLIENT_SECRET: 'hush,old',
    CHARGILY_WEBHOOK_KEYS: 'live_sk_old,live_sk_older',
    CHARGILY_API_URL: 'http://127.0.0.1:4000',
    ...{ BILLING_TIMEZONE: 'UTC', QUOTA_TIMEZONE: 'Europe/Paris', GRACE_DAYS: '0' },
    EVENTS_URL: 'https://host.example/events',
    EVENTS_SECRETS: `${EVENTS_SECRET},whsec_${'B'.repeat(43)}=`,
    ...{ SMTP_URL: 'smtps://user:password@mail.example', MAIL_FROM: 'Billing <billing@host.example>' },
    ...{ OPERATOR_MAIL: 'amina@host.example, lina@host.example', OPERATOR_MAIL_LOCALE: 'fr' },
    PORTAL_FRAME_ANCESTORS: 'self, https://host.example',
  })
  expect(config).toMatchObject({
    publicUrl: 'https://pay.example/billing',
    platformUrl: 'https://host.example',
    database: { url: 'postgres://ishtirak@db/ishtirak', schema: 'billing' },
    auth: { secrets: [SECRET, OLD_SECRET], issuer: 'https://host.example', audience: 'billing' },
    chargily: { secretKey: 'live_sk_hush', webhookKeys: ['live_sk_old', 'live_sk_older'] },
    billing: { timeZone: 'UTC', graceDays: 0 },
    operatorIssuer: { clientSecrets: ['hush', 'old'], roleClaim: 'realm_access.roles' },
    operatorMail: { to: ['amina@host.example', 'lina@host.example'], locale: 'fr' },
    ...{ quotaTimeZone: 'Europe/Paris', proofDays: 90 },
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
      secrets: [EVENTS_SECRET, `whsec_${'B'.repeat(43)}=`],
      reach: 'public',
    },
    smtpUrl: 'smtps://user:password@mail.example',
    mailFrom: { name: 'Billing', address: 'billing@host.example' },
    frameAncestors: "'self' https://host.example",
    oldSecrets: [
      { list: 'AUTH_JWT_SECRET', holder: null, place: 2, of: 2, secret: OLD_SECRET },
      { list: 'PLATFORM_API_KEYS', place: 2, of: 2, secret: `${KEY}2` },
      { list: 'CODE_KEYS', secret: `${SECRET}2` },
      { list: 'OPERATOR_OIDC_CLIENT_SECRET', secret: 'old' },
      { list: 'OPERATOR_KEYS', holder: 'amina', secret: `${KEY}6` },
      ...['live_sk_old', 'live_sk_older'].map((secret) => ({ list: 'CHARGILY_WEBHOOK_KEYS', secret })),
    ],
    seller: { identity: { nif: expect.any(String) } },
    sandbox: null,
  })
})

it('lets events out to the internet only, in the sandbox to this machine, and elsewhere when allowed', () => {
  const reach = (variables: object) =>
    readConfig({ EVENTS_URL: 'http://127.0.0.1/events', EVENTS_SECRETS: EVENTS_SECRET, ...variables }).events
      ?.reach
  expect(reach(TEST)).toBe('public')
  expect(reach({ ...TEST, EVENTS_ALLOW_PRIVATE: 'false' })).toBe('public')
  expect(reach({ ...TEST, EVENTS_ALLOW_PRIVATE: 'true' })).toBe('any')
  expect(reach({})).toBe('loopback')
})

const SHORT = 'hush'.repeat(7) // 28 bytes
const REFUSED: Record<string, readonly string[]> = {
  HOST: ['two words'],
  PORT: ['65536', '-1', '3000.5', '0x10'],
  RATE_LIMIT_PER_MINUTE: ['0'],
  PUBLIC_URL: ['pay.example', 'ftp://pay.example'],
  PLATFORM_URL: ['javascript:alert(1)'],
  DATABASE_URL: ['mysql://db'],
  AUTH_JWT_SECRET: [SHORT, `${SECRET},`, `${SECRET},,${SECRET}2`, `${SECRET}, ${SHORT}`],
  AUTH_JWKS_URL: ['keys.json'],
  PLATFORM_API_KEYS: ['hush', `${KEY},`, `${KEY},hush`],
  OPERATOR_KEYS: [KEY, `amina:${KEY},,yacine:${KEY}2`, 'amina:hush', 'amina:viewer:hush'],
  OPERATOR_OIDC_CLIENT_SECRET: ['hush,'],
  OPERATOR_OIDC_ISSUER: ['sso.host.example'],
  OPERATOR_OIDC_ROLE_CLAIM: ['two words'],
  CODE_KEYS: [`${SECRET},`, SHORT],
  CHARGILY_SECRET_KEY: ['sk_hush', 'test_pk_hush', 'test_sk_', 'test_sk_hush hush'],
  CHARGILY_WEBHOOK_KEYS: ['hush', 'test_sk_hush,'],
  CHARGILY_API_URL: ['pay.chargily.net', 'ftp://hush'],
  BILLING_TIMEZONE: ['Africa/Nowhere'],
  QUOTA_TIMEZONE: ['+1'],
  GRACE_DAYS: ['32'],
  RENEWAL_WINDOW_DAYS: ['29'],
  PREPAY_MAX_MONTHS: ['0'],
  EVENTS_SECRETS: [
    ...['hush', `${EVENTS_SECRET},`, `${EVENTS_SECRET},whsec_${'A'.repeat(34)}`],
    ...[28, 33, 43].map((length) => `whsec_${'A'.repeat(length)}`),
  ],
  EVENTS_ALLOW_PRIVATE: ['hush'],
  SMTP_URL: ['mail.example'],
  MAIL_FROM: ['Billing billing@host.example'],
  OPERATOR_MAIL: ['Amina <amina@host.example>', 'amina@host.example;hush'],
  OPERATOR_MAIL_LOCALE: ['de'],
  PORTAL_FRAME_ANCESTORS: ['self; script-src *'],
  LOG_LEVEL: ['loud'],
  NODE_ENV: ['hush hush'],
}

it('a value that does not fit is refused by its name, and not shown', () => {
  const taken = Object.entries(REFUSED).flatMap(([name, values]) =>
    values.filter((value) => {
      const problems = problemsOf({ [name]: value })
      const isNamed = problems.some((problem) => new RegExp(`^${name} must be .{6}`).test(problem))
      return !isNamed || problems.join().includes('hush')
    }),
  )
  expect(taken).toEqual([])
  expect(() => readConfig({ PORT: 'x', GRACE_DAYS: 'x' })).toThrow(
    'the configuration is not usable:\n  - PORT must be a whole number from 0 to 65535\n  - ' +
      'GRACE_DAYS must be a whole number from 0 to 31',
  )
})

it('the sandbox shows the secret of events that it has made, and none that was given', () => {
  const made = Buffer.from('thirty bytes of this one test.').toString('base64url')
  const shown = (variables: Record<string, string>) => {
    const config = readConfig({ EVENTS_URL: 'http://127.0.0.1:4000', ...variables })
    return forPlatform(config, { ...config, ...inSandbox(config, () => made) }).EVENTS_SECRET
  }
  expect(shown({})).toBe('whsec_dGhpcnR5IGJ5dGVzIG9mIHRoaXMgb25lIHRlc3Qu')
  expect(shown({ EVENTS_SECRETS: EVENTS_SECRET })).toBeUndefined()
})

it('everything that is wrong is reported at once: values, secrets, contradictions, files', () => {
  expect(
    problemsOf({
      NODE_ENV: 'production',
      PORT: 'x',
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
    'PLANS_FILE cannot be read: ENOENT (/nowhere/plans.json)',
    'SELLER_FILE cannot be read: ENOENT (/nowhere/seller.json)',
    'TRANSFER_FILE cannot be read: ENOENT (/nowhere/transfer.json)',
  ])
  // A contradiction is reported once all values are valid.
  const wrongKey = { ...TEST, CHARGILY_SECRET_KEY: 'sk_x', CHARGILY_WEBHOOK_KEYS: 'test_sk_a' }
  expect(problemsOf(wrongKey)).toEqual([expect.stringContaining('CHARGILY_SECRET_KEY must be a key')])
})

it('a misspelt variable is mentioned with the name that may be meant; those of others are not', () => {
  const ofOthers = { PATH: '/', HOSTNAME: 'a', LOGNAME: 'b', LANG: 'C', ISHTIRAK_URL: 'x', OPERATOR_KEY: 'x' }
  const meant = { DATABASE_URI: 'x', AUTH_JWT_SECRTE: 'x', ISHTIRAK_PORT: '1', DATABASE_URL: 'x' }
  expect(misspelt({ ...meant, ...ofOthers })).toEqual([
    { name: 'DATABASE_URI', nearest: 'DATABASE_URL' },
    { name: 'AUTH_JWT_SECRTE', nearest: 'AUTH_JWT_SECRET' },
    { name: 'ISHTIRAK_PORT', nearest: 'PORT' },
  ])
})

const MAIL = { SMTP_URL: 'smtp://127.0.0.1', OPERATOR_MAIL: 'amina@host.example' }
const PATH_ALONE = 'CHARGILY_API_URL must have no user, no query and no fragment'
const IN_CLEAR = 'CHARGILY_API_URL must start with https:// for a live key, unless it is on this machine'
const CONTRADICTIONS: readonly (readonly [Record<string, string>, string])[] = [
  [{ ...TEST, AUTH_JWKS_URL: 'https://k' }, 'only one of AUTH_JWT_SECRET and AUTH_JWKS_URL may be set'],
  [{ CHARGILY_SECRET_KEY: 'test_sk_hush' }, 'AUTH_JWT_SECRET or AUTH_JWKS_URL is missing'],
  [{ CHARGILY_API_URL: 'http://127.0.0.1:4000' }, 'CHARGILY_API_URL is set, CHARGILY_SECRET_KEY is not'],
  [{ CHARGILY_WEBHOOK_KEYS: 'test_sk_hush' }, 'CHARGILY_WEBHOOK_KEYS is set, CHARGILY_SECRET_KEY is not'],
  [{ ...LIVE, PUBLIC_URL: 'http://pay.example' }, 'PUBLIC_URL must start with https:// when real'],
  [{ PUBLIC_URL: 'https://pay.example/?a=1' }, 'PUBLIC_URL must have no query and no fragment'],
  [{ ...TEST, EVENTS_URL: 'https://host.example' }, 'EVENTS_SECRETS is missing: EVENTS_URL is set'],
  [{ EVENTS_SECRETS: EVENTS_SECRET }, 'EVENTS_URL is missing: EVENTS_SECRETS is set'],
  [{ ...MAIL, SMTP_URL: '' }, 'SMTP_URL is missing: OPERATOR_MAIL is set'],
  [{ ...TEST, ...MAIL }, 'OPERATOR_KEYS is missing: the mail to OPERATOR_MAIL links to the console'],
  [{ OPERATOR_KEYS: `amina:${KEY},yacine:${KEY}` }, 'OPERATOR_KEYS names one key twice'],
  [{ OPERATOR_KEYS: `amina:${KEY},amina:viewer:${KEY}2` }, 'OPERATOR_KEYS gives one name two roles'],
  [{ OPERATOR_KEYS: `amina:admin:${KEY}` }, 'OPERATOR_KEYS names a role that is neither built in'],
  [{ OPERATOR_ROLES: 'night=' }, 'OPERATOR_ROLES: role 1 (night) is empty'],
  [{ ...LIVE, CHARGILY_WEBHOOK_KEYS: 'test_sk_old' }, 'CHARGILY_WEBHOOK_KEYS must be of the mode'],
  [{ ...TEST, CHARGILY_API_URL: 'http://user:pw@x' }, PATH_ALONE],
  [{ ...TEST, CHARGILY_API_URL: 'https://x/?a=b' }, PATH_ALONE],
  [{ ...TEST, CHARGILY_API_URL: 'https://x/#a' }, PATH_ALONE],
  [{ ...LIVE, CHARGILY_API_URL: 'http://10.0.0.7' }, IN_CLEAR],
  [{ ...LIVE, CHARGILY_API_URL: 'http://127.example' }, IN_CLEAR],
  [{ ...ISSUER, OPERATOR_OIDC_ROLE_CLAIM: '' }, 'OPERATOR_OIDC_ROLE_CLAIM is missing: all four'],
  [{ ...ISSUER, OPERATOR_OIDC_ISSUER: 'http://sso.example' }, 'ISSUER must start with https:// unless'],
  [{ ...ISSUER, OPERATOR_OIDC_ISSUER: 'https://sso.example/?a=1' }, 'ISSUER must have no query'],
  [{ ...LIVE, SELLER_FILE: '' }, 'SELLER_FILE is missing: receipts of real money name their seller'],
  [{ ...TEST, METRICS_HOST: '0.0.0.0' }, 'METRICS_HOST is set, METRICS_PORT is not'],
]

it('values that are right alone and wrong together are refused', () => {
  for (const [variables, problem] of CONTRADICTIONS)
    expect.soft(problemsOf(variables), problem).toEqual([expect.stringContaining(problem)])
  // A live key is accepted on loopback, and operators who get mail have a console.
  const fits: readonly Record<string, string>[] = [
    ...['127.0.0.1', 'localhost', '[::1]'].map((host) => ({ ...LIVE, PUBLIC_URL: `http://${host}:3000` })),
    MAIL,
    { ...TEST, ...MAIL, OPERATOR_KEYS: `amina:${KEY}` },
    { ...TEST, ...MAIL, ...ISSUER },
  ]
  expect(fits.flatMap(problemsOf)).toEqual([])
})

it('no list names one secret twice', () => {
  for (const [name, secrets] of Object.entries({
    AUTH_JWT_SECRET: `${SECRET}, ${SECRET}`,
    PLATFORM_API_KEYS: `${KEY},${KEY}2,${KEY}`,
    OPERATOR_OIDC_CLIENT_SECRET: 'hush,hush',
    CODE_KEYS: `${SECRET},${SECRET}`,
    CHARGILY_WEBHOOK_KEYS: 'test_sk_old,test_sk_old',
    EVENTS_SECRETS: `${EVENTS_SECRET},${EVENTS_SECRET}`,
  })) {
    const events = { EVENTS_URL: 'https://host.example', EVENTS_SECRETS: EVENTS_SECRET }
    const problems = problemsOf({ ...TEST, ...ISSUER, ...events, [name]: secrets })
    expect.soft(problems).toEqual([`${name} names one secret twice`])
  }
})

it('addresses and ports follow from HOST and PORT; the metrics are off without METRICS_PORT', () => {
  expect(readConfig(TEST).metrics).toBeNull()
  expect(readConfig({ ...TEST, METRICS_PORT: '9090' }).metrics).toEqual({ host: '127.0.0.1', port: 9090 })
  for (const [variables, publicUrl, port] of [
    [{ HOST: '0.0.0.0', PORT: '80' }, 'http://127.0.0.1:80', 81],
    [{ HOST: '::1' }, 'http://[::1]:3000', 3001],
    [{ PORT: '0' }, 'http://127.0.0.1:0', 0],
    [{ PORT: '65535' }, 'http://127.0.0.1:65535', 0],
    [{ SANDBOX_PORT: '4000' }, 'http://127.0.0.1:3000', 4000],
  ] as const) {
    const config = readConfig(variables)
    expect.soft(config).toMatchObject({ publicUrl, platformUrl: publicUrl, sandbox: { port } })
  }
})

const folder = temporaryFolder()

const limits = { projects: 1, domains_per_project: 1, deploys_per_day: 1, storage_mb: 1 }
const free = { id: 'free', name: 'Free', price: 0, currency: 'DZD', limits }
const pro = (changes: object = {}) => ({ ...free, id: 'pro', price: 100, ...changes })

function plansFile(content: unknown) {
  const PLANS_FILE = path.join(folder, 'plans.json')
  writeFileSync(PLANS_FILE, typeof content === 'string' ? content : JSON.stringify(content))
  return { PLANS_FILE }
}

it('PLANS_FILE brings plans in their order, with terms in any order, which may name the single month', () => {
  const terms = [36, 1, 2].map((months) => ({ months, price: months === 36 ? 3000 : months * 100 }))
  const { plans } = readConfig(plansFile([free, pro({ terms }), pro({ id: 'team', price: 9000 })])).plans
  expect(plans.map(({ id }) => id)).toEqual(['free', 'pro', 'team'])
  const offers = plans.slice(1, 2).flatMap(offersOf)
  const sold = offers.map(({ months, price }) => `${months}: ${price.amount}`)
  expect(sold).toEqual(['1: 100', '2: 200', '36: 3000'])
})

it('a PLANS_FILE whose plans cannot be sold is refused, with the place', () => {
  const of = (changes: object) => [{ ...free, ...changes }]
  const sold = (changes: object) => [free, pro(changes)]
  const term = (months: unknown, price?: unknown) => sold({ terms: [{ months, price }] })
  const [NO_LESS, OF_12] = ['the provider takes no payment under 50 DZD', 'plan "pro": the term of 12 months']
  for (const [content, problem] of [
    ['{', / is not JSON: /],
    [[], ' /: must not have fewer than 1 items'],
    [of({ price: 0.5 }), ' /0/price: must be integer'],
    [of({ limits: { ...limits, storage_gb: 1 } }), ' /0/limits/storage_gb: is not a known field'],
    [of({ name: 'Free\u0000' }), / \/0\/name: must match pattern/],
    [of({ price: 100 }), ': no plan costs 0: users who never paid need one'],
    [sold({ price: 0 }), ': more than one plan costs 0'],
    [[pro(), free], ': the plan that costs 0 must stand first'],
    [sold({ id: 'free' }), ': plan "free" stands twice'],
    [sold({ currency: 'EUR' }), ': plan "pro": the provider takes DZD only'],
    [of({ limits: { ...limits, projects: 2 ** 53 } }), ' /0/limits/projects: must be <= 9007199254740991'],
    [sold({ price: 49 }), `: plan "pro": ${NO_LESS}`],
    [term(0, 500), ' /1/terms/0/months: must be >= 1'],
    [term(12, 49), `: ${OF_12}: ${NO_LESS}`],
    [term(12, 1201), `: ${OF_12} costs more than 12 single months, 1200`],
    [term(1, 99), ': plan "pro": a term of 1 month costs what the plan costs, 100'],
    [sold({ terms: [900, 950].map((price) => ({ months: 12, price })) }), `: ${OF_12} stands twice`],
    [of({ terms: [{ months: 12, price: 0 }] }), ': plan "free": it costs nothing, so it has no terms'],
    [of({ trial_days: 14 }), ': plan "free": it costs nothing, so it has no trial'],
    [sold({ trial_days: 0 }), ' /1/trial_days: must be >= 1'],
    [sold({ trial_days: 91 }), ' /1/trial_days: must be <= 90'],
  ] as const) {
    const problems = problemsOf(plansFile(content)).map((one) => one.replace('PLANS_FILE', ''))
    const expected = typeof problem === 'string' ? problem : expect.stringMatching(problem)
    expect.soft(problems, String(problem)).toContainEqual(expected)
  }
})

it('PLANS_FILE may be an object that says which limits there are, in their order', () => {
  const words = { ar: 'مقاعد', fr: 'Places', en: 'Seats' }
  const definitions = {
    seats: { kind: 'gauge', per: 'region', name: words, per_name: words, unit: words },
    storage_mb: { kind: 'gauge' },
    builds: { kind: 'counter', window: 'month', name: words },
    projects: { kind: 'gauge', name: words },
  }
  const plan = { ...free, limits: { projects: 4, builds: 1, seats: 2, storage_mb: 3 } }
  const { plans } = readConfig(plansFile({ limits: definitions, plans: [plan] }))
  expect(plans.limits).toEqual([
    { name: 'seats', window: null, per: 'region', words, unit: words, perWords: words },
    { ...SEED_CATALOGUE.limits.find(({ name }) => name === 'storage_mb') },
    { name: 'builds', window: 'month', per: null, words, unit: null, perWords: null },
    { name: 'projects', window: null, per: null, words, unit: null, perWords: null },
  ])
  expect(Object.keys(plans.free.limits)).toEqual(['seats', 'storage_mb', 'builds', 'projects'])
})

it('limits that are no limits, or that a plan does not have exactly, are refused, with the place', () => {
  const seats = { kind: 'gauge', name: { ar: 'مقاعد', fr: 'Places', en: 'Seats' } }
  const fifty = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`seats_${n}`, seats]))
  const ofLimit = (limit: object, name = 'seats') => ({ [name]: { ...seats, ...limit } })
  for (const [definitions, problem] of [
    [{}, ': must not have fewer than 1 properties'],
    [fifty, ': must not have more than 50 properties'],
    [ofLimit({}, 'Seats'), '/Seats: is not the name of a limit'],
    [ofLimit({}, '__proto'), '/__proto: is not the name of a limit'],
    [ofLimit({ kind: 'meter' }), '/seats/kind: must be one of counter, gauge'],
    [ofLimit({ kind: 'counter' }), '/seats/window: is missing: a counter'],
    [ofLimit({ window: 'day' }), '/seats/window: is for counters only'],
    [ofLimit({ kind: 'counter', window: 'day', per: 'project' }), '/seats/per: is for gauges only'],
    [ofLimit({ per: 'A region' }), '/seats/per: is not a name'],
    [ofLimit({ per: 'region' }), '/seats/per_name: is missing'],
    [ofLimit({ per_name: seats.name }), '/seats/per_name: is for limits with `per` only'],
    [{ seats: { kind: 'gauge' } }, '/seats/name: is missing'],
    [{ deploys_per_day: { kind: 'counter', window: 'month' } }, '/deploys_per_day/name: is missing'],
    [{ domains_per_project: { kind: 'gauge' } }, '/domains_per_project/name: is missing'],
    [ofLimit({ name: { ar: 'مقاعد', en: 'Seats' } }), '/seats/name/fr: is missing'],
    [ofLimit({ max: 3 }), '/seats/max: is not a known field'],
  ] as const) {
    const problems = problemsOf(plansFile({ limits: definitions, plans: [] })).join('\n')
    expect.soft(problems).toContain(`/limits${problem}`)
  }
  for (const [ofPlan, problem] of [
    [{}, 'seats: is missing'],
    [{ seats: 1, chairs: 1 }, 'chairs: is not a known field'],
    [{ seats: -1 }, 'seats: must be >= 0'],
  ] as const) {
    const problems = problemsOf(plansFile({ limits: { seats }, plans: [{ ...free, limits: ofPlan }] }))
    expect.soft(problems).toContainEqual(`PLANS_FILE /plans/0/limits/${problem}`)
  }
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
  expect(lines.map((line) => line.replace(/=$/, '')).sort()).toEqual(SETTINGS.toSorted())
})

it('only an address of this machine is one, and no name that begins like it', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '[::1]'].every(isThisMachine)).toBe(true)
  expect(['127.mail.example', '127.0.0.1.example', '10.0.0.7', '[::2]'].some(isThisMachine)).toBe(false)
})
