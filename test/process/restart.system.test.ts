import { get } from 'node:http'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { runCommand, type ServiceProcess, startService } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { waitFor } from '../support/wait-for.js'
import { call, serviceEnv } from './calls.js'

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

// How a service is killed under load is in test/faults.
it('a killed sandbox keeps checkout, payment and clock', async () => {
  const folder = temporaryFolder()
  await makeEmbeddedFolder(folder)
  const env = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), DATA_DIR: folder }
  let service = await startService(env)
  try {
    const users = ['user-1', 'user-2'].map((user) => runCommand(['token', '--user', user], env))
    const [asked = '', paid = ''] = (await Promise.all(users)).map(({ output }) => output.trim())
    const open = async (token: string): Promise<string> =>
      (await call(service, token, '/billing/upgrade', { plan: 'pro' })).body.checkout_url
    const pay = async (checkout: string) => {
      const body = new URLSearchParams({ payment_method: 'edahabia', outcome: 'paid' })
      expect((await fetch(checkout, { method: 'POST', body, redirect: 'manual' })).status).toBe(303)
    }
    const checkout = await open(asked)
    await pay(await open(paid))
    await service.kill('SIGKILL')
    service = await startService(env)
    const status = async () => (await call(service, paid, '/billing/status')).body
    const bought = { plan: 'pro', status: 'active', payment_method: 'edahabia' }
    expect(await status()).toMatchObject(bought)
    await pay(checkout)
  } finally {
    await service.kill('SIGKILL')
  }
})
