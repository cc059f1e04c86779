import { aPayment, aReport, NOON, PRO, RULES } from '../../../../test/support/fixtures.js'
import type { CheckoutReport } from './checkout.js'
import { DAY, MINUTE, SECOND, toTimestamp } from './instant.js'
import { isInstantBelieved, type Payment, type PaymentStatus, type Review } from './payment.js'
import { decideSettlement } from './settlement.js'
import { NEVER_PAID } from './subscription.js'

const context = {
  now: NOON + 3 * MINUTE,
  rules: RULES,
  method: { lookupsAfterMs: [MINUTE, 5 * MINUTE], settledBy: 'provider' as const },
  freshPaymentId: () => 'pay_02',
  isAnswer: false,
}
const decide = (payment: Payment, report = aReport(), changes = {}) =>
  decideSettlement({ payment, subscription: NEVER_PAID }, report, { ...context, ...changes })

const UNCHANGED = { outcome: 'unchanged', payment: null }
const booked: Partial<Payment> = { status: 'paid', paidAt: NOON, periodStart: NOON, periodEnd: NOON + 1 }

describe('a paid report', () => {
  it('books one month from the provider’s instant of payment', () => {
    const { outcome, payment, subscription, events } = decide(aPayment())
    expect(outcome).toBe('booked')
    const paid = { status: 'paid', paidAt: NOON + 2 * MINUTE, instrument: 'edahabia', nextCheckAt: null }
    expect(payment).toMatchObject(paid)
    expect(toTimestamp(subscription?.paidUntil ?? 0)).toBe('2026-12-21T12:02:00Z')
    expect(events).toEqual(['payment.paid', 'subscription.activated'])
  })

  it('wins over each state without money, and changes nothing on a payment that was paid or refunded', () => {
    const late: PaymentStatus[] = ['requested', 'failed', 'canceled', 'expired', 'review']
    for (const status of late) expect.soft(decide(aPayment({ status })).outcome, status).toBe('booked')
    for (const status of ['paid', 'refunded'] as const)
      expect.soft(decide(aPayment({ ...booked, status })), status).toMatchObject(UNCHANGED)
  })

  it('for a second checkout is another month, held to what was asked for the first, not to what came', () => {
    const first = aPayment({ ...booked, price: { amount: 2001, currency: 'DZD' }, amountAsked: 2000 })
    expect(decide(first, aReport({ checkoutId: 'chk_2', amount: 2000 }))).toMatchObject({
      ...{ outcome: 'booked_second', isNew: true },
      payment: { id: 'pay_02', secondOf: 'pay_01', price: { amount: 2000 }, amountAsked: null },
    })
  })

  it('for a second checkout of a change is for all that was asked for, also what is gone', () => {
    const period = { start: NOON - DAY, end: NOON + 29 * DAY, sourceId: 'pay_0', plan: PRO, months: 1 }
    const run = { anchorAt: period.start, months: 1 }
    const subscription = { ...NEVER_PAID, run, paidUntil: period.end, periods: [period] }
    const gone = { sourceId: 'pay_00', amount: 1500, lastChange: null }
    const change = {
      from: PRO,
      credit: 0,
      parts: [{ sourceId: 'pay_0', amount: 500, lastChange: null }, gone],
    }
    const of = { kind: 'change', plan: { ...PRO, id: 'team', price: 5000 }, months: null } as const
    const balances = { ...context, rules: { ...RULES, balanceMax: 10_000 } }
    const pay = (payment: Payment, checkoutId: string) =>
      decideSettlement({ payment, subscription }, aReport({ checkoutId }), balances)
    const { payment: first } = pay(aPayment({ ...of, change } as Partial<Payment>), 'chk_1')
    const { payment: second, entry } = first ? pay(first, 'chk_2') : { payment: null }
    for (const one of [first, second])
      expect(one?.change).toMatchObject({ parts: [{ sourceId: 'pay_0', amount: 500 }], surplus: 1500 })
    expect(entry).toMatchObject({ kind: 'surplus', amount: 1500 })
  })

  it('for a payment that never learned its checkout takes the checkout over', () => {
    const { payment } = decide(aPayment({ status: 'requested', checkoutId: null, checkoutUrl: null }))
    expect([payment?.status, payment?.checkoutId]).toEqual(['paid', 'chk_1'])
  })

  it('that differs in anything goes to review and grants nothing', () => {
    const amounts = [50, 1_999, 2_001, 20_000, null].map((amount) => ({ amount }))
    const others = [
      ...[{ currency: 'EUR' }, { live: true }, { paymentId: 'pay_99' }, { paymentId: null }],
      ...[{ userId: 'user-2' }, { planId: 'team' }, { months: 12 }],
    ]
    for (const change of [...amounts, ...others]) {
      const { outcome, subscription, payment, events } = decide(aPayment(), aReport(change))
      expect
        .soft([outcome, subscription, payment?.status, events])
        .toEqual(['review', null, 'review', ['payment.review']])
      const name = Object.keys(change)
        .join()
        .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      expect.soft(payment?.review?.differences.join()).toContain(name)
    }
  })

  it('without a currency or a mode is compared in what it does say', () => {
    expect(decide(aPayment(), aReport({ currency: null, live: null })).outcome).toBe('booked')
  })

  it('that differs is booked when an operator accepts the amount and currency that were reviewed', () => {
    const review = { ...decide(aPayment(), aReport({ amount: 1500 })).payment?.review } as Review
    const accept = (review: Review, said: Partial<CheckoutReport>) =>
      decide(aPayment({ status: 'review', review }), aReport({ amount: 1500, ...said }), { accepted: true })
    expect(accept(review, {}).outcome).toBe('booked')
    expect(accept(review, { amount: 2000 }).outcome).toBe('booked')
    const again = (review: Partial<Review>) => ({ outcome: 'review', payment: { status: 'review', review } })
    expect(accept(review, { amount: 50 })).toMatchObject(again({ amount: 50 }))
    const other = accept(review, { currency: 'USD' })
    expect(other).toMatchObject(again({ currency: 'USD' }))
    expect(accept(other.payment?.review as Review, { currency: 'USD' })).toMatchObject({
      ...{ outcome: 'booked', payment: { price: { amount: 2000 } } },
    })
  })
})

