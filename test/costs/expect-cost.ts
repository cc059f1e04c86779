/** What a cost may be below its number: more is a gain to be kept. */
const GAIN = 0.9

/** Chance adds to a cost, so the least look counts. One lucky look is no gain: there the middle one does. */
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
