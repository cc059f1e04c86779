// How a service is killed under load is in test/faults.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, startService } from '../support/process.js'
import { call } from './calls.js'

it('a killed sandbox keeps checkout, payment and clock', async () => {
  buildOnce()
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-'))
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
    await rm(folder, { recursive: true, force: true })
  }
})
