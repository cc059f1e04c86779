import { aPayment, instantOf, PRO, RULES } from '../../../../test/support/fixtures.js'
import { DAY, type Instant, toTimestamp } from './instant.js'
import type { Payment } from './payment.js'
import { decideEnd, decideRefund } from './refund.js'
import { extend, NEVER_PAID, purchaseAt, type SubscriptionFacts, statusAt } from './subscription.js'

type Bought = { facts: SubscriptionFacts; payments: readonly Payment[] }

/** Buys one month at each instant; the payments are `pay_1`, `pay_2`, … */
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

  it('at the instant at which the month ends finds it over, and a millisecond before ends access', () => {
    const bought = buy(start)
    const end = bought.facts.paidUntil ?? 0
    const { subscription, events } = refund(bought, 1, end)
    expect([subscription, events]).toEqual([bought.facts, ['payment.refunded']])
    const before = refund(bought, 1, end - 1)
    expect(before.subscription.endedAt).toBe(end - 1)
    expect(before.events).toEqual(['payment.refunded', 'subscription.canceled'])
  })

  it('at the instant at which the month begins finds it running: the later one begins then', () => {
    const { subscription } = refund(three, 2, instantOf('2026-12-21T12:00:00Z'))
    expect(periods(subscription)).toEqual([['pay_3', '2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z']])
  })

  it('at the instant at which the last month begins ends access, and leaves no grace', () => {
    const of = buy(start, start)
    const now = of.payments[1]?.periodStart ?? 0
    expect(seen(refund(of, 2, now).subscription, now)).toEqual(['free', 'canceled', toTimestamp(now)])
  })

  it('after the operator ended the access takes nothing further', () => {
    const ended = { ...three, facts: { ...three.facts, endedAt: start + DAY } }
    const { subscription, events } = refund(ended, 3, start + 2 * DAY)
    expect(subscription).toEqual(ended.facts)
    expect(events).toEqual(['payment.refunded'])
  })

  it('of a payment that is not paid is none', () => {
    for (const status of ['pending', 'failed', 'canceled', 'review', 'refunded', 'requested'] as const) {
      const facts = { payment: aPayment({ status }), subscription: three.facts }
      expect.soft(decideRefund(facts, start, RULES), status).toBeNull()
    }
  })
})

describe('the end that the operator makes', () => {
  it('takes access at once, whatever was paid, and in grace as well', () => {
    for (const [facts, now] of [
      [three.facts, start + DAY],
      [buy(start).facts, instantOf('2026-12-22T12:00:00Z')],
    ] as const) {
      const ended = decideEnd(facts, now, RULES)
      expect(ended?.events).toEqual(['subscription.canceled'])
      expect(ended && seen(ended.subscription, now)).toEqual(['free', 'canceled', toTimestamp(now)])
    }
  })

  it('is refused where there is no access: never paid, expired, ended already', () => {
    expect(decideEnd(NEVER_PAID, start, RULES)).toBeNull()
    expect(decideEnd(three.facts, start + 365 * DAY, RULES)).toBeNull()
    expect(decideEnd({ ...three.facts, endedAt: start }, start + DAY, RULES)).toBeNull()
  })
})
