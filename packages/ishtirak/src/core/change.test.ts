import fc from 'fast-check'
import {
  aPayment,
  catalogueOf,
  days,
  FREE,
  instantOf,
  PRO,
  RULES,
  rulesOf,
} from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { bookChange, type ChangeOrder, changeAt, worthLeft } from './change.js'
import { type Fraction, fraction, minus, plus, roundedUp, ZERO } from './fraction.js'
import { DAY, HOUR, type Instant, MINUTE, SECOND, toTimestamp } from './instant.js'
import { offersOf, type Plan } from './plan.js'
import { changeQuotes, decideQuote } from './quote.js'
import { decideEnd, decideRefund } from './refund.js'
import {
  extend,
  grantAt,
  NEVER_PAID,
  planAt,
  purchaseAt,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'
import { stretchesAt } from './time-list.js'

const BASIC: Plan = { ...PRO, id: 'basic', name: 'Basic', price: 1000, terms: [{ months: 12, price: 9_000 }] }
const MIDDLE: Plan = {
  ...PRO,
  id: 'middle',
  name: 'Middle',
  price: 2000,
  terms: [{ months: 12, price: 20_000 }],
}
const TEAM: Plan = { ...PRO, id: 'team', name: 'Team', price: 5000 }
const CATALOGUE = catalogueOf([FREE, BASIC, MIDDLE, TEAM])
const PLANS = [BASIC, MIDDLE, TEAM]

const start = instantOf('2026-11-01T12:00:00Z')
const sold = (plan: Plan) => offersOf(plan)[0]?.plan ?? plan

type Buying = { id: string; plan: Plan; months?: number; amount?: number }

function buy(facts: SubscriptionFacts, at: Instant, { id, plan, months = 1, amount }: Buying) {
  const price = amount ?? offersOf(plan).find((offer) => offer.months === months)?.price.amount
  const source = { id, plan: sold(plan), instrument: 'cib', ...(price !== undefined && { amount: price }) }
  return extend(facts, purchaseAt(facts, at, months, RULES), source, at)
}

function grant(facts: SubscriptionFacts, at: Instant, id: string, plan: Plan, count: number) {
  return extend(facts, grantAt(facts, at, count, RULES), { id, plan: sold(plan), instrument: null }, at)
}

function redeem(facts: SubscriptionFacts, at: Instant, id: string, plan: Plan, months: number) {
  return extend(facts, purchaseAt(facts, at, months, RULES), { id, plan: sold(plan), instrument: null }, at)
}

const quoteOf = (facts: SubscriptionFacts, plan: Plan, now: Instant) =>
  changeAt(facts, plan, now, RULES.leastAmount)

function book(
  facts: SubscriptionFacts,
  order: ChangeOrder | null,
  of: { readonly id: string; readonly plan: Plan; readonly amount: number; readonly at: Instant },
  now: Instant = of.at,
) {
  const paid = { ...of, plan: sold(of.plan), order, instrument: 'cib' }
  return bookChange(facts, paid, now, RULES)
}

/** Quoted, and paid in the same instant. */
function change(facts: SubscriptionFacts, id: string, plan: Plan, at: Instant): SubscriptionFacts {
  const quote = quoteOf(facts, plan, at)
  if (!quote) throw new Error('it is no dearer plan')
  return book(facts, quote.order, { id, plan, amount: quote.difference, at }).subscription
}

function refund(facts: SubscriptionFacts, id: string, now: Instant) {
  const payment = aPayment({ id, status: 'paid' })
  const decided = decideRefund({ payment, subscription: facts }, now, RULES)
  if (!decided) throw new Error('it is not paid')
  return decided
}

function refunded(facts: SubscriptionFacts, id: string, now: Instant): SubscriptionFacts {
  const decided = refund(facts, id, now)
  if ('changeFirst' in decided) throw new Error(`${decided.changeFirst} is to be refunded first`)
  return decided.subscription
}

const planIdAt = (facts: SubscriptionFacts, now: Instant) => statusAt(facts, now, RULES).plan.id
const stretches = (facts: SubscriptionFacts, now: Instant) =>
  stretchesAt(statusAt(facts, now, RULES), now).map((one) => [
    one.plan.id,
    toTimestamp(one.start),
    toTimestamp(one.end),
  ])

const month = buy(NEVER_PAID, start, { id: 'pay_1', plan: BASIC })
const half = start + days(15)

describe('what a change costs', () => {
  it('is the difference for the time that is left, to the second', () => {
    // 15 of 30 days left: 1000 and 2500 for the half, 500 of the half is paid.
    expect(quoteOf(month, TEAM, half)).toMatchObject({
      difference: 2000,
      order: {
        from: { id: 'basic' },
        credit: 500,
        parts: [{ sourceId: 'pay_1', amount: 2000, lastChange: null }],
      },
      period: { start: half, end: month.paidUntil },
    })
    expect(quoteOf(month, TEAM, half + SECOND)?.difference).toBe(2000)
    expect(quoteOf(month, TEAM, half + 11 * MINUTE)?.difference).toBe(1999)
  })

  it('counts what was paid, not what is listed: a discount, another amount that came', () => {
    const cheap = buy(NEVER_PAID, start, { id: 'pay_1', plan: BASIC, amount: 600 })
    expect(quoteOf(cheap, TEAM, half)).toMatchObject({ difference: 2200, order: { credit: 300 } })
  })

  it('is against the same term where the dearer plan has it, else against single months', () => {
    const year = buy(NEVER_PAID, start, { id: 'pay_1', plan: BASIC, months: 12 })
    expect(quoteOf(year, MIDDLE, start)).toMatchObject({ difference: 11_000, order: { credit: 9_000 } })
    expect(quoteOf(year, TEAM, start)).toMatchObject({ difference: 51_000 })
  })

  it('counts granted days as parts of 30 of the single month, and redeemed months as single ones', () => {
    const granted = grant(NEVER_PAID, start, 'grt_1', BASIC, 15)
    expect(quoteOf(granted, TEAM, start)).toMatchObject({
      difference: 2000,
      order: { credit: 500, parts: [{ sourceId: 'grt_1', amount: 2000, lastChange: null, days: 15 }] },
    })
    const redeemed = redeem(NEVER_PAID, start, 'red_1', BASIC, 12)
    expect(quoteOf(redeemed, MIDDLE, start)).toMatchObject({ difference: 8_000, order: { credit: 12_000 } })
  })

  it('is at least what the provider takes', () => {
    expect(quoteOf(month, MIDDLE, (month.paidUntil ?? 0) - MINUTE)).toMatchObject({
      difference: RULES.leastAmount,
      order: { parts: [{ amount: RULES.leastAmount }] },
    })
  })

  it('is nothing where no cheaper plan runs: not paid, in grace, ended, the same, a cheaper one', () => {
    const end = month.paidUntil ?? 0
    expect(quoteOf(NEVER_PAID, TEAM, start)).toBeNull()
    expect(quoteOf(month, TEAM, end)).toBeNull()
    expect(quoteOf({ ...month, endedAt: half }, TEAM, half)).toBeNull()
    expect(quoteOf(month, { ...BASIC, price: 9_999 }, half)).toBeNull()
    expect(quoteOf(change(month, 'pay_2', TEAM, start), MIDDLE, half)).toBeNull()
  })

  it('leaves alone what was bought ahead of a plan that is no cheaper', () => {
    const ahead = buy(buy(month, start, { id: 'pay_2', plan: TEAM }), start, { id: 'pay_3', plan: BASIC })
    expect(quoteOf(ahead, MIDDLE, half)?.order.parts.map(({ sourceId }) => sourceId)).toEqual([
      'pay_1',
      'pay_3',
    ])
    const changed = change(ahead, 'pay_4', MIDDLE, half)
    expect(stretches(changed, half).map(([id]) => id)).toEqual(['middle', 'team', 'middle'])
  })
})

describe('a change', () => {
  const changed = change(month, 'pay_2', TEAM, half)

  it('begins at the payment and ends where the time ended', () => {
    expect([planIdAt(changed, half - 1), planIdAt(changed, half)]).toEqual(['basic', 'team'])
    expect([changed.paidUntil, changed.run]).toEqual([month.paidUntil, month.run])
    // In the grace after a changed period the changed plan holds.
    expect(statusAt(changed, (changed.paidUntil ?? 0) + HOUR, RULES)).toMatchObject({
      status: 'past_due',
      plan: { id: 'team' },
    })
  })

  it('is credited itself by the next one', () => {
    const first = change(month, 'pay_2', MIDDLE, start)
    // 1000 + 1000 paid for the whole; of both a half is left, and the dearer half costs 2500.
    expect(quoteOf(first, TEAM, half)).toMatchObject({ difference: 1500, order: { credit: 1000 } })
  })

  it('is not for time that comes later, nor for days granted behind it', () => {
    const later = grant(buy(changed, half, { id: 'pay_3', plan: BASIC }), half, 'grt_1', BASIC, 3)
    expect(stretches(later, half).map(([id]) => id)).toEqual(['team', 'basic'])
    const granted = change(grant(NEVER_PAID, start, 'grt_1', BASIC, 10), 'pay_1', TEAM, start)
    const longer = grant(granted, start, 'grt_2', BASIC, 5)
    expect(stretches(longer, start)).toEqual([
      ['team', '2026-11-01T12:00:00Z', '2026-11-11T12:00:00Z'],
      ['basic', '2026-11-11T12:00:00Z', '2026-11-16T12:00:00Z'],
    ])
  })

  it('of granted days that were lengthened since the quote is for the days of the quote', () => {
    const granted = grant(NEVER_PAID, start, 'grt_1', BASIC, 10)
    const quote = quoteOf(granted, TEAM, start)
    const longer = grant(granted, start, 'grt_2', BASIC, 5)
    const of = { id: 'pay_1', plan: TEAM, amount: quote?.difference ?? 0, at: start + HOUR }
    const facts = quote && book(longer, quote.order, of).subscription
    expect(facts && stretches(facts, start + HOUR)).toEqual([
      ['team', '2026-11-01T13:00:00Z', '2026-11-11T12:00:00Z'],
      ['basic', '2026-11-11T12:00:00Z', '2026-11-16T12:00:00Z'],
    ])
  })

  it('that is paid when its time is over buys time on the new plan for its worth', () => {
    const quote = quoteOf(month, TEAM, half)
    const late = (month.paidUntil ?? 0) + 10 * DAY
    const of = { id: 'pay_2', plan: TEAM, amount: 2000, at: late }
    const booked = quote && book(month, quote.order, of)
    expect(booked).toMatchObject({ changed: null, added: { renews: false }, order: { parts: [] } })
    // 2000 of 5000 of the 31 days from 11 December.
    expect(booked?.period).toEqual({ start: late, end: late + 31 * DAY * 0.4 })
    expect(booked && planIdAt(booked.subscription, late)).toBe('team')
  })

  it('that was paid in time, and becomes known when it is over, buys time behind it as well', () => {
    const order = quoteOf(month, TEAM, half)?.order ?? null
    const end = month.paidUntil ?? 0
    const of = { id: 'pay_2', plan: TEAM, amount: 2000, at: half + HOUR }
    const booked = book(month, order, of, end + DAY)
    expect(booked).toMatchObject({ changed: null, added: { renews: true }, period: { start: end } })
  })

  it('whose period was refunded, ended or changed otherwise meanwhile buys time for its worth', () => {
    const ahead = buy(month, start, { id: 'pay_2', plan: BASIC })
    const order = quoteOf(ahead, TEAM, half)?.order
    const of = { id: 'pay_3', plan: TEAM, amount: 6000, at: half + HOUR }
    if (!order) throw new Error('it is not dearer')
    const moved = book(refunded(ahead, 'pay_1', half), order, of)
    expect(stretches(moved.subscription, half + HOUR).map(([id]) => id)).toEqual(['team'])
    expect(moved).toMatchObject({
      changed: { from: { id: 'basic' } },
      order: { parts: [{ sourceId: 'pay_2', amount: 4000 }] },
    })
    expect(moved.subscription.periods.at(-1)).toMatchObject({ sourceId: 'pay_3', amount: 2000 })
    const ended = decideEnd(ahead, half, RULES)?.subscription ?? ahead
    expect(book(ended, order, of)).toMatchObject({ changed: null, added: { renews: false } })
    const other = book(change(ahead, 'pay_4', TEAM, half), order, of)
    expect(other).toMatchObject({ changed: null, added: { renews: true }, order: { parts: [] } })
  })

  it('whose order is not known any more is of what is left', () => {
    const of = { id: 'pay_2', plan: TEAM, amount: 2000, at: half }
    expect(book(month, null, of).subscription).toEqual(changed)
    expect(book(NEVER_PAID, null, of)).toMatchObject({ order: null, added: { renews: false } })
  })
})

describe('refunds', () => {
  const changed = change(change(month, 'pay_2', MIDDLE, start + DAY), 'pay_3', TEAM, half)

  it('take the change first, then what it stands on', () => {
    expect(refund(changed, 'pay_1', half)).toEqual({ changeFirst: 'pay_3' })
    expect(refund(changed, 'pay_2', half)).toEqual({ changeFirst: 'pay_3' })
    const back = refunded(changed, 'pay_3', half + DAY)
    expect(refund(back, 'pay_1', half + DAY)).toEqual({ changeFirst: 'pay_2' })
    expect(refunded(refunded(back, 'pay_2', half + DAY), 'pay_1', half + DAY).endedAt).toBe(half + DAY)
  })

  it('of a change leave the old plan, to the old end', () => {
    expect(refund(changed, 'pay_3', half + DAY)).toMatchObject({
      events: ['payment.refunded', 'subscription.changed'],
      change: { from: { id: 'team' }, to: { id: 'middle' }, at: half + DAY, until: month.paidUntil },
      moved: [],
    })
    expect(refunded(changed, 'pay_3', half + DAY)).toEqual(change(month, 'pay_2', MIDDLE, start + DAY))
  })

  it('of what is over ask for no order, and leave the grace on its plan', () => {
    const after = (month.paidUntil ?? 0) + HOUR
    for (const id of ['pay_1', 'pay_2', 'pay_3']) {
      expect(refund(changed, id, after)).toMatchObject({
        subscription: changed,
        events: ['payment.refunded'],
      })
    }
  })

  it('of a time in front move the changes with what they changed', () => {
    const ahead = buy(buy(month, start, { id: 'pay_2', plan: TEAM }), start, { id: 'pay_3', plan: BASIC })
    const facts = change(ahead, 'pay_4', MIDDLE, half)
    const decided = refund(facts, 'pay_2', half)
    if ('changeFirst' in decided) throw new Error('nothing stands on it')
    expect(stretches(decided.subscription, half)).toEqual([
      ['middle', '2026-11-16T12:00:00Z', '2027-01-01T12:00:00Z'],
    ])
    const until = instantOf('2027-01-01T12:00:00Z')
    expect(decided.moved).toEqual([
      { sourceId: 'pay_3', start: month.paidUntil, end: until },
      { sourceId: 'pay_4', start: half, end: until },
    ])
  })
})

describe('the quote of a change', () => {
  const wanted = { planId: 'team', months: 1 } as const
  const ask = (facts: SubscriptionFacts, now: Instant, more: object) =>
    decideQuote(facts, { ...wanted, mode: 'payment', ...more }, now, rulesOf(CATALOGUE))

  it('is what an upgrade to a dearer plan is; a payment is for the end unless it says now', () => {
    expect(ask(month, half, { mode: 'upgrade' })).toMatchObject({ quote: { change: { credit: 500 } } })
    expect(ask(month, half, {})).toMatchObject({ quote: { offer: { months: 1 }, amount: 5000 } })
    expect(ask(month, half, { mode: 'upgrade', planId: 'basic' })).toMatchObject({
      kind: 'already_subscribed',
    })
    expect(ask(month, half, { start: 'now', planId: 'basic' })).toEqual({ kind: 'no_dearer_plan' })
    expect(ask(NEVER_PAID, half, { start: 'now' })).toEqual({ kind: 'no_dearer_plan' })
    expect(ask(NEVER_PAID, half, { mode: 'upgrade' })).toMatchObject({ quote: { amount: 5000 } })
  })

  it('is there for each dearer plan', () => {
    const quotes = changeQuotes(month, half, rulesOf(CATALOGUE))
    expect(quotes.map(({ offer, amount }) => [offer.plan.id, amount])).toEqual([
      ['middle', 500],
      ['team', 2000],
    ])
    expect(quotes[0]?.offer.plan).not.toHaveProperty('terms')
    expect(changeQuotes(change(month, 'pay_2', TEAM, start), half, rulesOf(CATALOGUE))).toEqual([])
  })
})

const acts = fc.array(
  fc.record({
    after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 * 86_400 })),
    act: fc.constantFrom('buy', 'buy', 'grant', 'redeem', 'change', 'change', 'change', 'refund'),
    plan: fc.constantFrom(...PLANS),
    months: fc.constantFrom(1, 1, 12),
    off: fc.integer({ min: 0, max: 900 }),
    count: fc.integer({ min: 1, max: 40 }),
    paidAfter: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 30 * 60 }),
      fc.integer({ min: 0, max: 20 * 86_400 }),
    ),
  }),
  { minLength: 1, maxLength: 12 },
)
type Act = typeof acts extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** The worth at an instant of all that was paid and given. */
function worthOf({ periods, endedAt }: SubscriptionFacts, at: Instant): Fraction {
  return endedAt === null ? periods.map((one) => worthLeft(one, at)).reduce(plus, ZERO) : ZERO
}

