import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { fastify } from 'fastify'
import { register } from 'prom-client'
import { Settings } from 'typebox/system'
import { dropPostgres, emptyPostgresUrl } from '../../../../test/support/databases.js'
import { listen } from '../../../../test/support/listen.js'
import { jpeg } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { CHARGILY_KEY, checkoutIdOf } from '../../../../test/support/world.js'
import { type Emulator, startEmulator } from '../../../chargily-emulator/src/emulator.js'
import { createClient } from '../../../client/src/index.js'
import { REQUEST_TIMEOUT_MS } from '../http/app.js'
import { readConfig } from './config.js'
import {
  BillingError,
  createIshtirak,
  type HostEvent,
  type Ishtirak,
  type IshtirakOptions,
} from './create-ishtirak.js'
import { openConfigured } from './serve.js'

/** It brings no types. */
const express = createRequire(import.meta.url)('express')

type Identify = NonNullable<IshtirakOptions['identify']>

const ORIGIN = 'http://platform.localhost'
/** Variables that a host may have in its own environment, and that no service could run with. */
const OF_A_PROCESS = {
  ...{ PORT: 'none', NODE_ENV: 'production', DATABASE_URL: 'mysql://' },
  AUTH_JWT_SECRET: 'x',
}
const STATUS = '/api/v1/billing/status'
const UPGRADE = '/api/v1/billing/upgrade'

