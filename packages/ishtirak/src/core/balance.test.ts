// What a balance buys by its order, as properties: whenever and however often it is written down.
import fc from 'fast-check'
import {
  aPayment,
  aReport,
  days,
  instantOf,
  MONTH_END,
  NOON,
  ONE_MONTH,
  PRO,
  RULES,
} from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { type Balance, type NewEntry, type StandingOrder, withEntry, withOrder } from './balance.js'
import { DAY, type Instant } from './instant.js'
import { decideEnd } from './refund.js'
import { decideSettlement } from './settlement.js'
import {
  dueRenewal,
  extend,
  grantAt,
  NEVER_PAID,
  purchaseAt,
  renewed,
  type SubscriptionFacts,
  statusAt,
  withRenewal,
} from './subscription.js'

const MONTHLY: StandingOrder = { plan: PRO, months: 1, price: 2_000, offered: null }
const heldOf = (changes: Partial<Balance>): Balance => ({
  ...{ amount: 0, entries: 1, since: NOON, order: MONTHLY },
  ...changes,
})
const factsOf = (changes: Partial<SubscriptionFacts>): SubscriptionFacts => ({ ...NEVER_PAID, ...changes })
const endOf = (facts: SubscriptionFacts, now: Instant) => statusAt(facts, now, RULES).currentPeriodEnd

describe('a standing order', () => {
  it('buys no term that is over when the money of a slip is booked', () => {
    const subscription = { ...ONE_MONTH, balance: heldOf({}) }
    const topUp = { ...aPayment({ status: 'pending' }), kind: 'top_up', plan: null, months: null } as const
    const bookedAt = (paidAt: Instant) => {
      const provedAt = MONTH_END + days(1)
      const report = aReport({ kind: 'top_up', paidAt, updatedAt: paidAt, provedAt })
      const method = { lookupsAfterMs: [DAY], settledBy: 'operator' } as const
      const context = { now: paidAt, rules: RULES, method, isAnswer: true, freshPaymentId: () => 'pay_x' }
      const after = decideSettlement({ payment: topUp, subscription }, report, context).subscription
      return after && endOf(after, paidAt)
    }
    // The slip keeps the run while the term that it buys still runs.
    expect(bookedAt(MONTH_END + days(20))).toBe(RULES.calendar.monthsAfter(NOON, 2))
    expect(bookedAt(MONTH_END + days(40))).toBe(RULES.calendar.monthsAfter(MONTH_END + days(40), 1))
  })

  it('buys what is paid in during grace behind the old end, and later from then on', () => {
    const dueAfter = (at: Instant) => {
      const entry: NewEntry = { kind: 'top_up', amount: 2_000, paymentId: 'p', note: null, at }
      return dueRenewal(withEntry({ ...ONE_MONTH, balance: heldOf({}) }, entry), at, RULES)
    }
    expect(dueAfter(MONTH_END + days(2))).toMatchObject({ added: { renews: true } })
    const at = MONTH_END + days(5)
    expect(dueAfter(at)).toMatchObject({ at, added: { renews: false, period: { start: at } } })
  })

  it('buys nothing while an operator has ended the access, with too little, or without an order', () => {
    const rich = factsOf({ balance: heldOf({ amount: 9_000 }) })
    expect(dueRenewal(rich, NOON, RULES)).not.toBe(null)
    expect(dueRenewal({ ...rich, endedAt: NOON }, NOON, RULES)).toBe(null)
    expect(dueRenewal(factsOf({ balance: heldOf({ amount: 1_999 }) }), NOON, RULES)).toBe(null)
    expect(dueRenewal(factsOf({ balance: heldOf({ amount: 9_000, order: null }) }), NOON, RULES)).toBe(null)
  })

  it('without days of grace goes on from the same anchor', () => {
    const rules = { ...RULES, graceDays: 0 }
    const held = heldOf({ amount: 6_000, since: instantOf('2027-01-31T12:00:00Z') })
    const later = renewed(factsOf({ balance: held }), instantOf('2027-04-01T12:00:00Z'), rules)
    expect(later.run).toEqual({ anchorAt: instantOf('2027-01-31T12:00:00Z'), months: 3 })
  })
})

// What happens to a user, with how long after the last; the job may run, or not, before each.
type Happening = { readonly after: number; readonly jobRuns: number } & (
  | { readonly what: 'top_up' | 'correct'; readonly amount: number }
  | { readonly what: 'order'; readonly months: number; readonly price: number }
  | { readonly what: 'cancel_order' | 'buy' | 'end' }
  | { readonly what: 'pay_card' | 'grant'; readonly count: number }
)

const happening: fc.Arbitrary<Happening> = fc
  .record({
    after: fc.integer({ min: 0, max: days(70) }),
    jobRuns: fc.integer({ min: 0, max: 3 }),
    of: fc.oneof(
      fc.record({ what: fc.constant('top_up' as const), amount: fc.integer({ min: 50, max: 9_000 }) }),
      fc.record({ what: fc.constant('correct' as const), amount: fc.integer({ min: -3_000, max: 3_000 }) }),
      fc.record({
        what: fc.constant('order' as const),
        months: fc.integer({ min: 1, max: 6 }),
        price: fc.integer({ min: 500, max: 6_000 }),
      }),
      fc.record({ what: fc.constantFrom('cancel_order' as const, 'buy' as const, 'end' as const) }),
      fc.record({
        what: fc.constantFrom('pay_card' as const, 'grant' as const),
        count: fc.integer({ min: 1, max: 3 }),
      }),
    ),
  })
  .map(({ of, ...rest }) => ({ ...rest, ...of }))

