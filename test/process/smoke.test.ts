// The service as a process, as far as `npm test` goes: it starts, is killed, starts again and stops. All that
// may happen to a process is in *.system.test.ts.
import { expect, it } from 'vitest'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, startService } from '../support/process.js'
import { CHARGILY_KEY, tokenOf } from '../support/world.js'
import { buyPro, call, serviceEnv } from './calls.js'

it('killed after a webhook was answered, it has the payment, once; SIGTERM ends it with 0', async () => {
  buildOnce()
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  const env = await serviceEnv({ PORT: String(await freePort()), CHARGILY_API_URL: emulator.url })
  const first = await startService(env)
  const id = await buyPro(first, emulator, 'user-1')
  expect(await first.kill('SIGKILL')).toBe('SIGKILL')

  const second = await startService(env)
  const { body } = await call(second, await tokenOf({ sub: 'user-1' }), '/billing/payments?status=paid')
  expect(body.data.map((payment: { id: string }) => payment.id)).toEqual([id])
  expect(await second.kill('SIGTERM')).toBe(0)
  await emulator.close()
})
