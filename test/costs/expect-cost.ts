import { expect } from 'vitest'

/** What a cost may be below its number: more is a gain to be kept. */
const GAIN = 0.9

/**
 * A cost is what the least of the looks shows, since chance adds to it; a gain is what the middle one shows,
 * since one lucky look is none. `slack`: below this a difference is chance.
 */
export function expectCost(name: string, looks: readonly number[], most: number, slack = 0): void {
  const sorted = looks.toSorted((one, other) => one - other)
  expect.soft(sorted[0], `${name}: more than its number in costs.ts`).toBeLessThanOrEqual(most)
  expect
    .soft(
      sorted[Math.floor(sorted.length / 2)],
      `${name}: more than 10 % below its number; lower it in costs.ts`,
    )
    .toBeGreaterThanOrEqual(most * GAIN - slack)
}
