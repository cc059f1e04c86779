// `npm run nightly -- fault:server` in small: the database server is killed and comes back while webhooks
// arrive.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { runServerOutages } from './server-outages.js'

let emulator: Emulator
beforeAll(async () => {
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(() => emulator.close())

it('webhooks get 503 while the server is gone, the service recovers by itself, nothing is lost', async () => {
  const outages = { killed: (run) => run.killAndRecover() } satisfies Parameters<
    typeof runServerOutages
  >[0]['outages']
  const figures = await runServerOutages({ emulator, outages, salesPerOutage: 30 })
  expect(figures.faults).toEqual([])
  expect(figures.outages[0]?.audit).toEqual({ booked: 30, lost: 0, doubled: 0, faults: [] })
  // Each round of the harness waits for five refusals, so that the outage was really felt.
  expect(figures.outages[0]?.refused).toBeGreaterThanOrEqual(5)
})
