// What a refund takes and what it leaves, and the end that the operator makes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aPayment, instantOf, PRO, RULES } from '../../../../test/support/fixtures.js'
import { DAY, type Instant, toTimestamp } from './instant.js'
import type { Payment } from './payment.js'
import { decideEnd, decideRefund } from './refund.js'
import {
  extend,
  NEVER_PAID,
  type PaidPeriod,
  purchaseAt,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

interface Bought {
  readonly facts: SubscriptionFacts
  readonly payments: readonly Payment[]
}

/** Buys one month at each instant; the payments are named pay_1, pay_2, … */
function buy(...instants: readonly Instant[]): Bought {
  return buyTerms(instants.map((paidAt, index) => ({ id: `pay_${index + 1}`, paidAt, months: 1 })))
}

function buyTerms(terms: readonly { id: string; paidAt: Instant; months: number }[]): Bought {
  let facts = NEVER_PAID
  const payments = terms.map(({ id, paidAt, months }) => {
    const purchase = purchaseAt(facts, paidAt, months, RULES)
    facts = extend(facts, purchase, { id, plan: PRO, instrument: 'cib' }, paidAt)
    const { start: periodStart, end: periodEnd } = purchase.period
    return aPayment({ id, status: 'paid', months, paidAt, periodStart, periodEnd })
  })
  return { facts, payments }
}

function refund(of: Bought, nth: number, now: Instant) {
  const payment = of.payments[nth - 1]
  if (!payment) throw new Error(`there is no payment ${nth}`)
  const decided = decideRefund({ payment, subscription: of.facts }, now, RULES)
  if (!decided || 'changeFirst' in decided) throw new Error('it is not to be refunded')
  return decided
}

const seen = (facts: SubscriptionFacts, now: Instant) => {
  const { plan, status, currentPeriodEnd } = statusAt(facts, now, RULES)
  return [plan.id, status, currentPeriodEnd === null ? null : toTimestamp(currentPeriodEnd)]
}
const periods = (facts: SubscriptionFacts) =>
  facts.periods.map(({ sourceId, start, end }) => [sourceId, toTimestamp(start), toTimestamp(end)])

const start = instantOf('2026-11-21T12:00:00Z')
// Three months in a row: the second bought in the window of the first, the third in that of the second.
const three = buy(start, instantOf('2026-12-20T12:00:00Z'), instantOf('2026-12-20T13:00:00Z'))

describe('a refund', () => {
  it('of the last month, which has not begun, takes it off the end', () => {
    const { subscription, payment, events } = refund(three, 3, instantOf('2026-12-20T14:00:00Z'))
    expect(payment.status).toBe('refunded')
    expect(events).toEqual(['payment.refunded'])
    expect(periods(subscription)).toEqual([
      ['pay_1', '2026-11-21T12:00:00Z', '2026-12-21T12:00:00Z'],
      ['pay_2', '2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'],
    ])
    expect(subscription.paidUntil).toBe(instantOf('2027-01-21T12:00:00Z'))
  })

  it('of the month that is running, when it is the last, ends access now', () => {
    const now = start + 3 * DAY
    const { subscription, events } = refund(buy(start), 1, now)
    expect(seen(subscription, now)).toEqual(['free', 'canceled', '2026-11-24T12:00:00Z'])
    expect(events).toEqual(['payment.refunded', 'subscription.canceled'])
  })

  it('of a month that is over changes no access, in grace as well', () => {
    const now = instantOf('2026-12-22T12:00:00Z')
    const { subscription, moved, events } = refund(buy(start), 1, now)
    expect(seen(subscription, now)).toEqual(['pro', 'past_due', '2026-12-21T12:00:00Z'])
    expect([moved, events]).toEqual([[], ['payment.refunded']])
  })

  it('at the instant at which the month ends finds it over, and changes no access', () => {
    const { facts, payments } = buy(start)
    const { subscription, events } = refund({ facts, payments }, 1, facts.paidUntil ?? 0)
    expect([subscription, events]).toEqual([facts, ['payment.refunded']])
  })

  it('a millisecond before the month ends finds it running, and ends access', () => {
    const { facts, payments } = buy(start)
    const now = (facts.paidUntil ?? 0) - 1
    const { subscription, events } = refund({ facts, payments }, 1, now)
    expect([subscription.endedAt, events]).toEqual([now, ['payment.refunded', 'subscription.canceled']])
  })

  it('at the instant at which the month begins finds it running: the later one begins then', () => {
    const { subscription } = refund(three, 2, instantOf('2026-12-21T12:00:00Z'))
    expect(periods(subscription)).toEqual([['pay_3', '2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z']])
  })

  it('of the running month lets the later ones move up, from now, their count kept', () => {
    const now = instantOf('2026-12-20T14:00:00Z')
    const { subscription, moved, events } = refund(three, 1, now)
    expect(periods(subscription)).toEqual([
      ['pay_2', '2026-12-20T14:00:00Z', '2027-01-20T14:00:00Z'],
      ['pay_3', '2027-01-20T14:00:00Z', '2027-02-20T14:00:00Z'],
    ])
    expect(moved.map(({ sourceId }) => sourceId)).toEqual(['pay_2', 'pay_3'])
    expect(events).toEqual(['payment.refunded'])
    expect(seen(subscription, now)).toEqual(['pro', 'active', '2027-02-20T14:00:00Z'])
  })

  it('of a month to come lets the later one take its place, on the boundaries of the anchor', () => {
    const anchored = buy(
      instantOf('2026-01-31T10:00:00Z'),
      instantOf('2026-02-27T10:00:00Z'),
      instantOf('2026-02-27T11:00:00Z'),
    )
    const { subscription, moved } = refund(anchored, 2, instantOf('2026-02-27T12:00:00Z'))
    // From 31 January the ends are 28 February and 31 March, not 28 March.
    expect(moved).toEqual([
      {
        sourceId: 'pay_3',
        periodStart: instantOf('2026-02-28T10:00:00Z'),
        periodEnd: instantOf('2026-03-31T10:00:00Z'),
      },
    ])
    expect(toTimestamp(subscription.paidUntil ?? 0)).toBe('2026-03-31T10:00:00Z')
  })

  it('after the operator ended the access takes nothing further', () => {
    const ended = { ...three, facts: { ...three.facts, endedAt: start + DAY } }
    const { subscription, events } = refund(ended, 3, start + 2 * DAY)
    expect(subscription).toEqual(ended.facts)
    expect(events).toEqual(['payment.refunded'])
  })

  it('of a payment that is not paid is none', () => {
    for (const status of [
      'pending',
      'failed',
      'expired',
      'canceled',
      'review',
      'refunded',
      'requested',
    ] as const) {
      const facts = { payment: aPayment({ status }), subscription: three.facts }
      expect.soft(decideRefund(facts, start, RULES), String(status)).toBeNull()
    }
  })

  it('of 12 months between two single ones lets the later one begin where they began', () => {
    const mixed = buyTerms([
      { id: 'pay_1', paidAt: instantOf('2026-01-31T10:00:00Z'), months: 1 },
      { id: 'pay_2', paidAt: instantOf('2026-02-27T10:00:00Z'), months: 12 },
      { id: 'pay_3', paidAt: instantOf('2026-02-27T11:00:00Z'), months: 1 },
    ])
    const { subscription } = refund(mixed, 2, instantOf('2026-02-27T12:00:00Z'))
    expect(periods(subscription)).toEqual([
      ['pay_1', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
      ['pay_3', '2026-02-28T10:00:00Z', '2026-03-31T10:00:00Z'],
    ])
    expect(subscription.run?.months).toBe(2)
  })

  it('of 12 months that are running lets the 3 after them begin now', () => {
    const mixed = buyTerms([
      { id: 'pay_1', paidAt: start, months: 12 },
      { id: 'pay_2', paidAt: start + DAY, months: 3 },
    ])
    const now = instantOf('2027-01-31T10:00:00Z')
    const { subscription, events } = refund(mixed, 1, now)
    expect(periods(subscription)).toEqual([['pay_2', '2027-01-31T10:00:00Z', '2027-04-30T10:00:00Z']])
    expect([subscription.run, events]).toEqual([{ anchorAt: now, months: 3 }, ['payment.refunded']])
  })

  it('of 12 months that are running and the last ends access now', () => {
    const { subscription } = refund(buyTerms([{ id: 'pay_1', paidAt: start, months: 12 }]), 1, start + DAY)
    expect(seen(subscription, start + DAY)).toEqual(['free', 'canceled', '2026-11-22T12:00:00Z'])
  })

  it('of a period to come, of any length, leaves what would be had it not been bought', () => {
    const lengths = fc.array(fc.constantFrom(1, 3, 12), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(lengths, fc.nat(), (lengths, nth) => {
        // All are bought within the first month, so that each follows on the one before, with or without the
        // refunded.
        const terms = lengths.map((months, index) => ({ id: `pay_${index}`, paidAt: start + index, months }))
        const index = 1 + (nth % (lengths.length - 1))
        const all = buyTerms(terms)
        const without = buyTerms(terms.filter((_, place) => place !== index))
        const { subscription, moved } = refund(all, index + 1, start + DAY)
        expect(subscription).toEqual(without.facts)
        expect(moved.map(({ sourceId }) => sourceId)).toEqual(terms.slice(index + 1).map(({ id }) => id))
      }),
    )
  })

  it('of the running period, of any length, leaves the later ones as if bought now', () => {
    const lengths = fc.array(fc.constantFrom(1, 3, 12), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 27 * DAY }), (lengths, wait) => {
        const now = start + 1_000 + wait
        const terms = lengths.map((months, index) => ({ id: `pay_${index}`, paidAt: start + index, months }))
        const again = terms.slice(1).map((term) => ({ ...term, paidAt: now }))
        expect(refund(buyTerms(terms), 1, now).subscription).toEqual(buyTerms(again).facts)
      }),
    )
  })

  it('never drops paid time: over random lives what is left is what was paid and not given back', () => {
    const life = fc.record({
      gaps: fc.array(
        fc.record({ gap: fc.integer({ min: 0, max: 8 * DAY }), months: fc.constantFrom(1, 1, 3, 12) }),
        { minLength: 1, maxLength: 8 },
      ),
      refunds: fc.array(fc.record({ nth: fc.nat(), wait: fc.integer({ min: 0, max: 40 * DAY }) }), {
        maxLength: 6,
      }),
    })
    fc.assert(
      fc.property(life, ({ gaps, refunds }) => {
        let now = start
        const terms = gaps.map(({ gap, months }, index) => {
          now += gap
          return { id: `pay_${index + 1}`, paidAt: now, months }
        })
        let { facts, payments } = buyTerms(terms)
        for (const { nth, wait } of refunds) {
          now += wait
          const index = nth % payments.length
          const chosen = payments[index]
          const decided = chosen && decideRefund({ payment: chosen, subscription: facts }, now, RULES)
          if (!decided || 'changeFirst' in decided) continue
          const before = facts
          facts = decided.subscription
          payments = payments.map((payment) => (payment.id === chosen.id ? decided.payment : payment))
          const wasOver = !before.periods.some(({ sourceId, end }) => sourceId === chosen.id && end > now)
          if (wasOver || before.endedAt !== null) expect(facts).toEqual(before)
          const comingBefore = before.periods.filter(
            ({ end, sourceId }) => end > now && sourceId !== chosen.id,
          )
          const coming = facts.periods.filter(({ end }) => end > now && facts.endedAt === null)
          const bought = ({ sourceId, months }: PaidPeriod) => [sourceId, months]
          if (before.endedAt === null) expect(coming.map(bought)).toEqual(comingBefore.map(bought))
          expectWholeRun(facts)
        }
      }),
      { numRuns: 200 },
    )
  })
})

