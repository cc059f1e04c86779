import fc from 'fast-check'
import { aCode } from '../../../../test/support/codes.js'
import {
  aReport,
  catalogueOf,
  days,
  FREE,
  instantOf,
  MONTH_END,
  NOON,
  ONE_MONTH,
  PRO,
  RULES,
  rulesOf,
} from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { paymentBehind } from '../reconciliation/payment-behind.js'
import type { CheckoutReport } from './checkout.js'
import { type Instant, SECOND } from './instant.js'
import { type Catalogue, offersOf, type Plan } from './plan.js'
import { decideQuote, type PurchaseMode, type Quote, renewalAt, renewalOffers, type Wanted } from './quote.js'
import { extend, grantAt, NEVER_PAID, purchaseAt, type SubscriptionFacts } from './subscription.js'
import { decideUpgrade } from './upgrade.js'

const termsOf = (prices: Readonly<Record<number, number>>) =>
  Object.entries(prices).map(([months, price]) => ({ months: Number(months), price }))
const YEARLY: Plan = { ...PRO, terms: termsOf({ 12: 20_000, 36: 55_000, 6: 11_000 }) }
const CATALOGUE: Catalogue = catalogueOf([FREE, YEARLY])

/** Facts after these terms were bought, each at its instant, or days granted instead. */
function bought(
  ...purchases: readonly (readonly [at: Instant, months: number, granted?: number | undefined])[]
): SubscriptionFacts {
  return purchases.reduce<SubscriptionFacts>((facts, [at, months, granted], index) => {
    const source = { id: `source_${index}`, plan: PRO, instrument: 'cib' }
    const time = granted ? grantAt(facts, at, granted, RULES) : purchaseAt(facts, at, months, RULES)
    return extend(facts, time, source, at)
  }, NEVER_PAID)
}

const quote = (facts: SubscriptionFacts, now: Instant, months: number, mode: PurchaseMode = 'payment') =>
  decideQuote(facts, { planId: 'pro', months, mode }, now, rulesOf(CATALOGUE))

describe('a quote', () => {
  it('refuses what is not sold', () => {
    const kindOf = (planId: string, months: number) =>
      decideQuote(NEVER_PAID, { planId, months, mode: 'payment' }, NOON, rulesOf(CATALOGUE))
    expect(kindOf('gold', 1)).toEqual({ kind: 'unknown_plan' })
    expect(kindOf('free', 1)).toEqual({ kind: 'plan_not_purchasable' })
    expect(kindOf('pro', 2)).toEqual({ kind: 'unknown_term' })
  })

  it('of what a code leaves nothing to pay for opens no payment: the code is redeemed', () => {
    const wanted = (percent: number) => ({
      ...{ planId: 'pro', months: 1, mode: 'payment' as const },
      code: aCode({ kind: 'percent', percent }),
    })
    const before = { subscription: NEVER_PAID, open: null, recentAt: [], withdrawnId: null }
    const click = (percent: number) => decideUpgrade(before, wanted(percent), NOON, rulesOf(CATALOGUE))
    expect(decideQuote(NEVER_PAID, wanted(100), NOON, rulesOf(CATALOGUE))).toMatchObject({
      quote: { amount: 0 },
    })
    expect(click(100)).toEqual({ kind: 'not_sold', refusal: { kind: 'nothing_to_pay' } })
    expect(click(50)).toMatchObject({ kind: 'request', sale: { amount: 1_000 } })
  })

  it('with a discount takes it off, and waives what is left where no provider takes so little', () => {
    for (const [batch, price, taken] of [
      [{ kind: 'percent', percent: 15 }, 2001, 300],
      [{ kind: 'percent', percent: 15 }, 2006, 300],
      [{ kind: 'percent', percent: 100 }, 2000, 2000],
      [{ kind: 'amount', amount: 500 }, 2000, 500],
      [{ kind: 'amount', amount: 2001 }, 2000, 2000],
      [{ kind: 'amount', amount: 1951 }, 2000, 2000],
      [{ kind: 'amount', amount: 1950 }, 2000, 1950],
      [{ kind: 'amount', amount: 1 }, 50, 50],
    ] as const) {
      const catalogue = catalogueOf([FREE, { ...PRO, price }])
      const wanted: Wanted = { planId: 'pro', months: 1, mode: 'payment', code: aCode(batch) }
      const offer = { price: { amount: price } }
      const sold = { offer, discount: taken, amount: price - taken, codeHash: 'hash-1' }
      expect.soft(decideQuote(NEVER_PAID, wanted, NOON, rulesOf(catalogue))).toMatchObject({ quote: sold })
    }
  })

  it('with a code that does not count is refused, after everything else that stands in the way', () => {
    const kindOf = (wanted: Partial<Wanted>, facts = NEVER_PAID) =>
      decideQuote(facts, { planId: 'pro', months: 1, mode: 'payment', ...wanted }, NOON, rulesOf(CATALOGUE))
        .kind
    for (const code of [
      'unknown' as const,
      aCode({}, { used: 1 }),
      aCode({ months: 12 }),
      aCode({ kind: 'months' }),
    ]) {
      expect(kindOf({ code })).toBe('code_not_valid')
      expect(kindOf({ code, months: 2 })).toBe('unknown_term')
      expect(kindOf({ code, planId: 'gold' })).toBe('unknown_plan')
      expect(kindOf({ code, mode: 'upgrade' }, bought([NOON, 1]))).toBe('already_subscribed')
      expect(kindOf({ code }, bought([NOON, 36]))).toBe('prepaid_limit_reached')
    }
  })
})