const isZero = ({ numerator }: Fraction) => numerator === 0n
const RUNS = 2_000

type State = { facts: SubscriptionFacts; now: Instant; ids: readonly string[] }

interface BookedChange {
  readonly before: SubscriptionFacts
  readonly booked: ReturnType<typeof bookChange>
  readonly id: string
  readonly amount: number
  readonly at: Instant
}

function perform(
  { facts, now: before, ids }: State,
  { after, act, plan, months, off, count, paidAfter }: Act,
  onChange: (of: BookedChange) => void = () => undefined,
): State {
  const now = before + after * SECOND
  const id = `pay_${ids.length}`
  const without = (facts: SubscriptionFacts, kept = ids) => ({ facts, now, ids: [...kept, ''] })
  if (act === 'grant') return without(grant(facts, now, `grt_${ids.length}`, plan, count))
  if (act === 'redeem') return without(redeem(facts, now, `red_${ids.length}`, plan, months))
  if (act === 'buy') {
    const price = offersOf(plan).find((offer) => offer.months === months)?.price.amount ?? plan.price * months
    return { facts: buy(facts, now, { id, plan, months, amount: price - off }), now, ids: [...ids, id] }
  }
  if (act === 'refund') {
    const paid = ids.filter((one) => one !== '')
    const chosen = paid[count % Math.max(paid.length, 1)]
    const decided = chosen === undefined ? null : refund(facts, chosen, now)
    if (!decided || 'changeFirst' in decided) return without(facts)
    return without(
      decided.subscription,
      ids.map((one) => (one === chosen ? '' : one)),
    )
  }
  const quote = quoteOf(facts, plan, now)
  if (!quote) return without(facts)
  const at = now + paidAfter * SECOND
  const amount = Math.max(quote.difference - off, 1)
  const booked = book(facts, quote.order, { id, plan, amount, at })
  onChange({ before: facts, booked, id, amount, at })
  return { facts: booked.subscription, now: at, ids: [...ids, id] }
}

