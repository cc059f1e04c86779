// The sandbox as a process that is killed without warning: what was promised is still there. How a service is
// killed under load is in test/faults.
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
    const token = (await runCommand(['token', '--user', 'user-1'], env)).output.trim()
    const { body: opened } = await call(service, token, '/billing/upgrade', { plan: 'pro' })
    await service.kill('SIGKILL')
    service = await startService(env)
    const form = new URLSearchParams({ payment_method: 'edahabia', outcome: 'paid' })
    const paid = await fetch(opened.checkout_url, { method: 'POST', body: form, redirect: 'manual' })
    expect(paid.status).toBe(303)
    await service.kill('SIGKILL')
    service = await startService(env)
    const status = async () => (await call(service, token, '/billing/status')).body
    const bought = { plan: 'pro', status: 'active', payment_method: 'edahabia' }
    expect(await status()).toMatchObject(bought)
  } finally {
    await service.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
