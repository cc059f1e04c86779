import fc from 'fast-check'
import { instantOf } from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { DAY, toTimestamp } from './instant.js'
import { type GivenTime, listTime } from './time-list.js'

const january = instantOf('2026-01-01T00:00:00Z')
const day = (n: number) => january + n * DAY

function given(of: Partial<GivenTime> & { readonly from: number; readonly to: number }): GivenTime {
  const { from, to, ...more } = of
  return {
    ...{ by: 'paid', id: `pay_${from}`, plan: { id: 'pro', name: 'Pro' }, months: 1, days: 0 },
    ...{ start: day(from), end: day(to), bookedAt: day(from), refundedAt: null, holder: null, ...more },
  }
}

const pieces = (...of: Parameters<typeof listTime>) =>
  listTime(...of).map((time) =>
    [
      ...(time.by === 'gap' ? ['gap'] : [time.by, time.id]),
      toTimestamp(time.start).slice(5, 10),
      toTimestamp(time.end).slice(5, 10),
    ].join(' '),
  )

describe('all time of a user', () => {
  it('stands in order, with the gaps between, from whatever gave it', () => {
    const times = [
      given({ from: 60, to: 90, by: 'code', id: 'red_1' }),
      given({ from: 0, to: 31 }),
      given({ from: 31, to: 45, by: 'granted', id: 'grt_1', months: 0, days: 14 }),
    ]
    expect(pieces(times, [])).toEqual([
      'paid pay_0 01-01 02-01',
      'granted grt_1 02-01 02-15',
      'gap 02-15 03-02',
      'code red_1 03-02 04-01',
    ])
  })

  it('has of a refund what was used before it, and nothing of what had not begun', () => {
    const refunded = { refundedAt: day(10) }
    const times = [given({ from: 0, to: 31, ...refunded }), given({ from: 31, to: 59, ...refunded })]
    expect(pieces(times, [])).toEqual(['paid pay_0 01-01 01-11'])
    expect(listTime(times, [])[0]).toMatchObject({ isRefunded: true })
    // The time was used up before its money was refunded.
    expect(pieces([given({ from: 0, to: 31, refundedAt: day(40) })], [])).toEqual(['paid pay_0 01-01 02-01'])
  })

  it('ends where an operator ended it, and begins again with what was booked later', () => {
    const times = [
      given({ from: 0, to: 31 }),
      given({ from: 31, to: 59, bookedAt: day(5) }),
      // The provider says that it was paid before the end, but it was booked after the end.
      given({ from: 9, to: 40, bookedAt: day(11) }),
    ]
    expect(pieces(times, [day(10)])).toEqual(['paid pay_0 01-01 01-11', 'paid pay_9 01-10 02-10'])
  })

  it('joins days granted behind each other, of the same plan alone', () => {
    const grant = (from: number, to: number, id = 'pro') =>
      given({
        ...{ from, to, by: 'granted', id: `grt_${from}`, plan: { id, name: id }, months: 0, days: to - from },
      })
    const grants = [grant(0, 3), grant(3, 5), grant(5, 9, 'business'), grant(12, 13, 'business')]
    expect(pieces(grants, [])).toEqual([
      'granted grt_0 01-01 01-06',
      'granted grt_5 01-06 01-10',
      'gap 01-10 01-13',
      'granted grt_12 01-13 01-14',
    ])
    expect(listTime([grant(0, 3), grant(3, 5)], [])[0]).toMatchObject({ days: 5 })
  })

  it('is cut where its plan changes: each piece is of the payment that bought its plan', () => {
    const team = { id: 'team', name: 'Team' }
    const change = (at: number, of: object = {}) => ({
      ...{ id: `chg_${at}`, plan: team, at: day(at), refundedAt: null },
      ...{ parts: [{ sourceId: 'pay_0', amount: 1, lastChange: null }], ...of },
    })
    const times = [given({ from: 0, to: 31 }), given({ from: 31, to: 59 })]
    expect(pieces(times, [], [change(10)])).toEqual([
      'paid pay_0 01-01 01-11',
      'paid chg_10 01-11 02-01',
      'paid pay_31 02-01 03-01',
    ])
    expect(pieces(times, [], [change(10, { refundedAt: day(20) })])).toEqual([
      'paid pay_0 01-01 01-11',
      'paid chg_10 01-11 01-21',
      'paid pay_0 01-21 02-01',
      'paid pay_31 02-01 03-01',
    ])
    // The later one is a change of the earlier, so it is refunded first.
    const both = [change(5), change(10, { refundedAt: day(20) })]
    expect(pieces(times.slice(0, 1), [], both)).toEqual([
      'paid pay_0 01-01 01-06',
      'paid chg_5 01-06 01-11',
      'paid chg_10 01-11 01-21',
      'paid chg_5 01-21 02-01',
    ])
  })

  it('is cut within granted days for those that a change was paid for', () => {
    const grant = { by: 'granted', months: 0 } as const
    const times = [
      given({ from: 0, to: 10, id: 'grt_1', days: 10, ...grant }),
      given({ from: 10, to: 15, id: 'grt_2', days: 5, holder: 'grt_1', ...grant }),
    ]
    const parts = [{ sourceId: 'grt_1', amount: 1, lastChange: null, days: 12 }]
    const plan = { id: 'team', name: 'Team' }
    expect(pieces(times, [], [{ id: 'pay_1', plan, at: day(5), refundedAt: null, parts }])).toEqual([
      'granted grt_1 01-01 01-06',
      'paid pay_1 01-06 01-11',
      'paid pay_1 01-11 01-13',
      'granted grt_2 01-13 01-16',
    ])
  })

  it('leaves no second out between its ends, whatever is given', () => {
    const one = fc
      .record({ from: fc.nat(300), length: fc.integer({ min: 1, max: 60 }), isPaid: fc.boolean() })
      .map(({ from, length, isPaid }) => given({ from, to: from + length, by: isPaid ? 'paid' : 'granted' }))
    const stops = fc.array(fc.nat(360).map(day), { maxLength: 3 })
    forAll(100, fc.array(one, { maxLength: 12 }), stops, (times, stops) => {
      const held = listTime(times, stops)
      for (const [index, piece] of held.entries()) {
        expect(piece.end).toBeGreaterThan(piece.start)
        expect(held[index + 1]?.start ?? 0).toBeLessThanOrEqual(piece.end)
      }
      expect([held[0]?.by, held.at(-1)?.by]).not.toContain('gap')
    })
  })
})