const life = fc.array(happening, { minLength: 1, maxLength: 25 })

type Told = { facts: SubscriptionFacts; entries: NewEntry[] }

/** The service stores what is due before each decision. */
function book(told: Told, now: Instant): void {
  for (;;) {
    const due = dueRenewal(told.facts, now, RULES)
    if (!due) return
    told.entries.push({ kind: 'renewal', amount: -due.order.price, paymentId: 'p', note: null, at: due.at })
    told.facts = withRenewal(told.facts, due, 'pay_booked')
  }
}

function enter(told: Told, entry: NewEntry): void {
  told.entries.push(entry)
  told.facts = withEntry(told.facts, entry)
}

function happen(told: Told, one: Happening, now: Instant): void {
  const { facts } = told
  const entry = { paymentId: null, note: null, at: now }
  const held = facts.balance?.amount ?? 0
  const bought = (months: number) => {
    const source = { id: 'pay_1', plan: PRO, instrument: 'cib' }
    return extend(facts, purchaseAt(facts, now, months, RULES), source, now)
  }
  switch (one.what) {
    case 'top_up':
      enter(told, { ...entry, kind: 'top_up', amount: one.amount })
      return
    case 'correct':
      if (one.amount !== 0 && held + one.amount >= 0)
        enter(told, { ...entry, kind: 'correction', amount: one.amount })
      return
    case 'order':
      told.facts = withOrder(facts, { ...MONTHLY, months: one.months, price: one.price }, now)
      return
    case 'cancel_order':
      told.facts = withOrder(facts, null, now)
      return
    case 'buy':
      if (held < 2_000) return
      told.facts = bought(1)
      enter(told, { ...entry, kind: 'purchase', amount: -2_000 })
      return
    case 'pay_card':
      told.facts = bought(one.count)
      return
    case 'grant': {
      const source = { id: 'grt_1', plan: PRO, instrument: null }
      told.facts = extend(facts, grantAt(facts, now, one.count, RULES), source, now)
      return
    }
    case 'end':
      told.facts = decideEnd(facts, now, RULES)?.subscription ?? facts
  }
}

/** Payment ids differ between two services whose jobs run at other times, so they are left out. */
const nameless = (facts: SubscriptionFacts) => ({
  ...facts,
  periods: facts.periods.map(({ sourceId: _, ...period }) => period),
})

function live(happenings: readonly Happening[], runsJob: boolean): Told & { readonly now: Instant } {
  const told: Told = { facts: NEVER_PAID, entries: [] }
  let now = NOON
  for (const one of happenings) {
    for (let run = 1; runsJob && run <= one.jobRuns; run++)
      book(told, now + Math.floor((one.after * run) / (one.jobRuns + 1)))
    now += one.after
    book(told, now)
    happen(told, one, now)
  }
  return { ...told, now }
}

const RUNS = 2_000

describe('whatever happens', () => {
  it('the ledger adds up, is never below zero, and is in the order of time', () =>
    forAll(RUNS, life, (happenings) => {
      const { facts, entries } = live(happenings, true)
      let sum = 0
      let before = 0
      for (const { amount, at } of entries) {
        sum += amount
        expect(sum).toBeGreaterThanOrEqual(0)
        expect(at).toBeGreaterThanOrEqual(before)
        before = at
      }
      expect([facts.balance?.amount ?? 0, facts.balance?.entries ?? 0]).toEqual([sum, entries.length])
    }))

  it('what is computed is what is booked, whenever and however often the job runs', () =>
    forAll(RUNS, life, fc.integer({ min: 0, max: days(400) }), (happenings, ms) => {
      const [often, never] = [live(happenings, true), live(happenings, false)]
      expect(nameless(often.facts)).toEqual(nameless(never.facts))
      expect(often.entries).toEqual(never.entries)
      const later = never.now + ms
      const computed = renewed(never.facts, later, RULES)
      book(often, often.now + Math.floor(ms / 2))
      book(often, later)
      expect(nameless(often.facts)).toEqual(nameless(computed))
      expect(endOf(often.facts, later)).toBe(endOf(never.facts, later))
      expect(renewed(computed, later, RULES)).toBe(computed)
    }))

  it('each renewal takes its price and gives its months, no less and no more', () =>
    forAll(RUNS, life, fc.integer({ min: 0, max: days(400) }), (happenings, ms) => {
      const told = live(happenings, false)
      const later = told.now + ms
      const order = told.facts.balance?.order
      let { facts } = told
      for (let due = dueRenewal(facts, later, RULES); due; due = dueRenewal(facts, later, RULES)) {
        const after = withRenewal(facts, due, 'pay_booked')
        const { start, end } = due.added.period
        const goesOn = facts.paidUntil !== null && due.at < facts.paidUntil + days(RULES.graceDays)
        expect(start).toBe(goesOn ? facts.paidUntil : due.at)
        expect([after.paidUntil, after.run?.months]).toEqual([
          end,
          (goesOn ? (facts.run?.months ?? 0) : 0) + (order?.months ?? 0),
        ])
        expect((facts.balance?.amount ?? 0) - (after.balance?.amount ?? 0)).toBe(order?.price)
        facts = after
      }
      // Nothing is kept back: as long as there is enough, the time goes on.
      const left = facts.balance?.amount ?? 0
      const isOver = facts.paidUntil === null || facts.paidUntil <= later
      if (order && facts.endedAt === null && isOver) expect(left).toBeLessThan(order.price)
    }))
})
