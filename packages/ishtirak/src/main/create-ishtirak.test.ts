// Ishtirak in another program: who its users are, whose bytes a webhook is, and that nothing of it reaches
// its host.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { register } from 'prom-client'
import { Settings } from 'typebox/system'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../../../packages/chargily-emulator/src/emulator.js'
import { createClient } from '../../../../packages/client/src/index.js'
import { CODE_ENV, VOUCHER } from '../../../../test/support/codes.js'
import { dropPostgres, emptyPostgresUrl } from '../../../../test/support/databases.js'
import { jpeg } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { CHARGILY_KEY, checkoutIdOf } from '../../../../test/support/world.js'
import { DAY } from '../core/instant.js'
import { statement } from '../database/database.js'
import { REQUEST_TIMEOUT_MS } from '../http/app.js'
import { readConfig } from './config.js'
import {
  BillingError,
  createIshtirak,
  type HostEvent,
  type HostRequest,
  type Ishtirak,
  type IshtirakOptions,
} from './create-ishtirak.js'
import { openConfigured } from './serve.js'

/** It brings no types. */
const express = createRequire(import.meta.url)('express')

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
beforeEach(async () => {
  lines = []
  await emulator.reset()
})

/** `url` is that of the host. Users are those of the header `x-user`. */
async function make(url: string, options: Partial<IshtirakOptions> = {}): Promise<Ishtirak> {
  const ishtirak = await createIshtirak({
    database: { url: databaseUrl, maxConnections: 2 },
    schema: 'billing',
    identify: ({ headers }) => (headers['x-user'] ? { userId: String(headers['x-user']) } : null),
    log: (line) => void lines.push(line),
    ...options,
    config: {
      PUBLIC_URL: `${url}/billing`,
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: emulator.url,
      ...options.config,
    },
  })
  onTestFinished(() => ishtirak.stop())
  await ishtirak.migrate()
  return ishtirak
}

