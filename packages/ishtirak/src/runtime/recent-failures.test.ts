// Attempts that failed: how many in how long, whatever the clock does, and however many fail.
import { expect, it } from 'vitest'
import { createRecentFailures } from './recent-failures.js'

const MINUTE = 60_000

it('lets so many fail in the window, then one whenever the oldest leaves it', () => {
  const failures = createRecentFailures(2, MINUTE)
  failures.note('a', 0)
  expect(failures.nextAttemptAt('a', 0)).toBeNull()
  failures.note('a', 1000)
  expect(failures.nextAttemptAt('a', 1000)).toBe(MINUTE)
  expect(failures.nextAttemptAt('b', 1000)).toBeNull()
  expect(failures.nextAttemptAt('a', MINUTE)).toBeNull()
  failures.note('a', MINUTE)
  expect(failures.nextAttemptAt('a', MINUTE)).toBe(1000 + MINUTE)
})

it('forgets what a clock that was ahead noted', () => {
  const failures = createRecentFailures(1, MINUTE)
  failures.note('a', 400 * 86_400_000)
  expect(failures.nextAttemptAt('a', 0)).toBeNull()
  failures.note('a', 0)
  expect(failures.nextAttemptAt('a', 1)).toBe(MINUTE)
})

it('keeps 10,000 callers at most, those who failed last', () => {
  const failures = createRecentFailures(1, MINUTE)
  for (let n = 0; n <= 10_000; n++) failures.note(`user-${n}`, 0)
  expect(failures.nextAttemptAt('user-0', 0)).toBeNull()
  expect(failures.nextAttemptAt('user-1', 0)).toBe(MINUTE)
})