describe('buying ahead', () => {
  it('is refused to the second before the instant from which it fits, and possible from then on', () => {
    const facts = bought([NOON, 12], [NOON, 12])
    const fitsFrom = instantOf('2026-12-21T12:00:00Z')
    expect(quote(facts, fitsFrom - 1, 1)).toMatchObject({
      ...{ kind: 'prepaid_limit_reached', currentPeriodEnd: instantOf('2028-11-21T12:00:00Z'), fitsFrom },
    })
    expect(quote(facts, fitsFrom, 1)).toMatchObject({ kind: 'sold' })
    // A whole second is named where the end has a fraction.
    const odd = bought([NOON + 1, 12], [NOON + 1, 12])
    expect(quote(odd, NOON + 2, 1)).toMatchObject({ fitsFrom: fitsFrom + SECOND })
  })

  it('does not keep anyone from renewing, or from beginning, with a term longer than the limit', () => {
    const facts = bought([NOON, 1])
    const end = instantOf('2026-12-21T12:00:00Z')
    expect(quote(NEVER_PAID, NOON, 36).kind).toBe('sold')
    expect(quote(facts, end - days(7) - 1, 36)).toMatchObject({ fitsFrom: end - days(7) })
    expect(quote(facts, end - days(7), 36).kind).toBe('sold')
    expect(quote(facts, end + days(3) - 1, 36).kind).toBe('sold')
  })
})

const anInstant = fc.integer({ min: NOON, max: NOON + days(1_500) })
const aTerm = fc.record({ months: fc.integer({ min: 2, max: 36 }), percent: fc.nat(99) })
const terms = fc.uniqueArray(aTerm, { selector: ({ months }) => months, maxLength: 5 })
const aPlan = fc.record({ price: fc.integer({ min: 100, max: 100_000 }), terms }).map(
  ({ price, terms }): Plan => ({
    ...PRO,
    price,
    terms: terms.map(({ months, percent }) => ({
      months,
      price: Math.max(50, Math.round((months * price * percent) / 100)),
    })),
  }),
)
const aCatalogue = fc.array(aPlan, { minLength: 1, maxLength: 3 }).map((plans): Catalogue => {
  const sold = plans.map((plan, index) => ({ ...plan, id: `plan${index}` }))
  return catalogueOf([FREE, ...sold])
})
const granted = fc.option(fc.integer({ min: 1, max: 366 }), { nil: undefined })
const aHistory = fc
  .array(fc.tuple(anInstant, fc.integer({ min: 1, max: 36 }), granted), { maxLength: 5 })
  .map((purchases) => bought(...purchases.toSorted(([one], [other]) => one - other)))

const aWish = fc.record({
  catalogue: aCatalogue,
  facts: aHistory,
  now: anInstant,
  planId: fc.constantFrom('plan0', 'plan1', 'plan2', 'free'),
  months: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 36 })),
  mode: fc.constantFrom<PurchaseMode>('upgrade', 'payment'),
  start: fc.constantFrom('now', 'end', undefined),
  code: fc.oneof(
    fc.constantFrom(undefined, 'unknown' as const),
    fc.integer({ min: 1, max: 100 }).map((percent) => aCode({ kind: 'percent', percent })),
    fc.integer({ min: 1, max: 100_000 }).map((amount) => aCode({ kind: 'amount', amount })),
  ),
})
const RUNS = 200

