// The client gives up in time, as source and in both forms that are shipped.
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as source from '../../packages/client/src/index.js'
import { type Listening, listen } from '../support/listen.js'
import { buildOnce } from '../support/process.js'
import { startRunningTime } from '../support/running-time.js'

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

const servers = new Map<string, Listening>()
beforeAll(async () => {
  buildOnce()
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
})

describe.each(FORMS)('the client as %s', (_form, load) => {
  let client: Package
  beforeAll(async () => {
    client = await load()
  })
  const clientOf = (options: Partial<source.ClientOptions>) =>
    client.createClient({ url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open', ...options })
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => expect.fail('it was answered'),
      (error: unknown) => error,
    )

  it.each(Object.keys(SERVERS))('gives up in time where a server hangs %s', async (name) => {
    const { url = '' } = servers.get(name) ?? {}
    const hanging = clientOf({ url, timeoutMs: 250 })
    using time = startRunningTime()
    const failures = await Promise.all(CALLS.map(([, call]) => failureOf(call(hanging))))
    // Without the option the shortest of the three others takes 7 s.
    expect(time.ms()).toBeLessThan(5_000)
    for (const error of failures) expect(error).toBeInstanceOf(client.BillingUnreachableError)
  })
})
