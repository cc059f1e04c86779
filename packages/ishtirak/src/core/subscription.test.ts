// What a user is at an instant, from the facts of what he paid.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { days, instantOf, PRO, TERMS } from '../../../../test/support/fixtures.js'
import { DAY, type Instant, SECOND, toTimestamp } from './instant.js'
import { extend, NEVER_PAID, periodBought, type SubscriptionFacts, statusAt } from './subscription.js'

const pay = (facts: SubscriptionFacts, paidAt: Instant, now = paidAt): SubscriptionFacts => {
  const { run, period } = periodBought(facts, paidAt, TERMS)
  const month = { ...period, paymentId: `pay_${paidAt}`, plan: PRO }
  return extend(facts, { run, month, paymentMethod: 'cib' }, now)
}
const seen = (facts: SubscriptionFacts, now: Instant) => {
  const { plan, status, currentPeriodEnd } = statusAt(facts, now, TERMS)
  return [plan.id, status, currentPeriodEnd === null ? null : toTimestamp(currentPeriodEnd)]
}
const start = instantOf('2026-11-21T12:00:00Z')
const end = instantOf('2026-12-21T12:00:00Z')
const once = pay(NEVER_PAID, start)

describe('the status of a user', () => {
  it('who never paid is free and active, without an end', () => {
    expect(seen(NEVER_PAID, start)).toEqual(['free', 'active', null])
  })

  it('is pro from the instant of payment to the last before the end', () => {
    expect(seen(once, start)).toEqual(['pro', 'active', '2026-12-21T12:00:00Z'])
    expect(seen(once, end - 1)).toEqual(['pro', 'active', '2026-12-21T12:00:00Z'])
  })

  it('keeps pro for three days of grace, as past_due', () => {
    expect(seen(once, end)).toEqual(['pro', 'past_due', '2026-12-21T12:00:00Z'])
    expect(seen(once, end + days(3) - 1)).toEqual(['pro', 'past_due', '2026-12-21T12:00:00Z'])
  })

  it('is expired and free when the grace is over', () => {
    expect(seen(once, end + days(3))).toEqual(['free', 'expired', '2026-12-21T12:00:00Z'])
  })

  it('is canceled and free from when the operator ended it', () => {
    const ended = { ...once, endedAt: start + DAY }
    expect(seen(ended, start + DAY)).toEqual(['free', 'canceled', '2026-11-22T12:00:00Z'])
  })

  it('is pro again when an ended user pays again, from the instant of that payment', () => {
    const again = pay({ ...once, endedAt: start + DAY }, start + 2 * DAY)
    expect(seen(again, start + 2 * DAY)).toEqual(['pro', 'active', '2026-12-23T12:00:00Z'])
  })
})

describe('a payment', () => {
  it('while active begins at the current end', () => {
    expect(toTimestamp(periodBought(once, end - DAY, TERMS).period.start)).toBe('2026-12-21T12:00:00Z')
  })

  it('in grace begins at the old end: grace is not free time', () => {
    expect(toTimestamp(periodBought(once, end + days(3) - SECOND, TERMS).period.start)).toBe(
      '2026-12-21T12:00:00Z',
    )
  })

  it('after the grace begins a new anchor, at the instant of payment', () => {
    const { run, renews } = periodBought(once, end + days(3), TERMS)
    expect([run, renews]).toEqual([{ anchorAt: end + days(3), months: 1 }, false])
  })

  it('made in grace counts as in grace, however late we hear of it', () => {
    const facts = pay(once, end + DAY, end + days(30))
    expect(facts.paidUntil).toBe(instantOf('2027-01-21T12:00:00Z'))
  })

  it('keeps the day of the anchor through short months', () => {
    let facts = pay(NEVER_PAID, instantOf('2026-01-31T10:00:00Z'))
    facts = pay(facts, instantOf('2026-02-27T10:00:00Z'))
    facts = pay(facts, instantOf('2026-03-30T10:00:00Z'))
    expect(toTimestamp(facts.paidUntil ?? 0)).toBe('2026-04-30T10:00:00Z')
  })

  it('buys each month once: over random lives, access is paid time plus grace and nothing else', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 60 * DAY }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(waits, fc.integer({ min: 0, max: 90 * DAY }), (gaps, later) => {
        let facts = NEVER_PAID
        let now = start
        let bought = 0
        for (const gap of gaps) {
          now += gap
          const before = facts.paidUntil
          const { period, renews } = periodBought(facts, now, TERMS)
          bought += period.end - period.start
          facts = pay(facts, now)
          expect(period.start).toBe(renews ? before : now)
        }
        expect(bought).toBeGreaterThanOrEqual(gaps.length * 28 * DAY)
        const at = now + later
        const { plan, status } = statusAt(facts, at, TERMS)
        const until = facts.paidUntil ?? 0
        const expected = at < until ? 'active' : at < until + 3 * DAY ? 'past_due' : 'expired'
        expect([plan.id, status]).toEqual([expected === 'expired' ? 'free' : 'pro', expected])
      }),
    )
  })
})