describe('for every catalogue, history and instant', () => {
  it('what is quoted is offered, asked for and bought, by a click, as a payment and as the renewal', () =>
    forAll(RUNS, aWish, ({ catalogue, facts, now, ...wanted }) => {
      const quoted = decideQuote(facts, wanted, now, rulesOf(catalogue))
      const before = { subscription: facts, open: null, recentAt: [], withdrawnId: null }
      const click = decideUpgrade(before, wanted, now, rulesOf(catalogue))
      const sold = quoted.kind === 'sold'
      const isFree = sold && quoted.quote.amount === 0
      const refusal = isFree ? { kind: 'nothing_to_pay' } : quoted
      expect(click).toEqual(
        sold && !isFree ? { kind: 'request', sale: quoted.quote } : { kind: 'not_sold', refusal },
      )
      const changesFrom = facts.periods.find(({ end }) => now < end)?.start ?? now
      const { period } = purchaseAt(facts, now, wanted.months, RULES)
      if (sold) expectWhole(quoted.quote, period, catalogue, { now, changesFrom })
      const later = (mode: PurchaseMode) =>
        decideQuote(facts, { ...wanted, start: wanted.start ?? 'end', mode }, now, rulesOf(catalogue))
      if (later('upgrade').kind === 'sold') expect(later('payment')).toEqual(later('upgrade'))
      const renewal = renewalAt(facts, now, rulesOf(catalogue))
      const same: Wanted = { planId: renewal?.plan.id ?? '', months: 1, mode: 'upgrade', start: 'end' }
      const renewed = decideQuote(facts, same, now, rulesOf(catalogue))
      expect(renewal?.allowed).toBe(renewed.kind === 'sold')
      const { amount, wouldStart: start, wouldEnd: end } = renewal ?? {}
      const { quote } = 'quote' in renewed ? renewed : { quote: null }
      expect([quote?.amount, quote?.period]).toEqual([amount, { start, end }])
    }))

  it('what is refused as too far ahead is sold from the instant that is named, and not before', () =>
    forAll(RUNS, aWish, ({ catalogue, facts, now, code: _, ...wanted }) => {
      const at = (instant: Instant) =>
        decideQuote(facts, { ...wanted, mode: 'payment' }, instant, rulesOf(catalogue))
      const refused = at(now)
      if (refused.kind !== 'prepaid_limit_reached') return
      const { fitsFrom } = refused
      expect([fitsFrom > now, fitsFrom % SECOND]).toEqual([true, 0])
      expect([at(fitsFrom - SECOND).kind, at(fitsFrom).kind]).toEqual(['prepaid_limit_reached', 'sold'])
    }))
})

/** A change adds up and begins with what it changes; a term is offered, and is of the time that is bought. */
function expectWhole(
  quote: Quote,
  bought: Quote['period'],
  catalogue: Catalogue,
  { now, changesFrom }: { readonly now: Instant; readonly changesFrom: Instant },
): void {
  const { offer, change, amount, discount, period } = quote
  expect(change !== undefined).toBe(offer.months === 0)
  if (change) {
    expect(offer.price.amount - change.credit - discount).toBe(amount)
    expect(amount).toBeGreaterThanOrEqual(RULES.leastAmount)
    expect(period.start).toBe(Math.max(now, changesFrom))
    return
  }
  expect(amount === 0 || amount >= RULES.leastAmount).toBe(true)
  const price = { amount: amount + discount, currency: 'DZD' }
  expect(catalogue.plans.flatMap(offersOf)).toContainEqual({ ...offer, price })
  expect(period).toEqual(bought)
}

