// Months of prepaid time, over years of dates. Single dates are in runtime/calendar.test.ts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCalendar } from '../runtime/calendar.js'
import type { Instant } from './instant.js'
import { type PaidRun, paidUntil, timeBehind } from './subscription.js'

const algiers = createCalendar('Africa/Algiers')
const periodBehind = (run: PaidRun, months: number) => timeBehind(algiers, run, { months }).period
const anyInstant = fc.integer({
  min: Date.parse('2020-01-01T00:00:00Z'),
  max: Date.parse('2060-01-01T00:00:00Z'),
})

describe('paid months', () => {
  it('follow each other without gap or overlap, from any anchor and of any length', () => {
    const length = fc.integer({ min: 1, max: 36 })
    fc.assert(
      fc.property(anyInstant, fc.nat({ max: 480 }), length, length, (anchorAt, months, one, other) => {
        const period = periodBehind({ anchorAt, months }, one)
        const following = periodBehind({ anchorAt, months: months + one }, other)
        expect(period.end).toBe(following.start)
        expect(period.end).toBeGreaterThan(period.start)
      }),
      { examples: [[Date.parse('2026-01-31T10:00:00Z'), 1, 1, 1]] },
    )
  })

  it('end on the day of the anchor, or on the last day of a month too short for it', () => {
    const dayIn = (instant: Instant) => new Date(instant + 3_600_000) // Algiers is UTC+1 all year.
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: 1, max: 480 }), (anchorAt, months) => {
        const end = dayIn(paidUntil(algiers, { anchorAt, months }))
        const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
        expect(end.getUTCDate()).toBe(Math.min(dayIn(anchorAt).getUTCDate(), lastDay))
      }),
    )
  })
})
