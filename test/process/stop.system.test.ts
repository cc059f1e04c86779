// SIGTERM drains before the listener closes, so that load balancers notice. Ctrl-C does not drain.
import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, type ServiceProcess, startService } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY } from '../support/world.js'

beforeAll(() => buildOnce())

/** On a connection of its own: one that was open before proves nothing. */
function statusOf(service: ServiceProcess, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${service.url}${path}`, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
  })
}

async function start(workers: string, drainSeconds: string): Promise<ServiceProcess> {
  const service = await startService({
    PORT: String(await freePort()),
    WORKERS: workers,
    DRAIN_SECONDS: drainSeconds,
    DATABASE_URL: await postgresUrl(),
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: 'http://127.0.0.1:9',
    AUTH_JWT_SECRET: 'a secret of the tests that is longer than 32 bytes',
  })
  const listening = () => service.lines.filter((line) => line.includes('"message":"listening"'))
  await vi.waitFor(() => expect(listening()).toHaveLength(Number(workers)), PATIENCE)
  return service
}

describe.each(['1', '2'])('with WORKERS=%s', (workers) => {
  it('SIGTERM: /readyz says 503 while requests are still served, then it ends with 0', async () => {
    const service = await start(workers, '5')
    expect(await statusOf(service, '/readyz')).toBe(200)
    const ended = service.kill('SIGTERM')
    const draining = () => service.lines.filter((line) => line.includes('draining'))
    await vi.waitFor(() => expect(draining()).toHaveLength(Number(workers)), PATIENCE)
    const statuses = await Promise.all(
      ['/readyz', '/healthz', '/api/v1/billing/plans', '/readyz'].map((path) => statusOf(service, path)),
    )
    expect(statuses).toEqual([503, 200, 200, 503])
    expect(await ended).toBe(0)
  })

  it('Ctrl-C ends it without a drain', async () => {
    const service = await start(workers, '300')
    expect(await service.kill('SIGINT')).toBe(0)
    expect(service.lines.join('\n')).not.toContain('draining')
  })
})

it('a second signal ends the wait', async () => {
  const service = await start('1', '300')
  const ended = service.kill('SIGTERM')
  await vi.waitFor(() => expect(service.lines.join('\n')).toContain('draining'), PATIENCE)
  service.kill('SIGTERM')
  expect(await ended).toBe(1)
})

it(
  'connections without a request, and requests that never become whole, do not hold up the ' + 'end',
  async () => {
    const service = await start('1', '0')
    const { hostname, port } = new URL(service.url)
    for (const sent of ['', 'GET /healthz HTTP/1.1\r\n']) {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(sent)
    }
    // Connections are accepted in their order: those before this one have been.
    await statusOf(service, '/healthz')
    expect(await service.kill('SIGTERM')).toBe(0)
  },
)