/**
 * The periods stand one after the other, each on the boundaries of the run, and end at the end of the paid
 * time.
 */
function expectWholeRun({ run, periods, paidUntil }: SubscriptionFacts): void {
  if (!run) return
  const { monthsAfter } = RULES.calendar
  let months = run.months - periods.reduce((sum, period) => sum + period.months, 0)
  expect(months).toBeGreaterThanOrEqual(0)
  for (const period of periods) {
    expect(period.start).toBe(monthsAfter(run.anchorAt, months))
    months += period.months
    expect(period.end).toBe(monthsAfter(run.anchorAt, months))
  }
  expect([months, paidUntil]).toEqual([run.months, periods.at(-1)?.end])
}

describe('the end that the operator makes', () => {
  it('takes access at once, whatever was paid', () => {
    const ended = decideEnd(three.facts, start + DAY, RULES)
    expect(ended?.events).toEqual(['subscription.canceled'])
    expect(ended && seen(ended.subscription, start + DAY)).toEqual([
      'free',
      'canceled',
      '2026-11-22T12:00:00Z',
    ])
  })

  it('ends grace as well', () => {
    const inGrace = instantOf('2026-12-22T12:00:00Z')
    const ended = decideEnd(buy(start).facts, inGrace, RULES)
    expect(ended && seen(ended.subscription, inGrace)).toEqual(['free', 'canceled', '2026-12-22T12:00:00Z'])
  })

  it('is refused where there is no access: never paid, expired, ended already', () => {
    expect(decideEnd(NEVER_PAID, start, RULES)).toBeNull()
    expect(decideEnd(three.facts, start + 365 * DAY, RULES)).toBeNull()
    expect(decideEnd({ ...three.facts, endedAt: start }, start + DAY, RULES)).toBeNull()
  })
})
