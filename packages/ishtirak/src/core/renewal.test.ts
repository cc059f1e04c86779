import { describe, expect, it } from 'vitest'
import { catalogueOf, days, FREE, instantOf, NOON, PRO, RULES } from '../../../../test/support/fixtures.js'
import type { Plan } from './plan.js'
import { renewalAt, renewalOffers } from './quote.js'
import { NEVER_PAID, type SubscriptionFacts } from './subscription.js'

const { catalogue: CATALOGUE } = RULES
const END = instantOf('2026-12-21T12:00:00Z')
const PAID: SubscriptionFacts = {
  run: { anchorAt: NOON, months: 1 },
  paidUntil: END,
  periods: [{ sourceId: 'pay_01', plan: PRO, months: 1, start: NOON, end: END }],
  endedAt: null,
  instrument: 'cib',
  balance: null,
}
const at = (facts: SubscriptionFacts, now: number, catalogue = CATALOGUE) =>
  renewalAt(facts, catalogue, now, RULES)

describe('a renewal', () => {
  it('for one who never paid begins now, and with the first plan that costs something', () => {
    expect(at(NEVER_PAID, NOON)).toEqual({
      allowed: true,
      plan: PRO,
      amount: 2000,
      wouldStart: NOON,
      wouldEnd: END,
      renewableFrom: null,
    })
  })

  it('follows on the paid time in its last days and in grace', () => {
    for (const [_name, now, allowed] of [
      ['a millisecond too early', END - days(7) - 1, false],
      ['in the last 7 days', END - days(7), true],
      ['in grace', END + days(3) - 1, true],
    ] as const) {
      expect
        .soft(at(PAID, now), String(_name))
        .toMatchObject({ allowed, wouldStart: END, renewableFrom: END - days(7) })
    }
  })

  it('after grace, and after an end by the operator, begins a new run', () => {
    const late = END + days(3)
    expect(at(PAID, late)).toMatchObject({ allowed: true, wouldStart: late, renewableFrom: null })
    const ended = { ...PAID, endedAt: NOON + days(1) }
    expect(at(ended, NOON + days(2))).toMatchObject({ allowed: true, wouldStart: NOON + days(2) })
  })

  it('costs what the plan bought last costs today, while it is sold', () => {
    const dearer = { ...PRO, price: 2500 }
    const other = { ...PRO, id: 'team', price: 9000 }
    expect(at(PAID, END, catalogueOf([FREE, other, dearer]))?.plan).toBe(dearer)
    expect(at(PAID, END, catalogueOf([FREE, other]))?.plan).toBe(other)
  })

  it('is none when nothing is sold', () => {
    expect(at(PAID, END, catalogueOf([FREE]))).toBe(null)
  })
})

describe('what a reminder offers', () => {
  const TERMS: Plan = {
    ...PRO,
    terms: [
      { months: 12, price: 20_000 },
      { months: 6, price: 11_000 },
    ],
  }
  const [PERIOD] = PAID.periods
  const monthsAfter = (
    catalogue: Plan[],
    ...before: readonly (readonly [sourceId: string, months: number])[]
  ) => {
    const periods = before.flatMap(([sourceId, months]) => (PERIOD ? [{ ...PERIOD, sourceId, months }] : []))
    return renewalOffers({ ...PAID, periods }, catalogueOf([FREE, ...catalogue])).map(({ months }) => months)
  }

  it.each([
    ['the single month to one who paid a month', [['pay_01', 1]], [1, 6, 12]],
    [
      'the term that was paid last',
      [
        ['pay_01', 12],
        ['pay_02', 6],
      ],
      [6, 1, 12],
    ],
    [
      'the term that was paid, whatever was given after it',
      [
        ['pay_01', 12],
        ['red_01', 6],
        ['grt_01', 0],
      ],
      [12, 1, 6],
    ],
    ['the single month where nothing was paid', [['red_01', 6]], [1, 6, 12]],
    ['the single month where that term is not sold any more', [['pay_01', 24]], [1, 6, 12]],
  ] as const)('first is %s, then the others, the shortest first', (_name, before, months) => {
    expect(monthsAfter([TERMS], ...before)).toEqual(months)
  })

  it('is nothing when nothing is sold', () => {
    expect(monthsAfter([], ['pay_01', 12])).toEqual([])
  })
})
