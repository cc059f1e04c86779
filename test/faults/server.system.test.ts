// `npm run nightly -- fault:server` in small: the database server is killed and comes back while webhooks
// arrive.
import { expect, it } from 'vitest'
import { withEmulator } from './command.js'
import { type Break, runServerOutages } from './server-outages.js'

it('webhooks get 503 while the server is gone, the service recovers by itself, nothing is lost', async () => {
  const outages: Record<string, Break> = { killed: (run) => run.killAndRecover() }
  const { outages: felt, faults } = await withEmulator((emulator) =>
    runServerOutages({ emulator, outages, salesPerOutage: 30 }),
  )
  expect(faults).toEqual([])
  expect(felt[0]?.audit).toEqual({ booked: 30, lost: 0, doubled: 0, faults: [] })
  // Each round of the harness waits for five refusals, so that the outage was really felt.
  expect(felt[0]?.refused).toBeGreaterThanOrEqual(5)
})