const begin: State = { facts: NEVER_PAID, now: start, ids: [] }
const performAll = (list: readonly Act[], onChange?: (of: BookedChange) => void) =>
  list.reduce<State>((state, act) => perform(state, act, onChange), begin)

function expectSameWorth({ before, booked, amount, at }: BookedChange): void {
  // In grace time begins before the payment, at the old end.
  const from = booked.changed ? at : (booked.period?.start ?? at)
  const gained = minus(worthOf(booked.subscription, from), worthOf(before, from))
  expect(isZero(minus(gained, fraction(amount)))).toBe(true)
}

function expectSameTime({ before, booked: { subscription }, at }: BookedChange): void {
  const timesOf = ({ periods }: SubscriptionFacts) => periods.map((one) => [one.sourceId, one.start, one.end])
  expect([subscription.run, subscription.paidUntil]).toEqual([before.run, before.paidUntil])
  expect(timesOf(subscription)).toEqual(timesOf(before))
  for (const [place, period] of subscription.periods.entries()) {
    const old = before.periods[place]
    const moments = [at, period.start, period.end - 1].filter(
      (one) => period.start <= one && one < period.end,
    )
    for (const moment of moments)
      expect(old && planAt(period, moment).price >= planAt(old, moment).price).toBe(true)
  }
}

