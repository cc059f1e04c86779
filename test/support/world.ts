// The real service on real HTTP, the emulator as its provider, and one clock that stands still until moved.
import { createServer } from 'node:net'
import { SignJWT } from 'jose'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { beginDelivery } from '../../packages/ishtirak/src/events/deliver-events.js'
import { type Config, readConfig } from '../../packages/ishtirak/src/main/config.js'
import type { ServiceTracing } from '../../packages/ishtirak/src/main/tracing.js'
import { type Service, type Surroundings, wire } from '../../packages/ishtirak/src/main/wire.js'
import { type MovableClock, movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog, type Log } from '../../packages/ishtirak/src/runtime/log.js'
import { CODE_ENV } from './codes.js'
import { type MountedForm, mountedForms } from './database-kinds.js'
import { databaseWith } from './database-with.js'
import { listen } from './listen.js'
import { OPERATOR_ENV } from './operator.js'
import { WITH_PLATFORM } from './platform.js'
import { forgetOtherTests } from './process-memory.js'
import { type ReplaceableClock, replaceableClock } from './replaceable-clock.js'

export const CHARGILY_KEY = 'test_sk_world0000000000000000000000000000000'
export const START = Date.parse('2026-11-21T12:00:00Z')
export const JWT_SECRET = 'a secret of the tests that is longer than 32 bytes'

/** Every world has these keys, so that most tests share one service. */
const KEYS = { ...OPERATOR_ENV, ...WITH_PLATFORM, ...CODE_ENV }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
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
  /** Ends a checkout, given by its id or address, and waits until its webhook was answered. */
  pay(checkout: string, outcome?: 'paid' | 'failed' | 'canceled', method?: 'edahabia' | 'cib'): Promise<void>
  /** Moves everything: clock, emulator with its deliveries, and runs every job once. */
  advance(seconds: number): Promise<void>
  stop(): Promise<void>
}

type CallOptions = { body?: unknown; headers?: Record<string, string> }

export type Caller = ReturnType<typeof caller>

interface WorldOptions {
  readonly env?: Record<string, string>
  readonly clock?: MovableClock
  readonly emulator?: Emulator
  readonly log?: Log
  /** How it is mounted, where it is; `none` for what its own server answers. */
  readonly host?: MountedForm | 'none'
  readonly tracing?: ServiceTracing
  readonly sandboxKeys?: Surroundings['sandboxKeys']
  readonly onEvent?: Surroundings['onEvent']
  /** `advance` moves the clock alone. */
  readonly withoutJobs?: boolean
  readonly capabilities?: NonNullable<Surroundings['capabilities']>
  /** Started for this test: what a process remembers, such as its bounds, is part of what is tested. */
  readonly isNew?: true
}

interface KeptWorld {
  readonly of: string
  /** Compared by identity. */
  readonly own: readonly unknown[]
  readonly world: World
  renew(database: Database, options: WorldOptions): World
}

/** The worlds that serve no test now, the last one stopped at the end. A start costs more than most tests. */
const stopped = new Set<KeptWorld>()

/** A stopped world holds 5 MB: 80 MB in each worker. */
const STOPPED_MAX = 16

/** A world without users at the first instant of the tests. Its service may have served another test. */
export async function createWorld(database: Database, options: WorldOptions = {}): Promise<World> {
  forgetOtherTests()
  const { env, host, emulator, isNew, log, tracing, sandboxKeys, onEvent, capabilities } = options
  // A second process beside another one, which shares its provider, is begun and stopped in earnest.
  if (emulator || isNew || tracing) return startWorld(database, options)
  const given = Object.entries({ ...KEYS, ...env }).sort(([one], [other]) => (one < other ? -1 : 1))
  const of = JSON.stringify([given, host, database.kind, mountedForms.get(database)])
  const own = [log, sandboxKeys, onEvent, capabilities]
  const again = [...stopped].find((one) => one.of === of && own.every((value, at) => value === one.own[at]))
  const kept = again ?? (await startKept(database, options, { of, own }))
  stopped.delete(kept)
  const world = kept.renew(database, options)
  // The service began on a database that may have been emptied since.
  await beginDelivery(world.service.parts)
  return world
}

/**
 * A world for each test of a `describe`: to be asked inside tests and hooks, and stopped by itself. `restart`
 * stops it and starts another one on its database.
 */
export function restartableWorld(database: () => Database, options?: WorldOptions) {
  let running: World | undefined
  const start = async (wanted?: WorldOptions) => {
    running = await createWorld(database(), wanted)
  }
  beforeEach(async () => {
    await start(options)
    return () => running?.stop()
  })
  const world = new Proxy({} as World, {
    get: (_, member) => {
      // A user's calls can be named before the world is there.
      if (member === 'as') return (...given: Parameters<World['as']>) => caller(world, ...given)
      if (running === undefined) throw new Error('the world exists inside tests and hooks only')
      return Reflect.get(running, member)
    },
  })
  const restart = async (wanted?: WorldOptions) => {
    await running?.stop()
    await start(wanted)
  }
  /** A second process on its database, with its clock and its provider, to the end of the test. */
  const beside = async (wanted: WorldOptions = {}, on = database()) => {
    const { clock, emulator } = world
    const other = await createWorld(on, { ...wanted, clock, emulator })
    onTestFinished(() => other.stop())
    return other
  }
  return { world, restart, beside }
}