let emulator: Emulator
let databaseUrl: string
beforeAll(async () => {
  databaseUrl = await emptyPostgresUrl()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(async () => {
  await emulator.close()
  await dropPostgres(databaseUrl)
})

let lines: string[]
const usual: Identify = ({ headers }) => ({ userId: String(headers['x-user']) })
let identify = usual
beforeEach(async () => {
  lines = []
  identify = usual
  await emulator.reset()
})

/** `url` is that of the host. Users are those of the header `x-user`, unless a test says otherwise. */
async function open(url: string, options: Partial<IshtirakOptions> = {}): Promise<Ishtirak> {
  const ishtirak = await createIshtirak({
    database: { url: databaseUrl, maxConnections: 2 },
    schema: 'billing',
    identify: (request) => identify(request),
    log: (line) => void lines.push(line),
    ...options,
    config: {
      PUBLIC_URL: `${url}/billing`,
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: emulator.url,
      ...options.config,
    },
  })
  await ishtirak.migrate()
  return ishtirak
}

async function make(url: string, options?: Partial<IshtirakOptions>): Promise<Ishtirak> {
  const ishtirak = await open(url, options)
  onTestFinished(() => ishtirak.stop())
  return ishtirak
}

/** A port first, since the address goes into the configuration. */
let url: string
let serve: (listener: RequestListener) => void
/** One that does not listen, and one that does once a test serves it; both for all tests. */
let plain: Ishtirak
let listening: Ishtirak
beforeAll(async () => {
  let current: RequestListener = (_request, response) => response.writeHead(500).end()
  const server = createServer((request, response) => current(request, response))
  const listener = await listen(server)
  url = listener.url
  serve = (listener) => {
    current = listener
  }
  plain = await open(ORIGIN, { config: OF_A_PROCESS })
  listening = await open(url, { config: { TRANSFER_FILE } })
  return async () => {
    await plain.stop()
    await listening.stop()
    await listener[Symbol.asyncDispose]()
  }
})

async function call(url: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = { method, headers: { 'x-user': 'amine', ...type, ...headers } }
  const response = await fetch(url, body === undefined ? sent : { ...sent, body: JSON.stringify(body) })
  const text = await response.text()
  const { status, headers: answered } = response
  return { status, headers: answered, text, body: /^[{[]/.test(text) ? JSON.parse(text) : null }
}

async function buy(base: string, user: string): Promise<void> {
  const { body } = await call(`${base}${UPGRADE}`, 'POST', { plan: 'pro' }, { 'x-user': user })
  const back = emulator.checkouts().at(-1)?.success_url
  expect(back).toBe(`${base}/portal/return/${body.payment_id}`)
  await emulator.pay(checkoutIdOf(body.checkout_url), 'paid', 'cib')
  await emulator.settled()
}

describe('its configuration', () => {
  it('is what it is given, without the environment, and all that is missing is named', async () => {
    vi.stubEnv('PUBLIC_URL', 'http://elsewhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    const made = createIshtirak({ database: { url: databaseUrl }, config: {} })
    const missing = ['PUBLIC_URL', 'CHARGILY_SECRET_KEY', 'AUTH_JWT_SECRET or AUTH_JWKS_URL']
    const lines = missing.map((one) => `${one} is missing`)
    await expect(made).rejects.toThrow(new RegExp(`${lines.join('\n.*')}$`))
    expect(plain.billing.plans().map(({ id }) => id)).toEqual(['free', 'pro'])
  })

  it('is refused where nothing could be served with it', async () => {
    const EVENTS_SECRETS = `whsec_${'A'.repeat(32)}`
    const config = { EVENTS_URL: 'https://platform.example/events', EVENTS_SECRETS }
    const schemas = ['a"; drop', '', 'pg_own', 'information_schema', null as never]
    const refused: readonly (readonly [Partial<IshtirakOptions>, string])[] = [
      [{ config, onEvent: () => {} }, 'EVENTS_URL is set and onEvent is given'],
      // No request carries it.
      [{ prefix: 'billing' }, 'with a slash'],
      // The addresses that it gives out would not lead to it.
      [{ prefix: '/pay' }, 'PUBLIC_URL must end with /pay'],
      ...schemas.map((schema) => [{ schema }, 'a schema is named by'] as const),
    ]
    for (const [options, refusal] of refused)
      await expect(make(ORIGIN, options), JSON.stringify(options)).rejects.toThrow(refusal)
    const host = fastify().register(plain.fastify, { prefix: '/pay' })
    await expect(host).rejects.toThrow('PUBLIC_URL must end with /pay')
  })
})

it('two live in one process, on two schemas of one database', async () => {
  const named = (name: string, schema: string) =>
    make(url, { schema, config: { PUBLIC_URL: `${url}/${name}` } })
  const one = await named('one', 'billing')
  const other = await named('other', 'shop')
  serve((request, response) => one.listener(request, response, () => other.listener(request, response)))
  await buy(`${url}/one`, 'two')
  const statusAt = async (name: string) => (await call(`${url}/${name}${STATUS}`, 'GET', undefined, TWO)).body
  expect(await statusAt('one')).toMatchObject({ plan: 'pro', payment_method: 'cib' })
  expect(await statusAt('other')).toMatchObject({ plan: 'free' })
  const counts = async (DATABASE_SCHEMA: string) => {
    const database = await openConfigured(readConfig({ DATABASE_URL: databaseUrl, DATABASE_SCHEMA }))
    onTestFinished(() => database.close())
    return database.query(payments)
  }
  expect([await counts('billing'), await counts('shop')]).toEqual([[{ count: 1 }], [{ count: 0 }]])
})
const TWO = { 'x-user': 'two' }
const payments = sql(`select count(*) as count from payments where user_id = 'two'`)

it('touches nothing that a process has once, calls onEvent, and stopped answers no more', async () => {
  const global = () => ({
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    metrics: register.getMetricsAsArray().length,
    faults: Settings.Get(),
    variables: Object.keys(globalThis).length,
  })
  const before = global()
  const types: string[] = []
  const onEvent = ({ type, data }: HostEvent) => void (data.user_id === 'heard' && types.push(type))
  const ishtirak = await make(url, { onEvent })
  serve(ishtirak.listener)
  await buy(`${url}/billing`, 'heard')
  await ishtirak.start()
  await expect.poll(() => types).toEqual(['payment.paid', 'subscription.activated'])
  await expect(ishtirak.billing.consume('amine', 'projects', { amount: 0 } as never)).rejects.toThrow()
  expect(global()).toEqual(before)
  expect((await ishtirak.metrics()).text).toMatch(/^# HELP http_request_duration_seconds/)
  expect((await ishtirak.metrics()).text).not.toContain('process_cpu')
  await ishtirak.stop()
  await ishtirak.stop()
  expect((await ishtirak.fetch(new Request(`${url}/billing/readyz`))).status).toBe(503)
  const refused = ishtirak.billing.status('amine')
  await expect(refused).rejects.toBeInstanceOf(BillingError)
  await expect(refused).rejects.toMatchObject({ code: 'database_unavailable' })
})

describe('identify', () => {
  const ask = async (answer: Identify, headers: Record<string, string> = { 'x-user': 'amine' }) => {
    identify = answer
    const request = new Request(`${ORIGIN}/billing${STATUS}`, { headers })
    const response = await plain.fetch(request)
    return { status: response.status, headers: response.headers, body: await response.json(), request }
  }

  it('is asked with the request and the host’s own', async () => {
    const questions: unknown[] = []
    const { status, request } = await ask((question) => {
      questions.push(question)
      return { userId: 'amine' }
    })
    expect(status).toBe(200)
    const headers = expect.objectContaining({ 'x-user': 'amine', host: 'platform.localhost' })
    const asked = { method: 'GET', url: STATUS, address: '0.0.0.0', headers, host: request }
    expect(questions).toEqual([asked])
  })

  it('is told the client’s address, by the proxies that are trusted', async () => {
    const addresses: string[] = []
    identify = ({ address }) => {
      addresses.push(address)
      return null
    }
    const ishtirak = await make(ORIGIN, { config: { TRUSTED_PROXIES: '10.0.0.0/8' }, prefix: '' })
    const headers = { 'x-forwarded-for': '105.96.0.7' }
    const request = new Request(`${ORIGIN}${STATUS}`, { headers })
    await ishtirak.fetch(request, { clientAddress: '10.1.2.3' })
    await ishtirak.fetch(request, { clientAddress: '41.1.2.3' })
    await ishtirak.fetch(request)
    expect(addresses).toEqual(['105.96.0.7', '41.1.2.3', '0.0.0.0'])
  })

  it('knows no user: 401; fails: 503, to be tried again; gives an id that cannot be one: 500', async () => {
    for (const anonymous of [null, undefined as never]) expect((await ask(() => anonymous)).status).toBe(401)
    const { status, headers, body } = await ask(() => Promise.reject(new Error('no session store')))
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '5', 'authentication_unavailable'])
    expect(lines.join()).toContain('no session store')
    expect((await ask(() => ({ userId: 'a\nb' }))).status).toBe(500)
    expect(lines.join()).toContain('identify gave a userId that cannot be one')
  })
})

describe('in Express', () => {
  it('behind a parser a body gets 500, and the log says what to do', async () => {
    serve(express().use(express.json()).use('/billing', listening.listener))
    const refused = await call(`${url}/billing${UPGRADE}`, 'POST', { plan: 'pro' })
    expect([refused.status, refused.body.code]).toEqual([500, 'internal_error'])
    expect(lines.join()).toContain('mount Ishtirak before the parsers of bodies')
    // What has no body needs no parser.
    expect((await call(`${url}/billing${STATUS}`)).status).toBe(200)
  })

  it('what is not under the prefix goes on', async () => {
    const app = express().use(listening.listener)
    app.get('/billings', ({ url: path }: IncomingMessage, response: ServerResponse) => response.end(path))
    serve(app)
    expect((await call(`${url}/billings`)).text).toBe('/billings')
    const front = await call(`${url}/billing`, 'GET', undefined, { accept: 'text/html' })
    expect(front.text).toContain('href="/billing/portal"')
  })
})

it('a host’s Fastify keeps its parsers, errors, headers and addresses', async () => {
  const host = fastify()
  const seen: string[] = []
  host.addHook('onRequest', async (_request, reply) => void reply.header('x-host', 'platform'))
  host.addHook('onResponse', async (request) => void seen.push(`${request.method} ${request.url}`))
  const ishtirak = await make(url)
  await host.register(ishtirak.fastify, { prefix: '/billing' })
  host.post('/text', () => 'read')
  host.get('/broken', () => {
    throw new Error('the host’s own')
  })
  onTestFinished(() => host.close())
  const at = await host.listen({ port: 0 })
  expect((await call(`${at}/billing${STATUS}?a=1`)).headers.get('x-host')).toBe('platform')
  const refused = { code: 'not_found', instance: '/billing/nothing' }
  expect((await call(`${at}/billing/nothing`)).body).toMatchObject(refused)
  expect(await call(`${at}/billing/healthz`, 'HEAD')).toMatchObject({ status: 200, text: '' })
  expect((await call(`${at}/broken`)).body).toMatchObject({ statusCode: 500, message: 'the host’s own' })
  expect((await call(`${at}/nothing`)).body).toMatchObject({ error: 'Not Found', statusCode: 404 })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await call(`${at}/text`, 'POST', {}, form)).status).toBe(415)
  expect((await call(`${at}/text`, 'POST', { __proto__: null, a: '\\u0000' })).status).toBe(200)
  const known = [`GET /billing${STATUS}?a=1`, 'GET /billing/nothing', 'HEAD /billing/healthz']
  expect(seen.slice(0, 3)).toEqual(known)
})

it('fetch answers 404 outside of its prefix, and refuses a body that was read', async () => {
  expect((await plain.fetch(new Request(`${ORIGIN}/other`))).status).toBe(404)
  const request = new Request(`${ORIGIN}/billing${UPGRADE}`, { method: 'POST', body: '{}' })
  await request.text()
  await expect(plain.fetch(request)).rejects.toThrow('has read the body')
})

it('fetch answers a body that breaks off or never ends as the client’s fault', async () => {
  const ask = (source: UnderlyingDefaultSource, signal: AbortSignal | null = null) => {
    const headers = { 'x-user': 'amine', 'content-type': 'application/json' }
    // It is pulled when it is read.
    const body = new ReadableStream(source, { highWaterMark: 0 })
    const sent = { method: 'POST', headers, body, duplex: 'half', signal }
    return plain.fetch(new Request(`${ORIGIN}/billing${UPGRADE}`, sent))
  }
  expect((await ask({ start: (controller) => controller.error(new Error('gone')) })).status).toBe(400)
  const caller = new AbortController()
  expect((await ask({ pull: () => caller.abort() }, caller.signal)).status).toBe(400)
  await expect(ask({ pull: () => {} }, caller.signal)).rejects.toThrow('aborted')
  expect(lines).toEqual([])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = await ask({ pull: () => void vi.advanceTimersByTime(REQUEST_TIMEOUT_MS) })
  expect(answer.status).toBe(408)
})

describe('the calls without HTTP', () => {
  it('give what the API answers', async () => {
    serve(listening.listener)
    const { billing } = listening
    const opened = await billing.upgrade({ userId: 'amine', locale: 'fr' }, { plan: 'pro' })
    await emulator.pay(checkoutIdOf(opened.checkout_url), 'paid', 'edahabia')
    await emulator.settled()
    const get = async (where: string) => (await call(`${url}/billing/api/v1/billing${where}`)).body
    const operation = { operation_id: 'p1' }
    expect(await billing.consume('amine', 'projects', operation)).toMatchObject({ used: 1, limit: 10 })
    expect(await billing.release('amine', 'projects', operation)).toMatchObject({ used: 0 })
    await billing.reportUsage('amine', 'storage_mb', { used: 7 })
    await billing.updateUser('amine', { name: 'Amine' })
    expect(await billing.user('amine')).toMatchObject({ plan: 'pro', usage: { storage_mb: 7 } })
    const { payment_id } = opened
    const given = [
      ...[billing.status('amine'), billing.payments('amine', { limit: 1 }), billing.overview('amine')],
      ...[billing.payment('amine', payment_id), billing.plans()],
    ]
    const paths = ['/status', '/payments?limit=1', '/overview', `/payments/${payment_id}`, '/plans']
    // The host is the platform, which sees its notes at a payment.
    const notNoted = (name: string, value: unknown) => (name === 'metadata' ? undefined : value)
    const seenByUser = JSON.parse(JSON.stringify(await Promise.all(given), notNoted))
    expect(seenByUser).toEqual(await Promise.all(paths.map(get)))
    expect((await billing.openPortal({ userId: 'amine' })).url).toMatch(/\/billing\/portal\/open\?token=/)
  })

  it('give files as they are, and take them', async () => {
    serve(listening.listener)
    const { billing } = listening
    await billing.updateUser('lyes', { locale: 'fr' })
    const { payment_id } = await billing.upgrade({ userId: 'lyes' }, { plan: 'pro' })
    const checkout = emulator.checkouts().at(-1)
    expect(checkout?.locale).toBe('fr')
    await emulator.pay(checkout?.id ?? '', 'paid', 'edahabia')
    await emulator.settled()
    const path = `/api/v1/billing/payments/${payment_id}/receipt?lang=fr`
    const sent = await fetch(`${url}/billing${path}`, { headers: { 'x-user': 'lyes' } })
    const receipt = Buffer.from(await billing.receipt('lyes', payment_id))
    expect(receipt.equals(Buffer.from(await sent.arrayBuffer()))).toBe(true)
    await expect(billing.receipt('nadia', payment_id)).rejects.toMatchObject({ code: 'not_found' })
    const { id } = await billing.createPayment({ userId: 'lyes' }, { plan: 'pro', method: 'transfer' })
    expect(await billing.uploadProof('lyes', id, jpeg())).toMatchObject({ n: 1, type: 'image/jpeg' })
    const long = billing.uploadProof('lyes', id, new Uint8Array(8 * 1024 * 1024 + 1))
    await expect(long).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  it('have the names of the client’s, which verifies events, acts for persons and lists', async () => {
    const { billing } = plain
    const client = createClient({ url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' })
    const besides = ['as', 'listEvents', 'listPayments', 'listUsers', 'verifyEvent']
    expect(Object.keys(client).toSorted()).toEqual([...Object.keys(billing), ...besides].toSorted())
  })

  it('refuse as the API does, with its codes', async () => {
    const { billing } = plain
    const reader = { userId: 'amine', personId: 'lina', billingRole: 'reader' } as const
    const less = { amount: -5, operation_id: 'x' }
    const refused: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['plan_not_purchasable', () => billing.upgrade({ userId: 'amine' }, { plan: 'free' })],
      ['forbidden', () => billing.upgrade(reader, { plan: 'pro' })],
      ['not_found', () => billing.payment('amine', 'pay_nothing')],
      ['validation_failed', () => billing.status('')],
      ['validation_failed', () => billing.consume('amine', 'projects', less)],
      ['not_found', () => billing.documents('nobody', { year: 2026 })],
    ]
    for (const [code, refusal] of refused)
      await expect(refusal(), `${code}: ${refusal}`).rejects.toMatchObject({ code })
  })
})
