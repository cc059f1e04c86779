// The service as a process: killed without warning, stopped in order, started twice. What was promised is
// still there.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { postgresUrl } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, checkoutIdOf, JWT_SECRET, tokenOf } from '../support/world.js'
import { call } from './calls.js'

beforeAll(() => buildOnce())

describe('a killed service', () => {
  let env: Record<string, string>
  let emulator: Emulator
  let service: ServiceProcess
  let isRunning = false
  let users = 0
  let token: string

  beforeAll(async () => {
    emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
    env = {
      PORT: String(await freePort()),
      DATABASE_URL: await postgresUrl(),
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: emulator.url,
      AUTH_JWT_SECRET: JWT_SECRET,
    }
  })
  afterAll(async () => {
    if (isRunning) await service.kill('SIGKILL')
    await emulator.close()
  })
  // The service that one test has started serves the next: each has a user of its own.
  beforeEach(async () => {
    token = await tokenOf({ sub: `user-${++users}` })
    if (!isRunning) await start()
  })

  const start = async () => {
    service = await startService(env)
    isRunning = true
  }
  const end = (signal: NodeJS.Signals) => {
    isRunning = false
    return service.kill(signal)
  }
  const ask = (route: string, body?: object) => call(service, token, `/billing${route}`, body)
  const click = () => ask('/upgrade', { plan: 'pro' })
  const payments = async () => (await ask('/payments')).body.data
  /** A click that waits for the provider. */
  const slowClick = async (ms: number) => {
    emulator.setFaults({ api_slow: { ms, times: 1 } })
    const clicked = click()
    await vi.waitFor(async () => expect(await payments()).toHaveLength(1), PATIENCE)
    return { clicked }
  }

  it('while it waited for the provider: the next click continues with one checkout', async () => {
    // A little less than the service waits for.
    const { clicked } = await slowClick(3_500)
    await end('SIGKILL')
    await start()
    expect((await clicked).status).toBe(0)
    // The killed process holds its attempt for five seconds, of which a click waits for four: 503 after a
    // quick start.
    const { body } = await vi.waitFor(async () => {
      const answer = await click()
      expect(answer.status).toBe(200)
      return answer
    }, PATIENCE)
    await emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await emulator.settled()
    expect((await ask('/status')).body.plan).toBe('pro')
    expect(await payments()).toEqual([expect.objectContaining({ id: body.payment_id, status: 'paid' })])
  })

  it('after a click: the same checkout is given again; paid while it is down, it is found', async () => {
    const clicked = await click()
    await end('SIGKILL')
    await start()
    expect(await click()).toEqual(clicked)
    await end('SIGKILL')
    await emulator.pay(checkoutIdOf(clicked.body.checkout_url), 'paid', 'cib')
    await emulator.settled()
    await start()
    const bought = { plan: 'pro', status: 'active', payment_method: 'cib' }
    expect((await ask('/status')).body).toMatchObject(bought)
    expect(await payments()).toHaveLength(1)
    const ownCheckouts = emulator
      .checkouts()
      .filter(({ metadata }) => JSON.stringify(metadata).includes(`"user-${users}"`))
    expect(ownCheckouts).toHaveLength(1)
  })

  it('asked to stop, it finishes the open requests and ends with 0', async () => {
    const { clicked } = await slowClick(2_000)
    const ended = end('SIGTERM')
    expect((await clicked).status).toBe(200)
    expect(await ended).toBe(0)
  })
})

it('a killed sandbox keeps checkout, payment and clock', async () => {
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
