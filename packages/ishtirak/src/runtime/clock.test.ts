import { movableClock } from './clock.js'

it('a movable clock is ahead of its base by all that it was advanced, and stands still on a number', () => {
  let base = 1_000
  const clock = movableClock({ now: () => base })
  clock.advance(500)
  clock.advance(250)
  base = 1_010
  expect(clock.now()).toBe(1_760) // 1,010 + 500 + 250
  const still = movableClock(5_000)
  expect([still.now(), still.now()]).toEqual([5_000, 5_000])
  for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => still.advance(ms)).toThrow(RangeError)
})
