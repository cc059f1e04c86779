// A refusal is written to the audit trail before it is answered; where that hangs, the caller is answered all
// the same.
import { once } from 'node:events'
import { captureLog, expectProblem, PUBLIC_URL } from '../../../../test/support/example-app.js'
import { BillingError } from '../core/error.js'
import { createApp } from '../http/app.js'
import { recordRefusals } from './refusals.js'

it('whose record hangs is answered within 6 s, and the process goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const app = createApp({ log: captureLog().log, publicUrl: PUBLIC_URL })
  onTestFinished(async () => {
    vi.useRealTimers()
    app.server.closeAllConnections()
    await app.close()
  })
  const recorded = new EventTarget()
  await app.register(async (plugin) => {
    const record = () => {
      recorded.dispatchEvent(new Event('begun'))
      return new Promise<void>(() => undefined)
    }
    recordRefusals(plugin, record, () => null)
    plugin.get('/refused', () => {
      throw new BillingError('forbidden')
    })
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const begun = once(recorded, 'begun')
  const answer = fetch(`${base}/refused`)
  await begun
  await vi.advanceTimersByTimeAsync(6_000)
  await expectProblem(await answer, 503, 'took_too_long')
})
