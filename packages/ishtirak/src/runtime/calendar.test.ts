import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { HOUR } from '../core/instant.js'
import { createCalendar, dayIn, quotaWindowsIn } from './calendar.js'

const at = (text: string) => Date.parse(text)
const read = (instant: number) => new Date(instant).toISOString()

const months = (zone: string, anchor: string, count: number) =>
  read(createCalendar(zone).monthsAfter(at(anchor), count))

describe('months after an anchor', () => {
  it('are clamped from the anchor, not from the month before, and remembered or computed the same', () => {
    const calendar = createCalendar('Africa/Algiers')
    const anchor = at('2026-01-31T09:00:00Z')
    // 2028 is a leap year.
    const ends = ['2026-02-28', '2026-03-31', '2026-04-30', '2027-02-28', '2028-02-29', '2026-02-28']
    const found = () => [1, 2, 3, 13, 25, 1].map((count) => read(calendar.monthsAfter(anchor, count)))
    const expected = ends.map((day) => `${day}T09:00:00.000Z`)
    expect(found()).toEqual(expected)
    // More anchors than the cache holds.
    for (let day = 0; day <= 10_000; day++) calendar.monthsAfter(anchor + day, 1)
    expect(found()).toEqual(expected)
  })

  it('count in the zone, and keep its wall clock over a change of summer time', () => {
    // 23:30 UTC on 30 January is 00:30 on the 31st in Algiers (UTC+1).
    expect(months('Africa/Algiers', '2026-01-30T23:30:00Z', 1)).toBe('2026-02-27T23:30:00.000Z')
    expect(months('UTC', '2026-01-30T23:30:00Z', 1)).toBe('2026-02-28T23:30:00.000Z')
    // Paris: noon on 15 March is 11:00 UTC (winter), noon on 15 April 10:00 UTC (summer).
    expect(months('Europe/Paris', '2026-03-15T11:00:00Z', 1)).toBe('2026-04-15T10:00:00.000Z')
  })

  it('of a positive number always moves forward, and more months further', () => {
    const calendar = createCalendar('Africa/Algiers')
    forAll(300, fc.integer({ min: 0, max: at('2060-01-01') }), fc.nat(60), (anchor, months) => {
      const end = calendar.monthsAfter(anchor, months)
      expect(calendar.monthsAfter(anchor, months + 1)).toBeGreaterThan(end)
    })
  })
})

describe('the day of an instant', () => {
  it('in Algiers begins at 23:00 UTC of the day before, to the millisecond', () => {
    const dayOf = dayIn('Africa/Algiers')
    const startsAt = at('2026-11-21T23:00:00Z')
    const day = { date: '2026-11-22', startsAt, endsAt: at('2026-11-22T23:00:00Z') }
    expect([dayOf(startsAt), dayOf(startsAt + HOUR / 2)]).toEqual([day, day])
    expect(dayOf(startsAt - 1).date).toBe('2026-11-21')
  })

  it('is the same whatever days were asked for before', () => {
    const dayOf = dayIn('Europe/Paris')
    forAll(100, fc.array(fc.integer({ min: 0, max: 20 * 24 }), { maxLength: 40 }), (hours) => {
      for (const hour of hours) {
        const instant = at('2026-03-20T00:00:00Z') + hour * HOUR
        expect(dayOf(instant)).toEqual(dayIn('Europe/Paris')(instant))
      }
    })
  })
})

describe('the windows of a counter', () => {
  it('hold their instants, follow on one another, and begin with a day or a first of the month', () => {
    for (const zone of ['Africa/Algiers', 'Europe/Paris', 'America/Sao_Paulo', 'Pacific/Apia']) {
      const windowAt = quotaWindowsIn(zone)
      const dateIn = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
      const instant = fc.integer({ min: at('2005-01-01T00:00:00Z'), max: at('2045-01-01T00:00:00Z') })
      forAll(100, fc.constantFrom('day' as const, 'month' as const), instant, (unit, now) => {
        const { endsAt } = windowAt(unit, now)
        expect(now).toBeLessThan(endsAt)
        expect(windowAt(unit, endsAt - 1).endsAt).toBe(endsAt)
        expect(windowAt(unit, endsAt)).toMatchObject({ startsAt: endsAt })
        const written = (when: number) => dateIn.format(when).slice(0, unit === 'day' ? 10 : 7)
        expect(written(endsAt - 1)).toBe(written(now))
        expect(written(endsAt)).not.toBe(written(now))
      })
    }
  })

  it('is a month of its zone, to the second, where the clocks change in it', () => {
    const endOf = (zone: string, now: string) => read(quotaWindowsIn(zone)('month', at(now)).endsAt)
    expect(endOf('Africa/Algiers', '2026-12-31T22:59:59Z')).toBe('2026-12-31T23:00:00.000Z')
    expect(endOf('Europe/Paris', '2026-03-01T00:00:00Z')).toBe('2026-03-31T22:00:00.000Z')
    expect(endOf('Europe/Paris', '2026-10-01T00:00:00Z')).toBe('2026-10-31T23:00:00.000Z')
  })
})
