// The duty on cash, by the figures of docs/seller.example.json and on both sides of each bound.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FLAT, GRADED } from '../../../../test/support/stamp-duty.js'
import { stampDutyOn } from './stamp-duty.js'

describe('the stamp duty', () => {
  it('at one rate is for each hundred that was begun, up to the most', () => {
    for (const [amount, centimes] of [
      [1, 500],
      [500, 500],
      // A part of a hundred counts as a hundred.
      [501, 600],
      [2_000, 2_000],
      [1_000_000, 1_000_000],
      // The most.
      [1_000_001, 1_000_000],
    ] as const) {
      expect.soft(stampDutyOn(amount, FLAT), String(amount)).toBe(centimes)
    }
  })

  it('by brackets is at the rate of the whole amount, and never below the least', () => {
    for (const [amount, centimes] of [
      [300, 0],
      // 4 hundreds are 4 dinars: the least is 5.
      [301, 500],
      [500, 500],
      [501, 600],
      [2_000, 2_000],
      [30_000, 30_000],
      // All of it at the next rate, not what is above the bound: 301 × 1.50.
      [30_001, 45_150],
      [100_000, 150_000],
      // 1,001 × 2.
      [100_001, 200_200],
      [2_000_000, 4_000_000],
    ] as const) {
      expect.soft(stampDutyOn(amount, GRADED), String(amount)).toBe(centimes)
    }
  })

  it('as a percentage is rounded up to whole dinars', () => {
    for (const [amount, centimes] of [
      [1_050, 1_100],
      // 30,050 × 1.5 % = 450.75 dinars.
      [30_050, 45_100],
      [40_000, 60_000],
    ] as const) {
      expect.soft(stampDutyOn(amount, { ...GRADED, wholeHundreds: false }), String(amount)).toBe(centimes)
    }
  })

  it('is in whole centimes, and never less for more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.nat(1_000),
        fc.boolean(),
        (amount, more, wholeHundreds) => {
          const term = { ...GRADED, wholeHundreds }
          const [less, greater] = [stampDutyOn(amount, term), stampDutyOn(amount + more, term)]
          expect(Number.isSafeInteger(less)).toBe(true)
          expect(greater).toBeGreaterThanOrEqual(less)
        },
      ),
    )
  })
})
