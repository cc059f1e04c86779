// The service as a process, as far as `npm test` goes: it starts, is killed, starts again and stops. All that
// may happen to a process is in *.system.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, startService } from '../support/process.js'
import { CHARGILY_KEY, checkoutIdOf, JWT_SECRET, tokenOf } from '../support/world.js'

// Three seconds of computing; a busy machine takes its time.
let emulator: Emulator
beforeAll(async () => {
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(() => emulator.close())

it(
  'killed with SIGKILL after a webhook was answered, the payment is booked, once; SIGTERM ends it with ' +
    '0',
  async () => {
    const env = {
      PORT: String(await freePort()),
      DATABASE_URL: await postgresUrl(),
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      CHARGILY_API_URL: emulator.url,
      AUTH_JWT_SECRET: JWT_SECRET,
    }
    const headers = {
      authorization: `Bearer ${await tokenOf({ sub: 'user-1' })}`,
      'content-type': 'application/json',
    }
    const ask = async (url: string, request?: RequestInit) =>
      (
        await fetch(`${url}/api/v1/billing${request ? '/upgrade' : '/payments?status=paid'}`, {
          headers,
          ...request,
        })
      ).json()

    const first = await startService(env)
    const opened = await ask(first.url, { method: 'POST', body: '{"plan":"pro"}' })
    await emulator.pay(checkoutIdOf(opened.checkout_url), 'paid')
    await emulator.settled()
    expect(await first.kill('SIGKILL')).toBe('SIGKILL')

    const second = await startService(env)
    const { data } = await ask(second.url)
    expect(data.map((payment: { id: string }) => payment.id)).toEqual([opened.payment_id])
    expect(await second.kill('SIGTERM')).toBe(0)
  },
)