function expectPartsOf({ booked, id, amount }: BookedChange): void {
  const { periods } = booked.subscription
  const parts = periods.flatMap(({ changes = [] }) => changes.filter(({ sourceId }) => sourceId === id))
  const added = periods.find(({ sourceId }) => sourceId === id)
  const bought = added ? (added.amount ?? added.plan.price * added.months) : 0
  expect(parts.reduce((sum, part) => sum + part.amount, bought)).toBe(amount)
  expect(booked.order?.parts.map((part) => part.amount)).toEqual(parts.map((part) => part.amount))
}

function expectNoTraceOnceRefunded({ before, booked, id, at }: BookedChange): void {
  const back = refunded(booked.subscription, id, at)
  expect({ ...back, instrument: null }).toEqual({ ...before, instrument: null })
}

describe('no sequence of changes, purchases, grants and refunds', () => {
  it('makes or loses worth, moves an end, lowers a plan or leaves a trace by a change', () =>
    forAll(RUNS, acts, (list) => {
      performAll(list, (change) => {
        expectSameWorth(change)
        expectPartsOf(change)
        if (change.booked.added) return
        expectSameTime(change)
        expectNoTraceOnceRefunded(change)
      })
    }))

  it('makes a change worth less or more by what is bought, granted or redeemed behind it', () => {
    const others = acts.map((list) => list.filter(({ act }) => act !== 'refund' && act !== 'change'))
    forAll(RUNS, acts, others, (list, behind) => {
      const before = performAll(list)
      const after = behind.reduce<State>((state, act) => perform(state, { ...act, after: 0 }), before)
      for (const period of before.facts.periods.filter(({ end, changes }) => changes && end > before.now)) {
        const same = after.facts.periods.find(({ sourceId }) => sourceId === period.sourceId)
        expect(before.facts.endedAt !== null || same).toEqual(before.facts.endedAt !== null || period)
      }
    })
  })

  it('asks for more than the difference and a dinar, or for less', () =>
    forAll(RUNS, acts, fc.constantFrom(...PLANS), (list, plan) => {
      const { facts, now } = performAll(list)
      const quote = quoteOf(facts, plan, now)
      if (!quote) return
      const left = facts.periods.filter(({ end }) => now < end)
      // Counted anew: each changed period's own cost of what is left, as a quotient of its own.
      const exact = left
        .filter((one) => quote.order.parts.some(({ sourceId }) => sourceId === one.sourceId))
        .map((one) => {
          const offer = offersOf(plan).find(({ months }) => months === one.months)
          const granted = one.granted?.days
          const [numerator, denominator] =
            one.months > 0
              ? [offer?.price.amount ?? plan.price * one.months, 1]
              : granted
                ? [plan.price * granted, 30]
                : [plan.price * (one.amount ?? 0), one.plan.price]
          const time = one.end - Math.max(one.start, now)
          const cost = {
            numerator: BigInt(numerator) * BigInt(time),
            denominator: BigInt(denominator) * BigInt(one.end - one.start),
          }
          return minus(cost, worthLeft(one, now))
        })
        .reduce(plus, ZERO)
      const isLeast = quote.difference === RULES.leastAmount
      expect(quote.difference >= roundedUp(exact)).toBe(true)
      expect(isLeast || quote.difference === roundedUp(exact)).toBe(true)
    }))

  it('keeps a payment from being refunded in its turn: the last first', () =>
    forAll(RUNS, acts, (list) => {
      const { facts, now, ids } = performAll(list)
      let left = facts
      for (const id of ids.filter((one) => one !== '').reverse()) left = refunded(left, id, now)
      expect(left.periods.every(({ changes, end }) => !changes || end <= now || left.endedAt !== null)).toBe(
        true,
      )
    }))

  it('makes steps dearer than the way at once, by more than a dinar each', () => {
    const way = fc.uniqueArray(fc.integer({ min: 1001, max: 9_000 }), { minLength: 2, maxLength: 5 })
    forAll(RUNS, way, fc.integer({ min: 0, max: 25 * 86_400 }), (prices, after) => {
      const now = start + after * SECOND
      const plans = prices
        .toSorted((one, other) => one - other)
        .map((price) => ({ ...PRO, id: `p${price}`, price }))
      const last = plans.at(-1)
      if (!last) return
      const direct = quoteOf(month, last, now)?.difference ?? 0
      let facts = month
      let sum = 0
      let least = 0
      for (const plan of plans) {
        const quote = quoteOf(facts, plan, now)
        if (!quote) throw new Error('it is dearer')
        sum += quote.difference
        if (quote.difference === RULES.leastAmount) least++
        facts = book(facts, quote.order, {
          id: `pay_${plan.id}`,
          plan,
          amount: quote.difference,
          at: now,
        }).subscription
      }
      expect(sum).toBeGreaterThanOrEqual(direct)
      expect(sum - direct).toBeLessThan(plans.length + least * RULES.leastAmount)
    })
  })
})
