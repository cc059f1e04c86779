import { expect } from 'vitest'

/** What a cost may be below its number: more is a gain to be kept. */
const GAIN = 0.9

/** One look, or several: a cost is what the least of them shows, a gain is what each of them shows. */
export type Looks = number | { readonly least: number; readonly most: number }

export function range(figures: readonly number[]): Exclude<Looks, number> {
  return { least: Math.min(...figures), most: Math.max(...figures) }
}

/** `slack`: below this a difference is chance. */
export function expectCost(name: string, looks: Looks, number: number, slack = 0): void {
  const { least, most } = typeof looks === 'number' ? range([looks]) : looks
  expect.soft(least, `${name}: more than its number in costs.ts`).toBeLessThanOrEqual(number)
  expect
    .soft(most, `${name}: more than 10 % below its number; lower it in costs.ts`)
    .toBeGreaterThanOrEqual(number * GAIN - slack)
}
