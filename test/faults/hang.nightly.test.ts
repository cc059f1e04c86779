// `npm run nightly -- fault:hang` in small: the database server hangs under load, and recovers.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { runHang } from './hang.js'

/** Longer than any timeout of a call, so that all of them are reached. */
const HANG_MS = 6_000
let emulator: Emulator
beforeAll(async () => {
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(() => emulator.close())

it(
  'while the database hangs each call is answered within 6 s, and what was refused is not done ' + 'later',
  async () => {
    const figures = await runHang({ emulator, hangMs: HANG_MS, callsPerSecond: 50 })
    expect(figures.faults).toEqual([])
    expect(figures.slowestMs).toBeLessThan(6_000)
    expect([figures.executedLate, figures.lost]).toEqual([0, 0])
    for (const { kind, refused } of figures.kinds)
      expect([kind, refused > 0]).toEqual([kind, kind !== 'healthz'])
    expect([figures.aliveWhileHung > 0, figures.readyWhileHung]).toEqual([true, 0])
    // After the hang the server first forks for the connections that were opened meanwhile.
    expect(figures.recoveryMs).toBeLessThan(2_000)
  },
)
