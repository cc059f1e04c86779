import { expect, it } from 'vitest'
import { days, NOON } from '../../../../test/support/fixtures.js'
import { ATTEMPT_WAITS, nextAttemptAt, reasonToDisable } from './deliver-events.js'

it('the next attempt comes at the steps of Standard Webhooks, then once a day, a tenth later at most', () => {
  const waits = Array.from({ length: 12 }, (_, index) => (nextAttemptAt(index, NOON, 0) - NOON) / 1000)
  // In seconds: 0, 5, 5 min, 30 min, 2, 5, 10, 14, 20, 24 h, and 24 h from there on.
  expect(waits).toEqual([0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, 86400, 86400])
  expect(ATTEMPT_WAITS).toHaveLength(10)
  expect(nextAttemptAt(2, NOON, 0.5) - NOON).toBe(315_000)
  expect(nextAttemptAt(12, NOON, 0.999) - NOON).toBeLessThan(days(1.1))
})

it('an address is given up at once for 410, else after five days without a success', () => {
  expect(reasonToDisable(410, NOON, NOON)).toBe('it answered 410 Gone')
  expect(reasonToDisable(500, NOON, NOON + days(5) - 1)).toBeNull()
  expect(reasonToDisable(null, NOON, NOON + days(5))).toBe('no attempt has succeeded for five days')
})
