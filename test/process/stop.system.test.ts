import { get } from 'node:http'
import { beforeAll, expect, it } from 'vitest'
import { buildOnce, type ServiceProcess, startService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { serviceEnv } from './calls.js'

beforeAll(() => buildOnce())

/** On a new connection: one that was open before proves nothing. */
function statusOf(service: ServiceProcess, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${service.url}${path}`, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
  })
}

const logged = ({ lines }: ServiceProcess, text: string) =>
  waitFor(
    () => lines.some((line) => line.includes(text)),
    () => lines.join('\n'),
  )

const start = async (drainSeconds: string): Promise<ServiceProcess> =>
  startService(await serviceEnv({ DRAIN_SECONDS: drainSeconds }))

it('SIGTERM: /readyz says 503 while requests are still served, then it ends with 0', async () => {
  const service = await start('5')
  expect(await statusOf(service, '/readyz')).toBe(200)
  const ended = service.kill('SIGTERM')
  await logged(service, 'draining')
  const paths = ['/readyz', '/healthz', '/api/v1/billing/plans', '/readyz']
  expect(await Promise.all(paths.map((path) => statusOf(service, path)))).toEqual([503, 200, 200, 503])
  expect(await ended).toBe(0)
})

it('Ctrl-C ends it without a drain', async () => {
  const service = await start('300')
  expect(await service.kill('SIGINT')).toBe(0)
  expect(service.lines.join('\n')).not.toContain('draining')
})

it('a second signal ends the wait', async () => {
  const service = await start('300')
  const ended = service.kill('SIGTERM')
  await logged(service, 'draining')
  service.kill('SIGTERM')
  expect(await ended).toBe(1)
})
