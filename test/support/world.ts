// A whole world for a test: the real service on real HTTP, the emulator as its provider, a database of its
// own, and one clock for all of them that stands still until it is moved.
import { SignJWT } from 'jose'
import { expect } from 'vitest'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { type Config, readConfig } from '../../packages/ishtirak/src/main/config.js'
import type { ServiceTracing } from '../../packages/ishtirak/src/main/tracing.js'
import { type Service, type Surroundings, wire } from '../../packages/ishtirak/src/main/wire.js'
import { type MovableClock, movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog, type Log } from '../../packages/ishtirak/src/runtime/log.js'
import { type MountedForm, mountedForms } from './database-kinds.js'
import { CHARGILY_KEY, emulatorAt } from './emulators.js'
import { freePort } from './free-port.js'
import { replaceableClock } from './replaceable-clock.js'

export { CHARGILY_KEY } from './emulators.js'

export const START = Date.parse('2026-11-21T12:00:00Z')
export const JWT_SECRET = 'a secret of the tests that is longer than 32 bytes'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON: what a test expects of it, it says itself. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service sent
  readonly body: any
}

export interface World extends AsyncDisposable {
  readonly url: string
  /** The path of `url`: that of the host's prefix, empty at a port of its own. */
  readonly base: string
  readonly clock: MovableClock
  readonly emulator: Emulator
  readonly service: Service
  readonly config: Config
  /** One user's calls, with their token, which has these claims beside. */
  as(userId: string, claims?: Record<string, unknown>): Caller
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Moves everything: clock, emulator with its deliveries, and runs every job once. */
  advance(seconds: number): Promise<void>
  stop(): Promise<void>
}

interface CallOptions {
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Upgrades and gives the payment's id with the checkout's. */
  upgrade(): Promise<{ paymentId: string; checkoutId: string; checkoutUrl: string }>
  /** Upgrades, pays at the emulator, and waits for the webhook to be booked. */
  buy(method?: 'edahabia' | 'cib'): Promise<{ paymentId: string; checkoutId: string }>
  /** The same with a payment of its own: a term, or with a code. */
  buyWanted(wanted: {
    readonly plan: string
    readonly months?: number
    readonly code?: string
  }): Promise<{ paymentId: string; checkoutId: string }>
}

interface WorldOptions {
  readonly env?: Record<string, string>
  readonly clock?: MovableClock
  readonly emulator?: Emulator
  readonly log?: Log
  /** How it is mounted, where it is; `none` for what its own server answers. */
  readonly host?: MountedForm | 'none'
  /** Made by the test, and stopped with the world. */
  readonly tracing?: ServiceTracing
  /** What its page of documents gives away, as in the sandbox. */
  readonly sandboxKeys?: Surroundings['sandboxKeys']
  /** Takes the events. */
  readonly onEvent?: Surroundings['onEvent']
  /** `advance` moves the clock alone. */
  readonly withoutJobs?: boolean
  /** In place of all that there are. */
  readonly capabilities?: NonNullable<Surroundings['capabilities']>
  /** Started for this test: what a process remembers, such as its bounds, is part of what is tested. */
  readonly isNew?: true
}

interface StoppedWorld {
  readonly database: Database
  /** Its options, as JSON. */
  readonly of: string
  /** As it was made. */
  readonly world: World
  /** As a new one, at the first instant. */
  renew(): World
}

/**
 * Those of the running file: its next test with the same options has one of them again, since starting one
 * costs more than most tests do after it.
 */
const stopped = new Set<StoppedWorld>()
let file: string | undefined

/**
 * A world without users at the first instant of the tests. Its service may have served another test of the
 * file.
 */
export async function createWorld(database: Database, options: WorldOptions = {}): Promise<World> {
  const { env, host, withoutJobs, ...own } = options
  if (Object.values(own).some((one) => one !== undefined)) return startWorld(database, options)
  await endOthers(expect.getState().testPath)
  const of = JSON.stringify([env, host, withoutJobs, mountedForms.get(database)])
  const again = [...stopped].find((one) => one.of === of && one.database === database)
  if (!again) return startKept(database, options, of)
  stopped.delete(again)
  return again.renew()
}

async function startKept(database: Database, options: WorldOptions, of: string): Promise<World> {
  const clock = replaceableClock(movableClock(START))
  const world = await startWorld(database, { ...options, clock })
  const stop = async () => {
    await world.emulator.reset()
    stopped.add(kept)
  }
  const kept: StoppedWorld = {
    database,
    of,
    world,
    renew: () => {
      clock.become(movableClock(START))
      return { ...world, stop, [Symbol.asyncDispose]: stop }
    },
  }
  return kept.renew()
}

async function endOthers(running: string | undefined): Promise<void> {
  if (running === file) return
  file = running
  const others = [...stopped]
  stopped.clear()
  for (const { world } of others) await world.stop()
}

