// The service as a process: killed without warning, stopped in order, started twice. What was promised is
// still there.
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { postgresUrl } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, checkoutIdOf, tokenOf } from '../support/world.js'

const SECRET = 'a secret of the tests that is longer than 32 bytes'
const BILLING = '/api/v1/billing'

/**
 * A start takes one second of computing: ten on a machine where others compute as well, and a test needs up
 * to three.
 */
/** A first request on a busy machine takes longer than the second that vitest waits by itself. */

let template: string
beforeAll(async () => {
  buildOnce()
  template = await mkdtemp(path.join(tmpdir(), 'ishtirak-'))
  await makeEmbeddedFolder(template)
})
afterAll(() => rm(template, { recursive: true, force: true }))

/** A data folder of one's own. */
async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-'))
  await cp(template, folder, { recursive: true })
  return folder
}

describe.each(['pglite', 'postgres'])('a killed service (%s)', (kind) => {
  let folder: string
  let env: Record<string, string>
  let emulator: Emulator
  let service: ServiceProcess
  let isRunning = false
  let users = 0
  let userId: string
  let token: string

  beforeAll(async () => {
    folder = await makeFolder()
    emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
    env = {
      PORT: String(await freePort()),
      DATA_DIR: folder,
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: emulator.url,
      AUTH_JWT_SECRET: SECRET,
      ...(kind === 'postgres' ? { DATABASE_URL: await postgresUrl() } : {}),
    }
  })
  afterAll(async () => {
    if (isRunning) await service.kill('SIGKILL')
    await emulator.close()
    await rm(folder, { recursive: true, force: true })
  })
  // What one test has started again serves the next: each has a user of its own.
  beforeEach(async () => {
    userId = `user-${++users}`
    token = await tokenOf({ sub: userId })
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
  const ask = async (route: string, body?: unknown) => {
    const response = await fetch(`${service.url}${BILLING}${route}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  const killAndRestart = async () => {
    await end('SIGKILL')
    await start()
  }
  const paidPayments = async () => (await ask('/payments?status=paid')).body.data

  it(
    'while it waited for the provider: the next click continues, and one checkout is given ' + 'out',
    async () => {
      // A little less than the service waits for.
      emulator.setFaults({ api_slow: { ms: 3_500, times: 1 } })
      const click = ask('/upgrade', { plan: 'pro' }).catch(() => 'cut off')
      await vi.waitFor(async () => expect((await ask('/payments')).body.data).toHaveLength(1), PATIENCE)
      await killAndRestart()
      expect(await click).toBe('cut off')
      // The killed process holds its attempt for five seconds, of which a click waits for four: 503 after a
      // quick start.
      const { body } = await vi.waitFor(async () => {
        const answer = await ask('/upgrade', { plan: 'pro' })
        expect(answer.status).toBe(200)
        return answer
      }, PATIENCE)
      expect((await ask('/payments')).body.data.map((payment: { id: string }) => payment.id)).toEqual([
        body.payment_id,
      ])
      await emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
      await emulator.settled()
      expect((await ask('/status')).body.plan).toBe('pro')
      expect(await paidPayments()).toHaveLength(1)
    },
  )

  it('after the click: the same checkout is given again', async () => {
    const before = await ask('/upgrade', { plan: 'pro' })
    await killAndRestart()
    expect(await ask('/upgrade', { plan: 'pro' })).toEqual(before)
    const checkouts = emulator
      .checkouts()
      .filter(({ metadata }) => JSON.stringify(metadata).includes(`"${userId}"`))
    expect(checkouts).toHaveLength(1)
  })

  it(
    'while the user paid, so that the webhook was refused: their next status finds the ' + 'payment',
    async () => {
      const { body } = await ask('/upgrade', { plan: 'pro' })
      await end('SIGKILL')
      await emulator.pay(checkoutIdOf(body.checkout_url), 'paid', 'cib')
      await emulator.settled()
      await start()
      expect((await ask('/status')).body).toMatchObject({
        plan: 'pro',
        status: 'active',
        payment_method: 'cib',
      })
      expect(await paidPayments()).toHaveLength(1)
    },
  )

  it('right after the webhook was answered: the payment is booked, once', async () => {
    const { body } = await ask('/upgrade', { plan: 'pro' })
    await emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await emulator.settled()
    await killAndRestart()
    const delivery = emulator.deliveries().at(-1)
    if (!delivery) throw new Error('the emulator delivered nothing')
    await emulator.resend(delivery.id)
    expect(await paidPayments()).toHaveLength(1)
  })

  it('asked to stop, it finishes the open requests and ends with 0', async () => {
    emulator.setFaults({ api_slow: { ms: 2_000, times: 1 } })
    const click = ask('/upgrade', { plan: 'pro' })
    await vi.waitFor(async () => expect((await ask('/payments')).body.data).toHaveLength(1), PATIENCE)
    const ended = end('SIGTERM')
    expect((await click).status).toBe(200)
    expect(await ended).toBe(0)
  })
})

describe('the sandbox', () => {
  it('survives the plug being pulled: checkout, payment and clock are still there', async () => {
    const folder = await makeFolder()
    const env = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), DATA_DIR: folder }
    let service = await startService(env)
    try {
      const { output } = await runCommand(['token', '--user', 'user-1'], env)
      const headers = { authorization: `Bearer ${output.trim()}`, 'content-type': 'application/json' }
      const upgrade = { method: 'POST', headers, body: '{"plan":"pro"}' }
      const opened = await (await fetch(`${service.url}${BILLING}/upgrade`, upgrade)).json()
      await service.kill('SIGKILL')
      service = await startService(env)
      const form = new URLSearchParams({ payment_method: 'edahabia', outcome: 'paid' })
      const paid = await fetch(opened.checkout_url, { method: 'POST', body: form, redirect: 'manual' })
      expect(paid.status).toBe(303)
      await service.kill('SIGKILL')
      service = await startService(env)
      const status = await (await fetch(`${service.url}${BILLING}/status`, { headers })).json()
      expect(status).toMatchObject({ plan: 'pro', status: 'active', payment_method: 'edahabia' })
    } finally {
      await service.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    }
  })

  it(
    'with a part of its database missing is refused, and has the payment when the part is ' + 'back',
    async () => {
      const folder = await makeFolder()
      const env = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), DATA_DIR: folder }
      const part = path.join(folder, 'database', 'postgres', 'PG_VERSION')
      let service = await startService(env)
      try {
        const { output } = await runCommand(['token', '--user', 'user-1'], env)
        const headers = { authorization: `Bearer ${output.trim()}`, 'content-type': 'application/json' }
        const upgrade = { method: 'POST', headers, body: '{"plan":"pro"}' }
        const opened = await (await fetch(`${service.url}${BILLING}/upgrade`, upgrade)).json()
        const form = new URLSearchParams({ payment_method: 'edahabia', outcome: 'paid' })
        await fetch(opened.checkout_url, { method: 'POST', body: form, redirect: 'manual' })
        const planOf = async () =>
          (await (await fetch(`${service.url}${BILLING}/status`, { headers })).json()).plan
        await vi.waitFor(async () => expect(await planOf()).toBe('pro'), PATIENCE)
        await service.kill('SIGTERM')

        await rename(part, `${part}.away`)
        const refused = await runCommand(['serve'], env)
        expect(refused.code).toBe(1)
        expect(refused.output).toContain('is not whole: PG_VERSION is missing')
        await rename(`${part}.away`, part)
        service = await startService(env)
        expect(await planOf()).toBe('pro')
      } finally {
        await service.kill('SIGKILL')
        await rm(folder, { recursive: true, force: true })
      }
    },
  )

  it('does not start in production without its secrets, and names all that are missing at once', async () => {
    const { code, output } = await runCommand(['serve'], { NODE_ENV: 'production' })
    expect(code).toBe(1)
    expect(output).toContain('CHARGILY_SECRET_KEY')
    expect(output).toContain('AUTH_JWT_SECRET')
  })
})