async function startKept(
  first: Database,
  options: WorldOptions,
  { of, own }: Pick<KeptWorld, 'of' | 'own'>,
): Promise<KeptWorld> {
  const clock = replaceableClock(options.clock ?? movableClock(START))
  let now = first
  const database = databaseWith(() => now)
  const form = mountedForms.get(first)
  if (form) mountedForms.set(database, form)
  const world = await startWorld(database, { ...options, clock })
  const stop = async () => {
    await world.emulator.reset()
    stopped.add(kept)
    const [oldest] = stopped
    if (stopped.size <= STOPPED_MAX || !oldest) return
    stopped.delete(oldest)
    await oldest.world.stop()
  }
  const renew = (another: Database, wanted: WorldOptions) => {
    const own = wanted.clock ?? movableClock(START)
    now = another
    clock.become(own)
    return { ...world, clock: own, advance: advanceOf(world, wanted), stop, [Symbol.asyncDispose]: stop }
  }
  const kept: KeptWorld = { of, own, world, renew }
  return kept
}

/** Those of this worker that serve no world now. Starting one costs as much as half a test. */
const idleEmulators: { readonly emulator: Emulator; readonly clock: ReplaceableClock }[] = []

/** An emulator that knows nothing and has this clock; closed, it serves the next world. */
async function emulatorAt(at: MovableClock): Promise<Emulator> {
  const clock = replaceableClock(at)
  const start = () => startEmulator({ secretKeys: [CHARGILY_KEY], clock })
  const kept = idleEmulators.pop() ?? { clock, emulator: await start() }
  kept.clock.become(at)
  const close = async () => {
    await kept.emulator.reset()
    idleEmulators.push(kept)
  }
  return { ...kept.emulator, close }
}

async function startWorld(database: Database, options: WorldOptions): Promise<World> {
  const clock = options.clock ?? movableClock(START)
  // The service is told its address before it starts: this server keeps the port for it.
  const keeper = createServer()
  const { url: origin } = await listen(keeper)
  const { host, capabilities, tracing, onEvent, sandboxKeys } = options
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
    ...KEYS,
    ...options.env,
  }
  const config = readConfig(env, capabilities)
  const { chargily } = config
  if (!chargily) throw new Error('the world has a key')
  const log = options.log ?? createLog({ level: config.logLevel })
  const service = await wire(
    { ...config, chargily },
    {
      ...{ database: databaseWith(() => database), clock, log, tracing, onEvent, sandboxKeys },
      ...(capabilities && { capabilities }),
    },
  )
  // Before the start, so that no job runs at the pace of the machine: `advance` runs them.
  await service.runner.stop()
  await service.start()
  const closeHost = form && (await (await import('./host.js')).openHost(form, service, { config, keeper }))
  if (!closeHost) {
    await service.app.ready()
    service.app.server.listen(keeper)
  }
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
    pay: async (checkout, outcome = 'paid', method) => {
      await emulator.pay(checkout.includes('/') ? checkoutIdOf(checkout) : checkout, outcome, method)
      await emulator.settled()
    },
    as: (userId, claims) => caller({ call, emulator }, userId, claims),
    advance: advanceOf({ emulator, service }, options),
    [Symbol.asyncDispose]: stop,
  }
}

const advanceOf =
  ({ emulator, service }: Pick<World, 'emulator' | 'service'>, { withoutJobs }: WorldOptions) =>
  async (seconds: number) => {
    await emulator.advance(seconds)
    if (!withoutJobs) await service.runner.runAll()
  }

/** A token as a platform signs it. It is valid for ten years, because the clock is moved. */
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

function caller(of: Pick<World, 'call' | 'emulator'>, userId: string, claims?: Record<string, unknown>) {
  const token = tokenOf({ sub: userId, ...claims })
  const ask = async (method: string, path: string, headers = {}, body?: unknown) =>
    of.call(method, path, { body, headers: { authorization: `Bearer ${await token}`, ...headers } })
  const open = async (path: string, wanted: object, expected: number) => {
    const answer = await ask('POST', path, {}, wanted)
    if (answer.status !== expected) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    const { checkout_url: checkoutUrl, id, payment_id: paymentId = id } = answer.body
    return { paymentId, checkoutUrl, checkoutId: checkoutIdOf(checkoutUrl) }
  }
  const pay = async (opening: ReturnType<typeof open>, method?: 'edahabia' | 'cib') => {
    const opened = await opening
    await of.emulator.pay(opened.checkoutId, 'paid', method)
    await of.emulator.settled()
    return opened
  }
  const upgrade = () => open('/api/v1/billing/upgrade', { plan: 'pro' }, 200)
  return {
    get: (path: string, headers?: Record<string, string>) => ask('GET', path, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) => ask('POST', path, headers, body),
    put: (path: string, body: unknown) => ask('PUT', path, {}, body),
    delete: (path: string) => ask('DELETE', path),
    upgrade,
    /** Upgrades, pays at the emulator, and waits for the webhook to be booked. */
    buy: (method: 'edahabia' | 'cib' = 'edahabia') => pay(upgrade(), method),
    buyWanted: (wanted: { readonly plan: string; readonly months?: number; readonly code?: string }) =>
      pay(open('/api/v1/billing/payments', wanted, 201)),
  }
}

async function send(url: string, method: string, { body, headers = {} }: CallOptions): Promise<Answer> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const sent = isRaw ? ((body ?? null) as BodyInit | null) : JSON.stringify(body)
  const type = isRaw ? {} : { 'content-type': 'application/json' }
  const asked = { method, redirect: 'manual', body: sent, headers: { ...type, ...headers } } as const
  const response = await fetch(url, asked)
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