async function startWorld(database: Database, options: WorldOptions): Promise<World> {
  const clock = options.clock ?? movableClock(START)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { withoutJobs = false, host, capabilities, tracing, onEvent, sandboxKeys } = options
  const usual = mountedForms.get(database)
  const form = host === 'none' ? undefined : usual && (host ?? usual)
  const publicUrl = options.env?.PUBLIC_URL ?? `${origin}${form ? '/billing' : ''}`
  const url = form ? `${origin}${new URL(publicUrl).pathname.replace(/\/$/, '')}` : origin
  const emulator = options.emulator ?? (await emulatorAt(clock))
  const env = {
    PUBLIC_URL: publicUrl,
    PLATFORM_URL: 'http://platform.localhost',
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: emulator.url,
    AUTH_JWT_SECRET: JWT_SECRET,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'fatal',
    ...options.env,
  }
  const config = readConfig(env, capabilities)
  const { chargily } = config
  if (!chargily) throw new Error('the world has a key')
  const log = options.log ?? createLog({ level: config.logLevel })
  const service = await wire(
    { ...config, chargily },
    {
      database: unclosed(database),
      clock,
      log,
      withoutJobs,
      tracing,
      onEvent,
      sandboxKeys,
      ...(capabilities && { capabilities }),
    },
  )
  // Before the start, so that no job runs at the pace of the machine: `advance` runs them.
  await service.runner.stop()
  await service.start()
  const closeHost = form && (await (await import('./host.js')).openHost(form, service, { config, port }))
  if (!closeHost) await service.app.listen({ host: '127.0.0.1', port })
  const call = (method: string, path: string, callOptions: CallOptions = {}) =>
    send(`${url}${path}`, method, callOptions)
  const stop = async () => {
    await (closeHost ?? service.stop)()
    if (!options.emulator) await emulator.close()
  }
  return {
    url,
    base: new URL(url).pathname.replace(/\/$/, ''),
    clock,
    emulator,
    service,
    config,
    call,
    stop,
    as: (userId, claims) => caller({ userId, call, emulator, token: signToken({ sub: userId, ...claims }) }),
    advance: async (seconds) => {
      await emulator.advance(seconds)
      await service.runner.runAll()
    },
    [Symbol.asyncDispose]: stop,
  }
}

/**
 * A token as a platform would sign it; undefined claims are left out. Ten years, because the clock is moved.
 */
export function tokenOf(claims: Record<string, unknown>, secret = JWT_SECRET): Promise<string> {
  return new SignJWT({ exp: START / 1000 + 10 * 365 * 86_400, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret))
}

export function checkoutIdOf(checkoutUrl: string): string {
  const [, id] = /\/checkouts\/([^/]+)\/pay$/.exec(new URL(checkoutUrl).pathname) ?? []
  if (id === undefined) throw new Error(`no checkout in ${checkoutUrl}`)
  return id
}

function signToken(claims: Record<string, unknown>): Promise<string> {
  return tokenOf(claims)
}

function caller(of: {
  userId: string
  call: World['call']
  emulator: Emulator
  token: Promise<string>
}): Caller {
  const authorized = async (headers: Record<string, string> = {}) => ({
    authorization: `Bearer ${await of.token}`,
    ...headers,
  })
  const self: Caller = {
    get: async (path, headers) => of.call('GET', path, { headers: await authorized(headers) }),
    post: async (path, body, headers) => of.call('POST', path, { body, headers: await authorized(headers) }),
    upgrade: async () => {
      const answer = await self.post('/api/v1/billing/upgrade', { plan: 'pro' })
      if (answer.status !== 200) throw new Error(`upgrade answered ${answer.status}: ${answer.text}`)
      const { payment_id: paymentId, checkout_url: checkoutUrl } = answer.body
      return { paymentId, checkoutUrl, checkoutId: checkoutIdOf(checkoutUrl) }
    },
    buy: async (method = 'edahabia') => {
      const opened = await self.upgrade()
      await of.emulator.pay(opened.checkoutId, 'paid', method)
      await of.emulator.settled()
      return opened
    },
    buyWanted: async (wanted) => {
      const answer = await self.post('/api/v1/billing/payments', wanted)
      if (answer.status !== 201) throw new Error(`the payment answered ${answer.status}: ${answer.text}`)
      const checkoutId = checkoutIdOf(answer.body.checkout_url)
      await of.emulator.pay(checkoutId, 'paid')
      await of.emulator.settled()
      return { paymentId: answer.body.id, checkoutId }
    },
  }
  return self
}

async function send(url: string, method: string, { body, headers = {} }: CallOptions): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const type: Record<string, string> =
    body === undefined || isRaw ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    get body() {
      return JSON.parse(text)
    },
  }
}

/** The test file owns its database; a service that stops must not close it for the next test. */
function unclosed(database: Database): Database {
  return {
    kind: database.kind,
    query: (statement, parameters) => database.query(statement, parameters),
    transaction: (work) => database.transaction(work),
    script: (sql) => database.script(sql),
    close: async () => undefined,
  }
}