/** A port first, since the address goes into the configuration. */
async function listen(): Promise<{ url: string; serve(listener: RequestListener): void }> {
  let current: RequestListener = (_request, response) => response.writeHead(500).end()
  const server = createServer((request, response) => current(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  // An address of the network, since it listens on a port.
  const { port } = server.address() as AddressInfo
  const serve = (listener: RequestListener) => {
    current = listener
  }
  return { url: `http://127.0.0.1:${port}`, serve }
}

async function call(url: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = { method, headers: { 'x-user': 'amine', ...type, ...headers } }
  const response = await fetch(url, body === undefined ? sent : { ...sent, body: JSON.stringify(body) })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: /^[{[]/.test(text) ? JSON.parse(text) : null,
  }
}

async function buy(base: string): Promise<void> {
  const { body } = await call(`${base}${UPGRADE}`, 'POST', { plan: 'pro' })
  await emulator.pay(checkoutIdOf(body.checkout_url), 'paid', 'cib')
  await emulator.settled()
}

describe('its configuration', () => {
  it(
    'is what it is given: nothing is read from the environment, and all that is missing is named at ' +
      'once',
    async () => {
      vi.stubEnv('PUBLIC_URL', 'http://elsewhere')
      onTestFinished(() => void vi.unstubAllEnvs())
      const database = { url: databaseUrl }
      await expect(createIshtirak({ database, config: {} })).rejects.toThrow(
        new RegExp(
          ['PUBLIC_URL', 'CHARGILY_SECRET_KEY', 'AUTH_JWT_SECRET or AUTH_JWKS_URL']
            .map((variable) => `${variable} is missing`)
            .join('\n.*')
            .concat('$'),
        ),
      )
    },
  )

  it('leaves the variables of a process to the host', async () => {
    const config = {
      PORT: 'none',
      NODE_ENV: 'production',
      DATABASE_URL: 'mysql://',
      WORKERS: '7',
      AUTH_JWT_SECRET: 'x',
    }
    const ishtirak = await make('http://platform.localhost', { config })
    expect(ishtirak.billing.plans().map(({ id }) => id)).toEqual(['free', 'pro'])
  })

  it('refuses a prefix that the addresses it gives out would not lead to', async () => {
    await expect(make('http://platform.localhost', { prefix: '/pay' })).rejects.toThrow(
      'PUBLIC_URL must end with /pay',
    )
    const ishtirak = await make('http://platform.localhost')
    const host = fastify()
    await expect(host.register(ishtirak.fastify, { prefix: '/pay' })).rejects.toThrow(
      'PUBLIC_URL must end with /pay',
    )
  })

  it('refuses a prefix without its slash, which no request carries', async () => {
    await expect(make('http://platform.localhost', { prefix: 'billing' })).rejects.toThrow('with a slash')
  })

  it.each(['a"; drop', '', 'pg_own', 'information_schema', null as never])(
    'refuses the schema %j',
    async (schema) => {
      await expect(make('http://platform.localhost', { schema })).rejects.toThrow('a schema is named by')
    },
  )
})

it('answers nothing by a clock of its machine that is not that of the server', async () => {
  const { billing } = await make('http://127.0.0.1:9')
  expect(await billing.status('amine')).toMatchObject({ plan: 'free' })
  const { now } = Date
  const wrong = vi.spyOn(Date, 'now').mockImplementation(() => now() + DAY)
  onTestFinished(() => wrong.mockRestore())
  await expect(billing.status('amine')).rejects.toMatchObject({ code: 'clock_wrong' })
})

it('two live in one process, on two schemas of one database', async () => {
  const { url, serve } = await listen()
  const shops = await Promise.all(
    ['one', 'other'].map((name) =>
      make(url, { schema: `shop_${name}`, config: { PUBLIC_URL: `${url}/${name}` } }),
    ),
  )
  const [one, other] = shops
  serve((request, response) => one?.listener(request, response, () => other?.listener(request, response)))
  await buy(`${url}/one`)
  expect((await call(`${url}/one${STATUS}`)).body).toMatchObject({ plan: 'pro', payment_method: 'cib' })
  expect((await call(`${url}/other${STATUS}`)).body).toMatchObject({ plan: 'free' })
  // As the commands open it.
  const database = await openConfigured(
    readConfig({ DATABASE_URL: databaseUrl, DATABASE_SCHEMA: 'shop_one' }),
  )
  onTestFinished(() => database.close())
  expect(await database.query(tables)).toEqual([{ schema: 'shop_one' }, { schema: 'shop_other' }])
  expect(await database.query(payments)).toEqual([{ count: 1 }])
})
const payments = statement('test.mounted.payments', 'select count(*) as count from payments')
const tables = statement(
  'test.mounted.schemas',
  `select schemaname as schema from pg_tables where tablename = 'payments' and schemaname <> 'billing'
    order by 1`,
)

describe('onEvent', () => {
  it('is called once the jobs have begun, without an address', async () => {
    const { url, serve } = await listen()
    const types: string[] = []
    const onEvent = ({ type }: HostEvent) => void types.push(type)
    const ishtirak = await make(url, { schema: 'on_event', onEvent })
    serve(ishtirak.listener)
    await ishtirak.start()
    await buy(`${url}/billing`)
    await expect.poll(() => types).toEqual(['payment.paid', 'subscription.activated'])
  })

  it('is not given beside an address', async () => {
    const config = {
      EVENTS_URL: 'https://platform.example/events',
      EVENTS_SECRETS: `whsec_${'A'.repeat(32)}`,
    }
    const made = make('http://platform.localhost', { config, onEvent: () => {} })
    await expect(made).rejects.toThrow('EVENTS_URL is set and onEvent is given')
  })
})

describe('identify', () => {
  const statusOf = async (identify: NonNullable<IshtirakOptions['identify']>) => {
    const ishtirak = await make('http://platform.localhost', { identify })
    const request = new Request(`http://platform.localhost/billing${STATUS}`, {
      headers: { 'x-user': 'amine' },
    })
    const response = await ishtirak.fetch(request)
    return { status: response.status, headers: response.headers, body: await response.json(), request }
  }

  it('is asked with the request and the host’s own', async () => {
    const questions: unknown[] = []
    const { status, request } = await statusOf((question) => {
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
    const identify = ({ address }: HostRequest) => {
      addresses.push(address)
      return null
    }
    const config = { TRUSTED_PROXIES: '10.0.0.0/8' }
    const ishtirak = await make('http://platform.localhost', { identify, config, prefix: '' })
    const headers = { 'x-forwarded-for': '105.96.0.7' }
    // The host has taken the prefix off.
    const request = new Request(`http://platform.localhost${STATUS}`, { headers })
    await ishtirak.fetch(request, { clientAddress: '10.1.2.3' })
    await ishtirak.fetch(request, { clientAddress: '41.1.2.3' })
    await ishtirak.fetch(request)
    expect(addresses).toEqual(['105.96.0.7', '41.1.2.3', '0.0.0.0'])
  })

  it.each([null, undefined as never])('knows no user (%s): 401', async (anonymous) => {
    expect((await statusOf(() => anonymous)).body).toMatchObject({ status: 401, code: 'unauthenticated' })
  })

  it('fails: 503, so that the client tries again, and a line in the log', async () => {
    const { status, headers, body } = await statusOf(() => Promise.reject(new Error('no session store')))
    expect([status, headers.get('retry-after'), body.code]).toEqual([503, '5', 'authentication_unavailable'])
    expect(lines.join()).toContain('no session store')
  })

  it('gives an id that cannot be one: 500, and a line in the log', async () => {
    expect((await statusOf(() => ({ userId: 'a\nb' }))).status).toBe(500)
    expect(lines.join()).toContain('identify gave a userId that cannot be one')
  })
})

describe('in Express, behind parsers of bodies', () => {
  it.each([
    ['that keep the bytes as rawBody', express.json({ verify: keepRaw })],
    ['of bytes', express.raw({ type: '*/*' })],
  ])('%s a webhook is booked', async (name, parser) => {
    const { url, serve } = await listen()
    const ishtirak = await make(url, { schema: `express_${name.length}` })
    serve(express().use(parser).use('/billing', ishtirak.listener))
    await buy(`${url}/billing`)
    expect((await call(`${url}/billing${STATUS}`)).body).toMatchObject({ plan: 'pro' })
  })

  it('that keep nothing a body is refused with 500, and the log says what to do', async () => {
    const { url, serve } = await listen()
    const ishtirak = await make(url)
    serve(express().use(express.json()).use('/billing', ishtirak.listener))
    const refused = await call(`${url}/billing${UPGRADE}`, 'POST', { plan: 'pro' })
    expect([refused.status, refused.body.code]).toEqual([500, 'internal_error'])
    expect(lines.join()).toContain('mount Ishtirak before its parsers, or keep `rawBody`')
    // What has no body needs no parser.
    expect((await call(`${url}/billing${STATUS}`)).status).toBe(200)
  })

  it('what is not under the prefix goes on', async () => {
    const { url, serve } = await listen()
    const ishtirak = await make(url)
    const app = express().use(ishtirak.listener)
    app.get('/billings', ({ url: path }: IncomingMessage, response: ServerResponse) => response.end(path))
    serve(app)
    expect((await call(`${url}/billings`)).text).toBe('/billings')
    expect((await call(`${url}/billing`, 'GET', undefined, { accept: 'text/html' })).text).toContain(
      'href="/billing/portal"',
    )
  })
})

function keepRaw(request: object, _response: object, bytes: Buffer): void {
  Object.assign(request, { rawBody: bytes })
}

it('a host’s Fastify keeps its parsers, errors, headers and addresses', async () => {
  const host = fastify()
  const seen: string[] = []
  host.addHook('onRequest', async (_request, reply) => void reply.header('x-host', 'platform'))
  host.addHook('onResponse', async (request) => void seen.push(request.url))
  const { url } = await listen()
  const ishtirak = await make(url)
  await host.register(ishtirak.fastify, { prefix: '/billing' })
  host.post('/text', () => 'read')
  host.get('/broken', () => {
    throw new Error('the host’s own')
  })
  onTestFinished(() => host.close())
  const at = await host.listen({ port: 0 })
  expect((await call(`${at}/billing${STATUS}?a=1`)).headers.get('x-host')).toBe('platform')
  expect((await call(`${at}/billing/nothing`)).body).toMatchObject({
    code: 'not_found',
    instance: '/billing/nothing',
  })
  expect((await call(`${at}/broken`)).body).toEqual({
    statusCode: 500,
    error: 'Internal Server Error',
    message: 'the host’s own',
  })
  expect((await call(`${at}/nothing`)).body).toMatchObject({ error: 'Not Found', statusCode: 404 })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await call(`${at}/text`, 'POST', {}, form)).status).toBe(415)
  expect((await call(`${at}/text`, 'POST', { __proto__: null, a: '\\u0000' })).status).toBe(200)
  expect(seen.slice(0, 2)).toEqual([`/billing${STATUS}?a=1`, '/billing/nothing'])
})

it('touches nothing that a process has once', async () => {
  const global = () => ({
    listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    metrics: register.getMetricsAsArray().length,
    faults: Settings.Get(),
    variables: Object.keys(globalThis).length,
  })
  const before = global()
  const ishtirak = await make('http://platform.localhost')
  await ishtirak.start()
  await expect(ishtirak.billing.consume('amine', 'projects', { amount: 0 } as never)).rejects.toThrow()
  expect(global()).toEqual(before)
  expect((await ishtirak.metrics()).text).toMatch(/^# HELP http_request_duration_seconds/)
  expect((await ishtirak.metrics()).text).not.toContain('process_cpu')
  await ishtirak.stop()
  await ishtirak.stop()
  const over = await ishtirak.fetch(new Request('http://platform.localhost/billing/readyz'))
  expect(over.status).toBe(503)
})

it(
  'stopped while webhooks come, it has booked those that it answered with 200, and the others when they ' +
    'are sent again',
  async () => {
    const { url, serve } = await listen()
    const first = await make(url, { schema: 'stopped' })
    serve(first.listener)
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`)
    const opened = await Promise.all(
      users.map((userId) => first.billing.upgrade({ userId }, { plan: 'pro' })),
    )
    const answered = new Promise<void>((resolve) => {
      serve((request, response) => {
        response.once('finish', resolve)
        first.listener(request, response)
      })
    })
    await Promise.all(opened.map((one) => emulator.pay(checkoutIdOf(one.checkout_url), 'paid')))
    await answered
    await first.stop()
    const next = await make(url, { schema: 'stopped' })
    serve(next.listener)
    const idsOf = (wanted: (status: number | null | undefined) => boolean) =>
      emulator
        .deliveries()
        .filter(({ attempts }) => wanted(attempts.at(-1)?.status))
        .map(({ id }) => id)
    expect(idsOf((status) => status !== 200 && status !== 503)).toEqual([])
    const paid = async () =>
      (await Promise.all(users.map((user) => next.billing.payments(user, { status: 'paid' })))).flatMap(
        ({ data }) => data,
      )
    expect((await paid()).length).toBeGreaterThanOrEqual(idsOf((status) => status === 200).length)
    for (const id of idsOf((status) => status === 503)) await emulator.resend(id)
    expect(await paid()).toHaveLength(users.length)
  },
)

it('fetch answers 404 outside of its prefix, and refuses a body that was read', async () => {
  const ishtirak = await make('http://platform.localhost')
  expect((await ishtirak.fetch(new Request('http://platform.localhost/other'))).status).toBe(404)
  const request = new Request(`http://platform.localhost/billing${UPGRADE}`, { method: 'POST', body: '{}' })
  await request.text()
  await expect(ishtirak.fetch(request)).rejects.toThrow('has read the body')
})

it('fetch answers a body that breaks off as the client’s fault', async () => {
  const ishtirak = await make('http://platform.localhost')
  const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) })
  const headers = { 'x-user': 'amine', 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body, duplex: 'half' }
  const answer = await ishtirak.fetch(new Request(`http://platform.localhost/billing${UPGRADE}`, sent))
  expect([answer.status, lines]).toEqual([400, []])
})

describe('fetch with a body that never ends', () => {
  let ishtirak: Ishtirak
  beforeEach(async () => {
    ishtirak = await make('http://platform.localhost')
  })
  const ask = (pull: () => void, signal: AbortSignal | null = null) => {
    const headers = { 'x-user': 'amine', 'content-type': 'application/json' }
    // It is pulled when it is read.
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const sent = { method: 'POST', headers, body, duplex: 'half', signal }
    return ishtirak.fetch(new Request(`http://platform.localhost/billing${UPGRADE}`, sent))
  }

  it('gives up when its caller does', async () => {
    const caller = new AbortController()
    expect((await ask(() => caller.abort(), caller.signal)).status).toBe(400)
    await expect(ask(() => {}, caller.signal)).rejects.toThrow('aborted')
    expect(lines).toEqual([])
  })

  it('is answered 408 after what a server waits at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    expect((await ask(() => void vi.advanceTimersByTime(REQUEST_TIMEOUT_MS))).status).toBe(408)
  })
})

