import fc from 'fast-check'
import {
  days,
  MONTH_END as end,
  instantOf,
  PRO,
  RULES,
  NOON as start,
} from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { DAY, type Instant, SECOND, toTimestamp } from './instant.js'
import {
  extend,
  NEVER_PAID,
  type PaidRun,
  paidUntil,
  purchaseAt,
  type SubscriptionFacts,
  statusAt,
  timeAfter,
} from './subscription.js'

const pay = (facts: SubscriptionFacts, paidAt: Instant, now = paidAt, months = 1): SubscriptionFacts => {
  const payment = { id: `pay_${paidAt}`, plan: PRO, instrument: 'cib' }
  return extend(facts, purchaseAt(facts, paidAt, months, RULES), payment, now)
}
const seen = (facts: SubscriptionFacts, now: Instant) => {
  const { plan, status, currentPeriodEnd } = statusAt(facts, now, RULES)
  return [plan.id, status, currentPeriodEnd === null ? null : toTimestamp(currentPeriodEnd)]
}
const once = pay(NEVER_PAID, start)

it('the status of a user follows from what was paid, to the millisecond', () => {
  const ended = { ...once, endedAt: start + DAY }
  const again = pay(ended, start + 2 * DAY)
  expect(seen(NEVER_PAID, start)).toEqual(['free', 'active', null])
  for (const [facts, now, plan, status, until] of [
    [once, start, 'pro', 'active', end],
    [once, end - 1, 'pro', 'active', end],
    [once, end, 'pro', 'past_due', end],
    [once, end + days(3) - 1, 'pro', 'past_due', end],
    [once, end + days(3), 'free', 'expired', end],
    [ended, start + DAY, 'free', 'canceled', start + DAY],
    [again, start + 2 * DAY, 'pro', 'active', end + 2 * DAY],
  ] as const)
    expect.soft(seen(facts, now)).toEqual([plan, status, toTimestamp(until)])
})

describe('a payment', () => {
  it('while active, and in grace, begins at the old end: grace is not free time', () => {
    for (const paidAt of [end - DAY, end + days(3) - SECOND])
      expect(purchaseAt(once, paidAt, 1, RULES).period.start).toBe(end)
  })

  it('after the grace begins a new anchor, at the instant of payment', () => {
    const { run, renews } = purchaseAt(once, end + days(3), 1, RULES)
    expect([run, renews]).toEqual([{ anchorAt: end + days(3), months: 1 }, false])
  })

  it('made in grace counts as in grace, however late we hear of it', () => {
    const facts = pay(once, end + DAY, end + days(30))
    expect(facts.paidUntil).toBe(instantOf('2027-01-21T12:00:00Z'))
  })

  it('of 3 months in grace follows on the old end, and keeps the plan of its own period', () => {
    const team = { ...PRO, id: 'team' }
    const paidAt = end + DAY
    const payment = { id: 'pay_2', plan: team, instrument: null }
    const facts = extend(once, purchaseAt(once, paidAt, 3, RULES), payment, paidAt)
    expect(seen(facts, paidAt)).toEqual(['team', 'active', '2027-03-21T12:00:00Z'])
    expect(facts.instrument).toBe('cib')
  })

  it('buys each term once: over random lives, access is paid time plus grace and nothing else', () => {
    const purchases = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 60 * DAY }), fc.constantFrom(1, 1, 3, 12)),
      { minLength: 1, maxLength: 30 },
    )
    forAll(100, purchases, fc.integer({ min: 0, max: 90 * DAY }), (life, later) => {
      let facts = NEVER_PAID
      let now = start
      let bought = 0
      let sold = 0
      for (const [gap, months] of life) {
        now += gap
        const before = facts.paidUntil
        const { period, renews } = purchaseAt(facts, now, months, RULES)
        bought += period.end - period.start
        sold += months
        facts = pay(facts, now, now, months)
        expect(period.start).toBe(renews ? before : now)
      }
      expect(bought).toBeGreaterThanOrEqual(sold * 28 * DAY)
      const at = now + later
      const { plan, status } = statusAt(facts, at, RULES)
      const until = facts.paidUntil ?? 0
      const expected = at < until ? 'active' : at < until + 3 * DAY ? 'past_due' : 'expired'
      expect([plan.id, status]).toEqual([expected === 'expired' ? 'free' : 'pro', expected])
    })
  })
})

const periodBehind = (run: PaidRun, months: number) => timeAfter(RULES.calendar, run, { months }).period
const anyInstant = fc.integer({
  min: Date.parse('2020-01-01T00:00:00Z'),
  max: Date.parse('2060-01-01T00:00:00Z'),
})

// Single dates are in runtime/calendar.test.ts.
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
    forAll(100, anyInstant, fc.integer({ min: 1, max: 480 }), (anchorAt, months) => {
      const end = dayIn(paidUntil(RULES.calendar, { anchorAt, months }))
      const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate()
      expect(end.getUTCDate()).toBe(Math.min(dayIn(anchorAt).getUTCDate(), lastDay))
    })
  })
})
