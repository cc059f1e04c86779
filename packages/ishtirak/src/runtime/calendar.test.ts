import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../core/instant.js'
import { createCalendar, dayIn, quotaWindowsIn } from './calendar.js'

const at = (text: string) => Date.parse(text)
const read = (instant: number) => new Date(instant).toISOString()

describe('months after an anchor', () => {
  it.each([
    [1, '2026-02-28T09:00:00.000Z'],
    [2, '2026-03-31T09:00:00.000Z'],
    [3, '2026-04-30T09:00:00.000Z'],
    [13, '2027-02-28T09:00:00.000Z'],
    [25, '2028-02-29T09:00:00.000Z'], // 2028 is a leap year
  ])(
    '31 January plus %i months is clamped from the anchor, not from the month before',
    (months, expected) => {
      expect(read(createCalendar('Africa/Algiers').monthsAfter(at('2026-01-31T09:00:00Z'), months))).toBe(
        expected,
      )
    },
  )

  it('counts in the zone: 23:30 UTC on 30 January is already the 31st in Algiers', () => {
    const anchor = at('2026-01-30T23:30:00Z')
    // Algiers (UTC+1): 00:30 on 31 January -> 00:30 on 28 February, which is 23:30 UTC on the 27th.
    expect(read(createCalendar('Africa/Algiers').monthsAfter(anchor, 1))).toBe('2026-02-27T23:30:00.000Z')
    expect(read(createCalendar('UTC').monthsAfter(anchor, 1))).toBe('2026-02-28T23:30:00.000Z')
  })

  it('are the same when asked again, also after more anchors than are remembered', () => {
    const calendar = createCalendar('Africa/Algiers')
    const anchor = at('2026-01-31T09:00:00Z')
    const first = [1, 2, 1].map((months) => read(calendar.monthsAfter(anchor, months)))
    for (let day = 0; day <= 10_000; day++) calendar.monthsAfter(anchor + day, 1)
    expect([1, 2, 1].map((months) => read(calendar.monthsAfter(anchor, months)))).toEqual(first)
    expect(first).toEqual([
      '2026-02-28T09:00:00.000Z',
      '2026-03-31T09:00:00.000Z',
      '2026-02-28T09:00:00.000Z',
    ])
  })

  it('keeps the wall clock over a change of summer time', () => {
    // Paris: noon on 15 March is 11:00 UTC (winter), noon on 15 April 10:00 UTC (summer).
    const end = createCalendar('Europe/Paris').monthsAfter(at('2026-03-15T11:00:00Z'), 1)
    expect(read(end)).toBe('2026-04-15T10:00:00.000Z')
  })

  it('of a positive number always moves forward, and more months further', () => {
    const calendar = createCalendar('Africa/Algiers')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: at('2060-01-01') }), fc.nat(60), (anchor, months) => {
        const end = calendar.monthsAfter(anchor, months)
        expect(calendar.monthsAfter(anchor, months + 1)).toBeGreaterThan(end)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the day of an instant', () => {
  it('in Algiers begins at 23:00 UTC of the day before', () => {
    const day = dayIn('Africa/Algiers')(at('2026-11-21T23:30:00Z'))
    expect(day).toEqual({
      date: '2026-11-22',
      startsAt: at('2026-11-21T23:00:00Z'),
      endsAt: at('2026-11-22T23:00:00Z'),
    })
  })

  it('belongs to the next day from its very first millisecond', () => {
    const dayOf = dayIn('Africa/Algiers')
    const midnight = at('2026-11-21T23:00:00Z')
    expect(dayOf(midnight - 1).date).toBe('2026-11-21')
    expect(dayOf(midnight).date).toBe('2026-11-22')
    expect(dayOf(midnight - 1).date).toBe('2026-11-21')
  })

  it('is the same whatever days were asked for before', () => {
    const dayOf = dayIn('Europe/Paris')
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 * 24 }), { maxLength: 40 }), (hours) => {
        for (const hour of hours) {
          const instant = at('2026-03-20T00:00:00Z') + hour * HOUR
          expect(dayOf(instant)).toEqual(dayIn('Europe/Paris')(instant))
        }
      }),
    )
  })

  it.each([
    ['2026-03-29T12:00:00Z', 23 * HOUR],
    ['2026-10-25T12:00:00Z', 25 * HOUR],
    ['2026-11-21T12:00:00Z', DAY],
  ])('of %s in Paris lasts as long as the clocks make it', (text, length) => {
    const day = dayIn('Europe/Paris')(at(text))
    expect(day.endsAt - day.startsAt).toBe(length)
  })
})

describe('the windows of a counter', () => {
  it.each(['Africa/Algiers', 'Europe/Paris', 'America/Sao_Paulo', 'Pacific/Apia'])(
    'in %s hold their instants, follow on one another, and begin with a day or a first of the month',
    (zone) => {
      const windowAt = quotaWindowsIn(zone)
      const dateIn = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
      const instant = fc.integer({ min: at('2005-01-01T00:00:00Z'), max: at('2045-01-01T00:00:00Z') })
      fc.assert(
        fc.property(fc.constantFrom('day' as const, 'month' as const), instant, (unit, now) => {
          const { endsAt } = windowAt(unit, now)
          expect(now).toBeLessThan(endsAt)
          expect(windowAt(unit, endsAt - 1).endsAt).toBe(endsAt)
          expect(windowAt(unit, endsAt)).toMatchObject({ startsAt: endsAt })
          const written = (when: number) => dateIn.format(when).slice(0, unit === 'day' ? 10 : 7)
          expect(written(endsAt - 1)).toBe(written(now))
          expect(written(endsAt)).not.toBe(written(now))
        }),
      )
    },
  )

  it('is a month of its zone, to the second, where the clocks change in it', () => {
    const endOf = (zone: string, now: string) => read(quotaWindowsIn(zone)('month', at(now)).endsAt)
    expect(endOf('Africa/Algiers', '2026-12-31T22:59:59Z')).toBe('2026-12-31T23:00:00.000Z')
    expect(endOf('Africa/Algiers', '2026-12-31T23:00:00Z')).toBe('2027-01-31T23:00:00.000Z')
    expect(endOf('Europe/Paris', '2026-03-01T00:00:00Z')).toBe('2026-03-31T22:00:00.000Z')
    expect(endOf('Europe/Paris', '2026-10-01T00:00:00Z')).toBe('2026-10-31T23:00:00.000Z')
  })
})