describe('the calls without HTTP', () => {
  it('throw the code of the API where the database is out of reach', async () => {
    const { billing, stop } = await make('http://platform.localhost')
    await stop()
    const refused = billing.status('amine')
    await expect(refused).rejects.toBeInstanceOf(BillingError)
    await expect(refused).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  it('give what the API answers', async () => {
    const { url, serve } = await listen()
    const config = { PLATFORM_API_KEYS: 'a key of the platform, 32 long'.replaceAll(/[ ,]/g, '-') }
    const ishtirak = await make(url, { schema: 'calls', config })
    serve(ishtirak.listener)
    const { billing } = ishtirak
    const opened = await billing.upgrade({ userId: 'amine', locale: 'fr' }, { plan: 'pro' })
    await emulator.pay(checkoutIdOf(opened.checkout_url), 'paid', 'edahabia')
    await emulator.settled()
    const get = async (where: string) => (await call(`${url}/billing/api/v1/billing${where}`)).body
    expect(await billing.status('amine')).toEqual(await get('/status'))
    expect(await billing.payments('amine', { limit: 1 })).toEqual(await get('/payments?limit=1'))
    expect(await billing.payment('amine', opened.payment_id)).toEqual(
      await get(`/payments/${opened.payment_id}`),
    )
    expect(billing.plans()).toEqual(await get('/plans'))
    expect(await billing.consume('amine', 'projects', { operation_id: 'p1' })).toMatchObject({
      used: 1,
      limit: 10,
    })
    expect(await billing.release('amine', 'projects', { operation_id: 'p1' })).toMatchObject({ used: 0 })
    expect(await billing.reportUsage('amine', 'storage_mb', { used: 7 })).toMatchObject({ used: 7 })
    expect(await billing.updateUser('amine', { name: 'Amine' })).toMatchObject({ name: 'Amine' })
    expect(await billing.overview('amine')).toEqual(await get('/overview'))
    expect(await billing.user('amine')).toMatchObject({ plan: 'pro', usage: { storage_mb: 7 } })
    expect((await billing.openPortal({ userId: 'amine' })).url).toMatch(/\/billing\/portal\/open\?token=/)
  })

  it('print what a user paid and redeemed, and take what shows a transfer', async () => {
    const { url, serve } = await listen()
    const config = { ...CODE_ENV, TRANSFER_FILE }
    const ishtirak = await make(url, { schema: 'files', config })
    serve(ishtirak.listener)
    const { billing } = ishtirak
    await billing.updateUser('amine', { locale: 'fr' })
    const bytesOf = async (where: string) =>
      Buffer.from(
        await (
          await fetch(`${url}/billing/api/v1/billing${where}`, { headers: { 'x-user': 'amine' } })
        ).arrayBuffer(),
      )
    const { payment_id } = await billing.upgrade({ userId: 'amine' }, { plan: 'pro' })
    const [checkout] = emulator.checkouts()
    // Of the profile, as for a server.
    expect(checkout?.locale).toBe('fr')
    await emulator.pay(checkout?.id ?? '', 'paid', 'edahabia')
    await emulator.settled()
    const receipt = Buffer.from(await billing.receipt('amine', payment_id))
    expect(receipt.toString('latin1', 0, 5)).toBe('%PDF-')
    expect(receipt.equals(await bytesOf(`/payments/${payment_id}/receipt?lang=fr`))).toBe(true)
    const english = Buffer.from(await billing.receipt('amine', payment_id, { lang: 'en' }))
    expect(english.equals(receipt)).toBe(false)
    await expect(billing.receipt('nadia', payment_id)).rejects.toMatchObject({ code: 'not_found' })
    const german = billing.receipt('amine', payment_id, { lang: 'de' as never })
    await expect(german).rejects.toMatchObject({ code: 'validation_failed' })

    const operator = ishtirak.operator({ name: 'tests', role: 'owner' })
    const made = await operator.act('codes.create', '', VOUCHER)
    await billing.redeem({ userId: 'amine' }, { code: Object(made).codes[0] })
    const [redeemed] = (await billing.redemptions('amine')).data
    const statement = Buffer.from(await billing.statement('amine', redeemed?.id ?? ''))
    expect(statement.equals(await bytesOf(`/redemptions/${redeemed?.id}/statement?lang=fr`))).toBe(true)

    const transfer = { plan: 'pro', method: 'transfer' }
    const { id } = await billing.createPayment({ userId: 'amine' }, transfer)
    expect(await billing.uploadProof('amine', id, jpeg())).toMatchObject({ n: 1, type: 'image/jpeg' })
    const long = billing.uploadProof('amine', id, new Uint8Array(8 * 1024 * 1024 + 1))
    await expect(long).rejects.toMatchObject({ code: 'payload_too_large' })
    await expect(billing.uploadProof('nadia', id, jpeg())).rejects.toMatchObject({ code: 'not_found' })
  })

  it('give the papers of a year, and refuse what is none', async () => {
    const { billing } = await make('http://platform.localhost')
    const asked = { year: 2026, format: 'csv' } as const
    await expect(billing.papers('nobody', asked)).rejects.toMatchObject({ code: 'not_found' })
    const wrong = billing.papers('nobody', { ...asked, year: 1 })
    await expect(wrong).rejects.toMatchObject({ code: 'validation_failed' })
  })

  it('have the names of the client’s, which verifies events and acts for a person besides', async () => {
    const { billing } = await make('http://platform.localhost')
    const client = createClient({ url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' })
    expect(Object.keys(client).toSorted()).toEqual([...Object.keys(billing), 'as', 'verifyEvent'].toSorted())
  })

  it('refuse as the API does, with its codes', async () => {
    const { billing } = await make('http://platform.localhost')
    const codeOf = (promise: Promise<unknown>) =>
      promise.catch((error: unknown) => (error instanceof BillingError ? error.code : error))
    expect(await codeOf(billing.upgrade({ userId: 'amine' }, { plan: 'free' }))).toBe('plan_not_purchasable')
    const reader = { userId: 'amine', personId: 'lina', billingRole: 'reader' } as const
    expect(await codeOf(billing.upgrade(reader, { plan: 'pro' }))).toBe('forbidden')
    const misnamed = { userId: 'amine', personId: '..' }
    expect(await codeOf(billing.upgrade(misnamed, { plan: 'pro' }))).toBe('validation_failed')
    expect(await codeOf(billing.payment('amine', 'pay_nothing'))).toBe('not_found')
    expect(await codeOf(billing.status(''))).toBe('validation_failed')
    expect(await codeOf(billing.consume('amine', 'nothing', { operation_id: 'x' }))).toBe('unknown_limit')
    const free = { amount: -5, operation_id: 'x' }
    expect(await codeOf(billing.consume('amine', 'projects', free))).toBe('validation_failed')
    expect(await codeOf(billing.payments('amine', { limit: 1_000 }))).toBe('validation_failed')
  })
})