describe('the instant of payment', () => {
  // The checkout can be paid until 12:30; a later change of it moves the provider's `updated_at` on.
  const touchedLater = aReport({ updatedAt: NOON + 600 * MINUTE })

  it('of an event is what it says; of an answer to our question it is within the checkout', () => {
    const now = NOON + 700 * MINUTE
    const paidAt = (isAnswer: boolean) => decide(aPayment(), touchedLater, { isAnswer, now }).payment?.paidAt
    expect([paidAt(true), paidAt(false)]).toEqual([NOON + 30 * MINUTE, NOON + 600 * MINUTE])
  })

  // Our row is of 12:00, the report is heard at 12:03 (`context.now`), and clocks may differ by 10 minutes.
  const YEAR = 365 * DAY
  const last = Date.parse('9999-12-31T23:59:59Z')
  it('counts from an instant that can be, whatever is said', () => {
    for (const [updatedAt, counted, believed] of [
      [1 * SECOND, NOON, false],
      [NOON - YEAR, NOON, false],
      // The tolerated skew and a second before the checkout was made, then the skew alone.
      [NOON - 601 * SECOND, NOON, false],
      [NOON - 600 * SECOND, NOON, true],
      [NOON, NOON, true],
      // The tolerated skew ahead of our clock, and a second more.
      [NOON + 13 * MINUTE, NOON + 13 * MINUTE, true],
      [NOON + 13 * MINUTE + SECOND, context.now, false],
      [NOON + YEAR, context.now, false],
      [last, context.now, false],
      [null, context.now, false],
    ] as const) {
      const report = aReport({ updatedAt })
      const said = `updated ${updatedAt}`
      expect.soft(decide(aPayment(), report).payment?.paidAt, said).toBe(counted)
      expect.soft(isInstantBelieved(aPayment(), report, context.now), said).toBe(believed)
      // The answer to our own question, when the checkout (12:30) is over.
      const now = NOON + 40 * MINUTE
      const { payment, subscription } = decide(aPayment(), report, { isAnswer: true, now })
      const within = Math.min(Math.max(updatedAt ?? now, NOON), NOON + 30 * MINUTE)
      expect.soft(payment?.paidAt, said).toBe(within)
      expect.soft(subscription?.paidUntil, said).toBeLessThanOrEqual(NOON + 30 * DAY + 30 * MINUTE)
    }
  })

  it('is not before the second in which our row was written: the provider counts whole seconds', () => {
    const report = aReport({ updatedAt: NOON, createdAt: null })
    expect(decide(aPayment({ createdAt: NOON + 345 }), report).payment?.paidAt).toBe(NOON)
  })

  it('is not in the future because our own clock ran ahead when the row was written', () => {
    const ahead = aPayment({ createdAt: NOON + 400 * DAY, expiresAt: NOON + 400 * DAY + 30 * MINUTE })
    expect(decide(ahead).payment?.paidAt).toBe(context.now)
  })

  it('does not follow a checkout that claims an impossible making', () => {
    const requested = aPayment({ status: 'requested', checkoutId: null, checkoutUrl: null })
    for (const createdAt of [SECOND, last]) {
      const opening = aReport({ status: 'pending', createdAt, updatedAt: createdAt })
      const { payment: opened } = decide(requested, opening)
      expect
        .soft([opened?.expiresAt, opened?.nextCheckAt])
        .toEqual([NOON + 30 * MINUTE, context.now + MINUTE])
      const { payment } = decide(requested, aReport({ createdAt }), { isAnswer: true })
      expect.soft(payment?.paidAt).toBe(NOON + 2 * MINUTE)
    }
  })

  it('of a second checkout is bounded by that checkout’s own end', () => {
    const times = { createdAt: NOON + 60 * MINUTE, updatedAt: NOON + 600 * MINUTE }
    const report = aReport({ checkoutId: 'chk_2', ...times })
    const { payment } = decide(aPayment(booked), report, { isAnswer: true, now: NOON + 700 * MINUTE })
    expect(payment?.paidAt).toBe(NOON + 90 * MINUTE)
  })

  it('of a second payment heard of late stays what it was when the operator accepts it', () => {
    const report = aReport({ checkoutId: 'chk_2', amount: 1999 })
    const second = decide(aPayment(booked), report, { now: NOON + 10 * DAY }).payment ?? aPayment()
    const { payment } = decide(second, report, { accepted: true, isAnswer: true, now: NOON + 20 * DAY })
    expect([second.status, payment?.status, payment?.paidAt]).toEqual(['review', 'paid', NOON + 2 * MINUTE])
  })
})