describe('a payment that is known from its checkout alone', () => {
  const method = {
    ...{ name: 'chargily', live: false, leastAmount: 50, checkoutLifetimeMs: 1, lookupsAfterMs: [1] },
    ...{ instruments: [], begunBy: 'user' as const, bearsStampDuty: false },
    ...{ settledBy: 'provider' as const, accounts: [] },
  }
  const TEAM: Plan = { ...YEARLY, id: 'team', price: 9_000, terms: [{ months: 12, price: 20_000 }] }
  const catalogue = catalogueOf([FREE, YEARLY, TEAM])
  const behind = (said: Partial<CheckoutReport> & { amount: number }) => {
    const report = aReport({ paymentId: 'pay_01jd7k3v9m4w8x2z5c6b7n8q9r', ...said })
    const payment = paymentBehind(report, { catalogue, method, now: NOON })
    return payment && [payment.plan?.id, payment.months, payment.price.amount]
  }

  it('is found by what is said of it, and not guessed at where two offers cost as much', () => {
    for (const [said, found] of [
      [{ amount: 1, planId: 'team', months: 12 }, ['team', 12, 20_000]],
      [{ amount: 11_000, planId: 'pro' }, ['pro', 6, 11_000]],
      [{ amount: 55_000 }, ['pro', 36, 55_000]],
      // No term costs as much: a single month of the plan is offered.
      [{ amount: 7, planId: 'team' }, ['team', 1, 9_000]],
      // The term is no longer sold: as many single months are offered.
      [{ amount: 9, planId: 'team', months: 24 }, ['team', 24, 216_000]],
      // The plan is no longer sold: the first plan that is sold is offered.
      [{ amount: 9, planId: 'gold', months: 12 }, ['pro', 12, 24_000]],
      [{ amount: 20_000 }, null],
    ] as const)
      expect.soft(behind(said)).toEqual(found)
  })

  it('is cheaper by what its code took off, but never for less than the provider takes', () => {
    const cheaper = (discount: number) =>
      behind({ amount: 10_000, planId: 'team', months: 12, code: { hash: 'hash-1', discount } })
    expect(cheaper(10_000)).toEqual(['team', 12, 10_000])
    expect(cheaper(19_951)).toEqual(['team', 12, 20_000])
  })
})

describe('a renewal', () => {
  const at = (facts: SubscriptionFacts, now: number, catalogue = RULES.catalogue) =>
    renewalAt(facts, now, rulesOf(catalogue))

  it('for one who never paid begins now, and with the first plan that costs something', () => {
    const first = { allowed: true, plan: PRO, amount: 2000, wouldStart: NOON, wouldEnd: MONTH_END }
    expect(at(NEVER_PAID, NOON)).toEqual({ ...first, renewableFrom: null })
  })

  it('follows on the paid time from its last 7 days on, and in grace', () => {
    const from = MONTH_END - days(7)
    for (const now of [from - 1, from, MONTH_END + days(3) - 1])
      expect
        .soft(at(ONE_MONTH, now))
        .toMatchObject({ allowed: now >= from, wouldStart: MONTH_END, renewableFrom: from })
  })

  it('costs what the plan bought last costs today, while it is sold, and is none if nothing is sold', () => {
    const dearer = { ...PRO, price: 2500 }
    const other = { ...PRO, id: 'team', price: 9000 }
    expect(at(ONE_MONTH, MONTH_END, catalogueOf([FREE, other, dearer]))?.plan).toBe(dearer)
    expect(at(ONE_MONTH, MONTH_END, catalogueOf([FREE, other]))?.plan).toBe(other)
    expect(at(ONE_MONTH, MONTH_END, catalogueOf([FREE]))).toBe(null)
  })
})

it('a reminder offers the term that was paid last, then the others, the shortest first', () => {
  const terms = termsOf({ 12: 20_000, 6: 11_000 })
  const [paid] = ONE_MONTH.periods
  const offered = (plans: readonly Plan[], before: Readonly<Record<string, number>>) => {
    const periods = Object.entries(before).flatMap(([sourceId, months]) =>
      paid ? [{ ...paid, sourceId, months }] : [],
    )
    return renewalOffers({ ...ONE_MONTH, periods }, catalogueOf([FREE, ...plans])).map(({ months }) => months)
  }
  for (const [before, months] of [
    [{ pay_01: 1 }, [1, 6, 12]],
    [{ pay_01: 12, pay_02: 6 }, [6, 1, 12]],
    // Time that was given afterwards does not change the order.
    [{ pay_01: 12, red_01: 6, grt_01: 0 }, [12, 1, 6]],
    // Nothing was paid, or that term is no longer sold: the single month comes first.
    [{ red_01: 6 }, [1, 6, 12]],
    [{ pay_01: 24 }, [1, 6, 12]],
  ] as const)
    expect.soft(offered([{ ...PRO, terms }], before)).toEqual(months)
  expect(offered([], { pay_01: 12 })).toEqual([])
})
