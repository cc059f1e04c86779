// Months of prepaid time, over years of dates.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCalendar } from '../runtime/calendar.js'
import { type Instant, toTimestamp } from './instant.js'
import { type PaidRun, paidUntil, timeBehind } from './subscription.js'

const algiers = createCalendar('Africa/Algiers')
const instantOf = (text: string): Instant => Date.parse(text)
const periodBehind = (run: PaidRun, months: number) => timeBehind(algiers, run, { months }).period
const anyInstant = fc.integer({
  min: instantOf('2020-01-01T00:00:00Z'),
  max: instantOf('2060-01-01T00:00:00Z'),
})

describe('paid months', () => {
  it('bought on 31 January end on 28 February, 31 March and 30 April', () => {
    const anchorAt = instantOf('2026-01-31T10:00:00Z')
    const ends = [1, 2, 3].map((months) => toTimestamp(paidUntil(algiers, { anchorAt, months })))
    expect(ends).toEqual(['2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z', '2026-04-30T10:00:00Z'])
  })

  it('bought on 31 January of a leap year end on 29 February', () => {
    const anchorAt = instantOf('2028-01-31T10:00:00Z')
    expect(toTimestamp(paidUntil(algiers, { anchorAt, months: 1 }))).toBe('2028-02-29T10:00:00Z')
  })

  it('count the day in Algiers, not in UTC: 23:30 UTC on the 30th is already the 31st there', () => {
    const anchorAt = instantOf('2026-01-30T23:30:00Z')
    // 31 January 00:30 in Algiers plus a month is 28 February 00:30 there, 27 February 23:30 UTC.
    expect(toTimestamp(paidUntil(algiers, { anchorAt, months: 1 }))).toBe('2026-02-27T23:30:00Z')
  })

  it('keep the wall-clock time where the zone has summer time', () => {
    const paris = createCalendar('Europe/Paris')
    const anchorAt = instantOf('2026-03-15T09:00:00Z')
    // 10:00 in Paris is 09:00 UTC in winter and 08:00 UTC from 29 March on.
    expect(toTimestamp(paidUntil(paris, { anchorAt, months: 1 }))).toBe('2026-04-15T08:00:00Z')
  })

  it('follow each other without gap or overlap, from any anchor and of any length', () => {
    const length = fc.integer({ min: 1, max: 36 })
    fc.assert(
      fc.property(anyInstant, fc.nat({ max: 480 }), length, length, (anchorAt, months, one, other) => {
        const period = periodBehind({ anchorAt, months }, one)
        const following = periodBehind({ anchorAt, months: months + one }, other)
        expect(period.end).toBe(following.start)
        expect(period.end).toBeGreaterThan(period.start)
      }),
    )
  })

  it('last 28 to 31 days in a zone without summer time', () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: 0, max: 480 }), (anchorAt, months) => {
        const { start, end } = periodBehind({ anchorAt, months }, 1)
        const days = (end - start) / 86_400_000
        expect([28, 29, 30, 31]).toContain(days)
      }),
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
