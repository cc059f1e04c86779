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
    const renewal = { allowed: true, plan: PRO, amount: 2000, wouldStart: NOON, wouldEnd: END }
    expect(at(NEVER_PAID, NOON)).toEqual({ ...renewal, renewableFrom: null })
  })

  it('follows on the paid time from its last 7 days on, and in grace', () => {
    const from = END - days(7)
    for (const now of [from - 1, from, END + days(3) - 1])
      expect.soft(at(PAID, now)).toMatchObject({ allowed: now >= from, wouldStart: END, renewableFrom: from })
  })

  it('costs what the plan bought last costs today, while it is sold, and is none if nothing is sold', () => {
    const dearer = { ...PRO, price: 2500 }
    const other = { ...PRO, id: 'team', price: 9000 }
    expect(at(PAID, END, catalogueOf([FREE, other, dearer]))?.plan).toBe(dearer)
    expect(at(PAID, END, catalogueOf([FREE, other]))?.plan).toBe(other)
    expect(at(PAID, END, catalogueOf([FREE]))).toBe(null)
  })
})

it('a reminder offers the term that was paid last, then the others, the shortest first', () => {
  const prices = { 12: 20_000, 6: 11_000 }
  const terms = Object.entries(prices).map(([months, price]) => ({ months: Number(months), price }))
  const [paid] = PAID.periods
  const offered = (plans: readonly Plan[], before: Readonly<Record<string, number>>) => {
    const periods = Object.entries(before).flatMap(([sourceId, months]) =>
      paid ? [{ ...paid, sourceId, months }] : [],
    )
    return renewalOffers({ ...PAID, periods }, catalogueOf([FREE, ...plans])).map(({ months }) => months)
  }
  for (const [before, months] of [
    [{ pay_01: 1 }, [1, 6, 12]],
    [{ pay_01: 12, pay_02: 6 }, [6, 1, 12]],
    // Whatever was given after it.
    [{ pay_01: 12, red_01: 6, grt_01: 0 }, [12, 1, 6]],
    // The single month where nothing was paid, or that term is not sold any more.
    [{ red_01: 6 }, [1, 6, 12]],
    [{ pay_01: 24 }, [1, 6, 12]],
  ] as const)
    expect.soft(offered([{ ...PRO, terms }], before)).toEqual(months)
  expect(offered([], { pay_01: 12 })).toEqual([])
})
