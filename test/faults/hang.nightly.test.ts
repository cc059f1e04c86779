// `npm run nightly -- fault:hang` in small: the database server hangs under load, and recovers.
import { withEmulator } from './command.js'
import { MOST_AT_WORK, runHang } from './hang.js'

/** Longer than any timeout of a call, so that all of them are reached. */
const HANG_MS = 6_000

it('while the database hangs, calls are answered within 6 s; a refused one is not done later', async () => {
  const figures = await withEmulator((emulator) => runHang({ emulator, hangMs: HANG_MS, callsPerSecond: 50 }))
  expect(figures).toMatchObject({ faults: [], executedLate: 0, lost: 0, readyWhileHung: 0 })
  expect(figures.executedOnWaking).toBeLessThanOrEqual(MOST_AT_WORK)
  expect(figures.slowestMs).toBeLessThan(6_000)
  for (const { kind, refused } of figures.kinds)
    expect([kind, refused > 0]).toEqual([kind, kind !== 'healthz'])
  expect(figures.aliveWhileHung).toBeGreaterThan(0)
  // After the hang the server first forks for the connections that were opened meanwhile.
  expect(figures.recoveryMs).toBeLessThan(2_000)
})
