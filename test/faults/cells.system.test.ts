// `npm run fault:cells` in small: each kind of harm once. The waits are not judged.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { CHARGILY_KEY } from '../support/world.js'
import { runCellOutages } from './cell-outages.js'

let emulator: Emulator
beforeAll(async () => {
  requireTool('haproxy')
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(() => emulator.close())

const KINDS = [
  'services of a killed',
  'database of b killed',
  'router killed',
  'half of a moved to b',
  'users of c sent to a',
]
const SALES = 15

it('who is of another cell notices nothing, and nothing is lost, twice or in a wrong cell', async () => {
  const figures = await runCellOutages({ emulator, only: KINDS, salesPerOutage: SALES, services: 1 })
  expect(figures.faults).toEqual([])
  // And five users of whom the router had a wrong map.
  const booked = KINDS.length * SALES + 5
  expect(figures.payments).toEqual({ booked, lost: 0, doubled: 0, faults: [] })
  expect(figures.operations).toMatchObject({ lost: 0, doubled: 0, faults: [] })
})
