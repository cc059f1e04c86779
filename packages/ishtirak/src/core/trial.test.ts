import fc from 'fast-check'
import {
  aPayment,
  aReport,
  catalogueOf,
  FREE,
  instantOf,
  NOON,
  PRO,
  RULES,
  rulesOf,
} from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { decideAnnouncement } from './announcement.js'
import { decideGrant } from './grant.js'
import { DAY, HOUR, type Instant, SECOND } from './instant.js'
import type { Plan } from './plan.js'
import { decideQuote, type PurchaseMode } from './quote.js'
import { decideSettlement } from './settlement.js'
import { extend, grantAt, NEVER_PAID, type SubscriptionFacts, statusAt } from './subscription.js'

const TEAM: Plan = { ...PRO, id: 'team', price: 5000 }
const CATALOGUE = catalogueOf([FREE, { ...PRO, terms: [{ months: 36, price: 60_000 }] }, TEAM])

function givenTo(facts: SubscriptionFacts, days: number, now: Instant): SubscriptionFacts {
  const trial = { id: 'tri_01', plan: PRO, days, operationId: null }
  const given = decideGrant(facts, trial, now, RULES)?.subscription
  if (!given) throw new Error('no trial was given')
  return given
}

/** Paid by the provider at `at`, and known at once. */
function pay(subscription: SubscriptionFacts, plan: Plan, at: Instant) {
  const payment = aPayment({ createdAt: at, expiresAt: at + HOUR, plan } as Parameters<typeof aPayment>[0])
  const report = aReport({ createdAt: at, updatedAt: at })
  const method = { lookupsAfterMs: [], settledBy: 'provider' as const }
  const context = { now: at, rules: RULES, method, freshPaymentId: () => 'pay_02', isAnswer: true }
  const settled = decideSettlement({ payment, subscription }, report, context)
  if (!settled.subscription || !settled.payment) throw new Error('it was not booked')
  return { ...settled, subscription: settled.subscription, payment: settled.payment }
}

const days = fc.integer({ min: 1, max: 90 })
/** From the trial's first second on; its end is reached now and then. */
const after = (length: number) =>
  fc.oneof(fc.integer({ min: 0, max: (length * DAY) / SECOND - 1 }), fc.constant(0))
const trialAndAfter = days.chain((length) => fc.tuple(fc.constant(length), after(length)))
const plan = fc.constantFrom(PRO, TEAM)

it('every plan and term is sold during a trial, by a click too, and starts at the trial’s end', () => {
  const wish = fc.record({
    mode: fc.constantFrom<PurchaseMode[]>('upgrade', 'payment'),
    months: fc.constantFrom(1, 36),
    granted: fc.constantFrom(0, 5),
  })
  forAll(200, trialAndAfter, plan, wish, ([length, passed], { id }, { mode, months, granted }) => {
    const now = NOON + passed * SECOND
    const trial = givenTo(NEVER_PAID, length, NOON)
    // Days that an operator grants behind a trial lengthen it.
    const more = granted > 0 ? grantAt(trial, now, granted, RULES) : null
    const facts = more ? extend(trial, more, { id: 'grt_01', plan: PRO, instrument: null }, now) : trial
    const end = NOON + (length + granted) * DAY
    expect(statusAt(facts, now, RULES)).toMatchObject({ plan: PRO, status: 'active', currentPeriodEnd: end })
    const wanted = { planId: id, months: id === 'team' ? 1 : months, mode }
    const decision = decideQuote(facts, wanted, now, rulesOf(CATALOGUE))
    expect(decision).toMatchObject({ kind: 'sold', quote: { period: { start: end } } })
    expect(decision).not.toHaveProperty('quote.change')
    const from = decideQuote(facts, { ...wanted, start: 'now' }, now, rulesOf(CATALOGUE))
    expect(from.kind).toBe('no_dearer_plan')
  })
})

it('a trial has no grace: the user is expired at its end, and a later purchase starts at its payment', () => {
  const late = fc.integer({ min: 0, max: 10 * DAY }).map((wait) => wait - (wait % SECOND))
  forAll(200, days, late, plan, (length, wait, bought) => {
    const end = NOON + length * DAY
    const facts = givenTo(NEVER_PAID, length, NOON)
    const at = end + wait
    expect(statusAt(facts, at, RULES)).toMatchObject({
      ...{ plan: FREE, status: 'expired', currentPeriodEnd: end, instrument: null, endedPlan: PRO },
    })
    expect(decideAnnouncement(facts, 'expiring_1_day', at, RULES).announcement).toMatchObject({
      ...{ type: 'subscription.expired', at: end, skipped: [] },
    })
    const { payment, subscription, events } = pay(facts, bought, at)
    expect(payment.periodStart).toBe(at)
    // At the very instant of the end both rules say the same.
    if (wait > 0) expect(events).toContain('subscription.activated')
    expect(statusAt(subscription, at, RULES)).toMatchObject({ plan: bought, status: 'active' })
  })
})

it('what is paid during a trial starts at its end, has the usual grace, and is not bought twice', () => {
  forAll(200, trialAndAfter, plan, ([length, passed], bought) => {
    const end = NOON + length * DAY
    const at = NOON + passed * SECOND
    const { payment, subscription: facts } = pay(givenTo(NEVER_PAID, length, NOON), bought, at)
    const paidUntil = RULES.calendar.monthsAfter(end, 1)
    expect([payment.periodStart, payment.periodEnd]).toEqual([end, paidUntil])
    expect(statusAt(facts, end - 1, RULES)).toMatchObject({ plan: PRO, status: 'active' })
    expect(statusAt(facts, end, RULES)).toMatchObject({ plan: bought, status: 'active' })
    expect(statusAt(facts, paidUntil, RULES)).toMatchObject({ plan: bought, status: 'past_due' })
    const again = { planId: bought.id, months: 1, mode: 'upgrade' } as const
    expect(decideQuote(facts, again, at, rulesOf(CATALOGUE)).kind).toBe('already_subscribed')
    // A dearer plan is a change of the month that was bought, not of the trial.
    const dearer = decideQuote(facts, { ...again, planId: 'team' }, at, rulesOf(CATALOGUE))
    const period = { start: end, end: paidUntil }
    if (bought === PRO) expect(dearer).toMatchObject({ quote: { amount: 3_000, period } })
  })
})

it('a trial behind days that an operator granted has its own period and rules', () => {
  const before = grantAt(NEVER_PAID, NOON, 3, RULES)
  const had = extend(NEVER_PAID, before, { id: 'grt_01', plan: PRO, instrument: null }, NOON)
  const facts = givenTo(had, 10, NOON + DAY)
  expect(facts.periods.map(({ sourceId }) => sourceId)).toEqual(['grt_01', 'tri_01'])
  expect(statusAt(facts, instantOf('2026-12-04T12:00:00Z'), RULES).status).toBe('expired')
})
