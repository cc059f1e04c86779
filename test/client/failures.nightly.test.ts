// What the client makes of a service that fails: the time it takes, and what its errors keep. As source, and
// as both forms that are shipped.
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as source from '../../packages/client/src/index.js'
import { emptyDatabase } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { type Listening, listen } from '../support/listen.js'
import { PLATFORM_KEY, WITH_PLATFORM } from '../support/platform.js'
import { buildOnce } from '../support/process.js'
import { startRunningTime } from '../support/running-time.js'
import { createWorld, type World } from '../support/world.js'

type Package = typeof source

const dist = path.resolve(import.meta.dirname, '../../packages/client/dist')
const FORMS: readonly [string, () => Promise<Package>][] = [
  ['source', async () => source],
  ['ESM', () => import(pathToFileURL(path.join(dist, 'index.js')).href)],
  ['CommonJS', async () => createRequire(import.meta.url)(path.join(dist, 'cjs/index.js'))],
]
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const CALLS: readonly [string, (client: source.Client) => Promise<unknown>][] = [
  ['user', (client) => client.user('user-1')],
  ['upgrade', (client) => client.upgrade('user-1', 'pro')],
  ['createPayment', (client) => client.createPayment('user-1', { plan: 'pro' })],
  ['uploadProof', (client) => client.uploadProof('user-1', 'pay_1', new Uint8Array(1_000_000))],
  ['redeem', (client) => client.redeem('user-1', 'CODE')],
  ['receipt', (client) => client.receipt('user-1', 'pay_1')],
]
/** What a server does with a connection; where it answers at all, the answer never ends. */
const SERVERS: Record<string, (write: (text: string) => void) => NodeJS.Timeout | undefined> = {
  'in the head': () => undefined,
  'within the head': (write) => void write(HEAD),
  'in the body': (write) => void write(`${HEAD}content-length: 100\r\n\r\n{`),
  'byte by byte': (write) => {
    write(`${HEAD}content-length: 1000000\r\n\r\n`)
    return setInterval(() => write(' '), 5)
  },
}

let world: World
const servers = new Map<string, Listening>()
beforeAll(async () => {
  buildOnce()
  world = await createWorld(await emptyDatabase('pglite'), { env: WITH_PLATFORM })
  for (const [name, serve] of Object.entries(SERVERS)) {
    const server = createServer((socket) => {
      const timer = serve((text) => socket.write(text))
      socket.on('error', () => undefined).on('close', () => clearInterval(timer))
      socket.resume()
    })
    servers.set(name, await listen(server))
  }
})
afterAll(async () => {
  // Every client has hung up, so every connection ends by itself.
  for (const server of servers.values()) await server[Symbol.asyncDispose]()
  await world.stop()
})

describe.each(FORMS)('the client as %s', (form, load) => {
  let client: Package
  beforeAll(async () => {
    client = await load()
  })
  const clientOf = (options: Partial<source.ClientOptions> = {}) =>
    client.createClient({ url: world.url, apiKey: PLATFORM_KEY, whenUnreachable: 'open', ...options })
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => expect.fail('it was answered'),
      (error: unknown) => error,
    )

  it(
    'keeps what a 503 says: that billing is there, why it cannot answer, and when to ask ' + 'again',
    async () => {
      // A second call, before that time, would have been answered.
      world.emulator.setFaults({ api_5xx: { times: 1 } })
      const buyer = `buyer of ${form}`
      const error = await failureOf(clientOf({ timeoutMs: 4_000 }).createPayment(buyer, { plan: 'pro' }))
      expect(error).toBeInstanceOf(client.BillingUnreachableError)
      const requestId = expect.stringMatching(/^\S{8,}$/)
      expect(error).toMatchObject({
        ...{ status: 503, code: 'provider_unavailable', requestId, retryAfter: 5 },
        problem: {
          title: 'Payment provider unavailable',
          code: 'provider_unavailable',
          request_id: requestId,
        },
      })
      const { requestId: id } = error as source.BillingUnreachableError
      expect(String(error)).toContain(`503 provider_unavailable (request ${id})`)
    },
  )

  it(
    'throws a wrong key as an error of configuration, also from `consume`, whatever the policy ' + 'is',
    async () => {
      const wrong = clientOf({ apiKey: 'not_the_key_of_the_platform' })
      const consume: (typeof CALLS)[number][1] = (client) =>
        client.consume('a', 'projects', { operation_id: 'p-1' })
      for (const call of [consume, ...CALLS.map(([, call]) => call)]) {
        const error = await failureOf(call(wrong))
        expect(error).toBeInstanceOf(client.BillingConfigurationError)
        expect(error).toBeInstanceOf(client.BillingApiError)
        expect(error).toMatchObject({
          name: 'BillingConfigurationError',
          status: 401,
          code: 'unauthenticated',
        })
      }
    },
  )

  it('has no code where nothing was answered', async () => {
    const nowhere = clientOf({ url: `http://127.0.0.1:${await freePort()}` })
    expect(await failureOf(nowhere.user('a'))).toMatchObject({
      ...{ name: 'BillingUnreachableError', message: 'billing is unreachable' },
      ...{ status: null, code: null, requestId: null, retryAfter: null, problem: null },
    })
  })

  it.each(Object.keys(SERVERS))('gives up in time where a server hangs %s', async (name) => {
    const { url = '' } = servers.get(name) ?? {}
    const hanging = clientOf({ url, timeoutMs: 250 })
    using time = startRunningTime()
    const failures = await Promise.all(CALLS.map(([, call]) => failureOf(call(hanging))))
    // Without the option the shortest of the three others takes 7 s.
    expect(time.ms()).toBeLessThan(5_000)
    for (const error of failures) expect(error).toBeInstanceOf(client.BillingUnreachableError)
  })

  it('gives up in time where `fetch` takes no notice of its signal', async () => {
    const deaf = clientOf({ timeoutMs: 100, fetch: () => new Promise(() => undefined) })
    expect(await failureOf(deaf.user('a'))).toMatchObject({ cause: { name: 'TimeoutError' } })
  })
})
