import { once } from 'node:events'
import type { Server } from 'node:http'
import path from 'node:path'
import { serve } from '@hono/node-server'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { dropPostgres, emptyPostgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { CHARGILY_KEY, checkoutIdOf } from '../support/world.js'

const folder = path.resolve(import.meta.dirname, '../../examples/mounted')

interface Settings {
  readonly port: number
  readonly databaseUrl: string
  readonly chargily: { readonly secretKey: string; readonly apiUrl: string }
}
type Stop = () => Promise<void>

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(() => emulator.close())

const startOf = (name: string) => async (settings: Settings) => {
  const { start } = await import(path.join(folder, `${name}.js`))
  return start(settings) as Promise<Stop>
}

/** Next.js calls the route's export that is named after the request's method. */
async function startNext({ port, databaseUrl, chargily }: Settings): Promise<Stop> {
  vi.stubEnv('PLATFORM_URL', `http://127.0.0.1:${port}`)
  vi.stubEnv('DATABASE_URL', databaseUrl)
  vi.stubEnv('CHARGILY_SECRET_KEY', chargily.secretKey)
  vi.stubEnv('CHARGILY_API_URL', chargily.apiUrl)
  const { ishtirak } = await import(path.join(folder, 'next/ishtirak.js'))
  vi.unstubAllEnvs()
  const routeOf = (request: Request) => {
    const [, first] = new URL(request.url).pathname.split('/')
    return import(path.join(folder, `next/${first}/route.js`))
  }
  const server = serve({
    fetch: async (request) => (await routeOf(request))[request.method](request),
    port,
    hostname: '127.0.0.1',
  }) as Server
  await once(server, 'listening')
  return async () => {
    server.closeAllConnections()
    server.close()
    await ishtirak.stop()
  }
}

const HOSTS = {
  ...Object.fromEntries(['fastify', 'express', 'hono'].map((name) => [name, startOf(name)])),
  next: startNext,
}

describe.each(Object.entries(HOSTS))('mounted in %s', (name, start) => {
  let databaseUrl: string
  let url: string
  let stop: Stop

  beforeAll(async () => {
    databaseUrl = await emptyPostgresUrl()
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    stop = await start({ port, databaseUrl, chargily: { secretKey: CHARGILY_KEY, apiUrl: emulator.url } })
  })
  afterAll(async () => {
    await stop()
    await dropPostgres(databaseUrl)
  })

  async function call(method: string, where: string, body?: object) {
    const headers = { 'x-user': 'amine', ...(body && { 'content-type': 'application/json' }) }
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`${url}${where}`, sent)
    return { status: response.status, body: await response.json() }
  }
  const deploy = (id: string) => call('POST', '/deploys', { id })

  it('sells pro through the webhook, and the limits are those of pro', async () => {
    expect(await deploy('one')).toEqual({ status: 201, body: { remaining: 9 } })
    const opened = await call('POST', '/billing/api/v1/billing/upgrade', { plan: 'pro' })
    expect(opened.status).toBe(200)
    await emulator.pay(checkoutIdOf(opened.body.checkout_url), 'paid', 'edahabia')
    await emulator.settled()
    const { body: status } = await call('GET', '/billing/api/v1/billing/status')
    expect(status).toMatchObject({ plan: 'pro', status: 'active', payment_method: 'edahabia' })
    expect(await deploy('two')).toEqual({ status: 201, body: { remaining: 48 } })
  })

  if (name === 'express')
    it('hears of the purchase in the same process', async () => {
      const lastEvent = async () => (await call('GET', '/last-event')).body
      await expect.poll(lastEvent).toEqual({ type: 'subscription.activated' })
    })
})