describe('a payment under review', () => {
  const report = aReport({ amount: 1500 })
  const refused = aReport({ amount: 1500, status: 'failed' })
  const review = (status: 'paid' | 'failed') =>
    decide(aPayment(), status === 'paid' ? report : refused).payment ?? aPayment()

  it('remembers whether the provider has the money, and is reported again when it comes after all', () => {
    expect([review('paid').review?.status, review('failed').review?.status]).toEqual(['paid', 'failed'])
    expect(decide(review('failed'), report)).toMatchObject({
      ...{ outcome: 'review', payment: { review: { status: 'paid' } } },
    })
    expect(decide(review('paid'), report).outcome).toBe('unchanged')
  })

  it('that was never paid becomes failed when the operator accepts it, and grants nothing', () => {
    const decision = decide(review('failed'), refused, { accepted: true, isAnswer: true })
    expect([decision.payment?.status, decision.subscription]).toEqual(['failed', null])
  })

  it('stays while operators have not said again what came, even if another accepts it meanwhile', () => {
    const method = { settledBy: 'operator', lookupsAfterMs: [DAY] } as const
    const changes = { accepted: true, isAnswer: true, method }
    expect(decide(review('paid'), aReport({ status: 'expired' }), changes).payment?.status).not.toBe(
      'expired',
    )
  })
})

it('a failed, canceled or expired report ends an open payment, and changes nothing after the payment', () => {
  for (const status of ['failed', 'canceled', 'expired'] as const) {
    const { outcome, payment, subscription } = decide(aPayment(), aReport({ status }))
    expect.soft([outcome, payment?.status, subscription]).toEqual(['moved', status, null])
    // Events may arrive out of order, so one keeps the schedule of looks; an answer to our request ends it.
    expect.soft(payment?.nextCheckAt).toBe(NOON + MINUTE)
    const answered = decide(aPayment(), aReport({ status }), { isAnswer: true })
    expect.soft(answered.payment?.nextCheckAt).toBeNull()
    expect.soft(decide(aPayment(booked), aReport({ status })).payment).toBeNull()
  }
})

it('a pending report gives a requested payment its checkout and its expiry, and others no news', () => {
  const requested = aPayment({ status: 'requested', checkoutId: null, checkoutUrl: null })
  const { payment } = decide(requested, aReport({ status: 'pending', createdAt: NOON + MINUTE }))
  expect(payment).toMatchObject({ status: 'pending', checkoutId: 'chk_1', expiresAt: NOON + 31 * MINUTE })
  for (const status of ['pending', 'processing', 'unknown'] as const)
    expect.soft(decide(aPayment(), aReport({ status })), status).toMatchObject(UNCHANGED)
})
