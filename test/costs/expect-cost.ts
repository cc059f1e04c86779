import { expect } from 'vitest'

/** What a cost may be below its number: more is a gain to be kept. */
const GAIN = 0.9

/** `slack`: below this a difference is chance. */
export function expectCost(name: string, measured: number, most: number, slack = 0): void {
  expect.soft(measured, `${name}: more than its number in costs.ts`).toBeLessThanOrEqual(most)
  expect
    .soft(measured, `${name}: more than 10 % below its number; lower it in costs.ts`)
    .toBeGreaterThanOrEqual(most * GAIN - slack)
}
