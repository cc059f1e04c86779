// `npm run fault:hang` in small: the database server stands still under load, and goes on.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { runHang } from './hang.js'

/** A server is created and the service started: minutes on a busy machine, seconds on an idle one. */
const TIMEOUT_MS = 180_000
/** Longer than a call is waited for, so that every kind of giving up is met. */
const HANG_MS = 6_000
let emulator: Emulator
beforeAll(async () => {
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
})
afterAll(() => emulator.close())

it('while the database hangs each call is answered within 6 s, and what was refused is not done later', {
  timeout: TIMEOUT_MS,
}, async () => {
  const figures = await runHang({ emulator, hangMs: HANG_MS, callsPerSecond: 50 })
  expect(figures.faults).toEqual([])
  expect(figures.slowestMs).toBeLessThan(6_000)
  expect([figures.executedLate, figures.lost]).toEqual([0, 0])
  for (const { kind, refused } of figures.kinds)
    expect([kind, refused > 0]).toEqual([kind, kind !== 'healthz'])
  expect([figures.aliveWhileHung > 0, figures.readyWhileHung]).toEqual([true, 0])
  // Awake is not yet rested: it forks for the connections that were tried meanwhile.
  expect(figures.recoveryMs).toBeLessThan(2_000)
})
