// Which report of the provider moves which payment, and what it costs.
import { describe, expect, it } from 'vitest'
import { aPayment, aReport, NOON, PRO, RULES } from '../../../../test/support/fixtures.js'
import { DAY, MINUTE, SECOND, toTimestamp } from './instant.js'
import { isInstantBelieved, type Payment, type PaymentStatus, type Review } from './payment.js'
import { decideSettlement } from './settlement.js'
import { NEVER_PAID } from './subscription.js'

const context = {
  now: NOON + 3 * MINUTE,
  rules: RULES,
  method: { looksAfterMs: [MINUTE, 5 * MINUTE], settledBy: 'provider' as const },
  freshPaymentId: () => 'pay_02',
  asked: false,
}
const decide = (payment: Payment | null, report = aReport(), changes = {}) =>
  decideSettlement({ payment, subscription: NEVER_PAID }, report, { ...context, ...changes })

const booked: Partial<Payment> = { status: 'paid', paidAt: NOON, periodStart: NOON, periodEnd: NOON + 1 }

describe('a paid report', () => {
  it('books one month from the provider’s instant of payment', () => {
    const { outcome, payment, subscription, events } = decide(aPayment())
    expect(outcome).toBe('booked')
    expect(payment).toMatchObject({
      status: 'paid',
      paidAt: NOON + 2 * MINUTE,
      instrument: 'edahabia',
      nextCheckAt: null,
    })
    expect(toTimestamp(subscription?.paidUntil ?? 0)).toBe('2026-12-21T12:02:00Z')
    expect(events).toEqual(['payment.paid', 'subscription.activated'])
  })

  const late: PaymentStatus[] = ['requested', 'failed', 'canceled', 'expired', 'review']
  it('wins over each state without money', () => {
    for (const status of late) {
      expect.soft(decide(aPayment({ status })).outcome, String(status)).toBe('booked')
    }
  })

  it('changes nothing on a payment that was paid or refunded', () => {
    for (const status of ['paid', 'refunded'] as const) {
      expect
        .soft(decide(aPayment({ ...booked, status })), String(status))
        .toMatchObject({ outcome: 'unchanged', payment: null })
    }
  })

  it('for a second checkout of the same intent is another month, marked with the first payment', () => {
    const { outcome, payment, isNew } = decide(aPayment(booked), aReport({ checkoutId: 'chk_2' }))
    expect([outcome, isNew, payment?.id, payment?.secondOf, payment?.checkoutId]).toEqual([
      'booked_second',
      true,
      'pay_02',
      'pay_01',
      'chk_2',
    ])
  })

  it('for a second checkout is held to what was asked for, not to what came for the first', () => {
    const first = aPayment({ ...booked, price: { amount: 2001, currency: 'DZD' }, amountAsked: 2000 })
    const { outcome, payment } = decide(first, aReport({ checkoutId: 'chk_2', amount: 2000 }))
    expect([outcome, payment?.price.amount, payment?.amountAsked]).toEqual(['booked_second', 2000, null])
  })

  it('for a second checkout of a change is for all that was asked for, also what is gone', () => {
    const period = { start: NOON - DAY, end: NOON + 29 * DAY, sourceId: 'pay_0', plan: PRO, months: 1 }
    const run = { anchorAt: period.start, months: 1 }
    const subscription = { ...NEVER_PAID, run, paidUntil: period.end, periods: [period] }
    const gone = { sourceId: 'pay_00', amount: 1500, over: null }
    const change = { from: PRO, credit: 0, parts: [{ sourceId: 'pay_0', amount: 500, over: null }, gone] }
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
    for (const [name, change] of [
      ['amount', { amount: 50 }],
      ['amount', { amount: 1_999 }],
      ['amount', { amount: 2_001 }],
      ['amount', { amount: 20_000 }],
      ['amount', { amount: null }],
      ['currency', { currency: 'EUR' }],
      ['live', { live: true }],
      ['payment_id', { paymentId: 'pay_99' }],
      ['payment_id', { paymentId: null }],
      ['user_id', { userId: 'user-2' }],
      ['plan_id', { planId: 'team' }],
      ['months', { months: 12 }],
    ] as const) {
      const { outcome, subscription, payment, events } = decide(aPayment(), aReport(change))
      expect
        .soft([outcome, subscription, payment?.status, events], String(name))
        .toEqual(['review', null, 'review', ['payment.review']])
      expect.soft(payment?.review?.differences.join(), String(name)).toContain(name)
    }
  })

  it('without a currency or a mode is compared in what it does say', () => {
    expect(decide(aPayment(), aReport({ currency: null, live: null })).outcome).toBe('booked')
  })

  it('that names another currency than was reviewed is not booked as if it had come in full', () => {
    const review = { ...decide(aPayment(), aReport({ amount: 1500 })).payment?.review } as Review
    const accept = (review: Review, currency: string) =>
      decide(aPayment({ status: 'review', review }), aReport({ amount: 1500, currency }), { accepted: true })
    const again = accept(review, 'USD')
    expect([again.outcome, again.payment?.status, again.payment?.review?.currency]).toEqual([
      'review',
      'review',
      'USD',
    ])
    const shown = accept(again.payment?.review as Review, 'USD')
    expect([shown.outcome, shown.payment?.price.amount]).toEqual(['booked', 2000])
  })

  it(
    'that differs is booked when the operator accepts it, and goes to review again when it says another ' +
      'amount than was reviewed',
    () => {
      const review = { ...decide(aPayment(), aReport({ amount: 1500 })).payment?.review }
      const reviewed = aPayment({ status: 'review', review: review as Review })
      expect(decide(reviewed, aReport({ amount: 1500 }), { accepted: true }).outcome).toBe('booked')
      expect(decide(reviewed, aReport({ amount: 50 }), { accepted: true })).toMatchObject({
        outcome: 'review',
        payment: { status: 'review', review: { amount: 50 } },
      })
      expect(decide(reviewed, aReport({ amount: 2000 }), { accepted: true }).outcome).toBe('booked')
    },
  )
})

describe('the instant of payment', () => {
  // The checkout can be paid until 12:30; the provider's `updated_at` moves on when it changes anything
  // later.
  const touchedLater = aReport({ updatedAt: NOON + 600 * MINUTE })

  it('of an answer to our own question is not after the end of the checkout', () => {
    const { payment } = decide(aPayment(), touchedLater, { asked: true, now: NOON + 700 * MINUTE })
    expect(payment?.paidAt).toBe(NOON + 30 * MINUTE)
  })

  it('of an event is what the event says', () => {
    const { payment } = decide(aPayment(), touchedLater, { now: NOON + 700 * MINUTE })
    expect(payment?.paidAt).toBe(NOON + 600 * MINUTE)
  })

  // Our row is of 12:00, the report is heard at 12:03 (`context.now`), and clocks may differ by 10 minutes.
  const YEAR = 365 * DAY
  const last = Date.parse('9999-12-31T23:59:59Z')
  it('counts from an instant that can be, whatever is said', () => {
    for (const [_said, updatedAt, counted, believed] of [
      ['1970', 1 * SECOND, NOON, false],
      ['a year before', NOON - YEAR, NOON, false],
      ['the tolerated skew and a second before the checkout was made', NOON - 601 * SECOND, NOON, false],
      ['the tolerated skew before the checkout was made', NOON - 600 * SECOND, NOON, true],
      ['the second in which the checkout was made', NOON, NOON, true],
      ['a little ahead of our clock', NOON + 13 * MINUTE, NOON + 13 * MINUTE, true],
      ['more than the tolerated skew ahead', NOON + 13 * MINUTE + SECOND, context.now, false],
      ['a year ahead', NOON + YEAR, context.now, false],
      ['the end of the year 9999', last, context.now, false],
      ['left out', null, context.now, false],
    ] as const) {
      const report = aReport({ updatedAt })
      expect.soft(decide(aPayment(), report).payment?.paidAt, String(_said)).toBe(counted)
      expect.soft(isInstantBelieved(aPayment(), report, context.now), String(_said)).toBe(believed)
      // Heard of in an answer to our own question, at a time when the checkout (12:30) is over.
      const now = NOON + 40 * MINUTE
      const { payment, subscription } = decide(aPayment(), report, { asked: true, now })
      expect
        .soft(payment?.paidAt, String(_said))
        .toBe(Math.min(Math.max(updatedAt ?? now, NOON), NOON + 30 * MINUTE))
      expect.soft(subscription?.paidUntil, String(_said)).toBeLessThanOrEqual(NOON + 30 * DAY + 30 * MINUTE)
    }
  })

  it(
    'is not before the second in which our row was written, although the provider counts in whole ' +
      'seconds',
    () => {
      const { payment } = decide(
        aPayment({ createdAt: NOON + 345 }),
        aReport({ updatedAt: NOON, createdAt: null }),
      )
      expect(payment?.paidAt).toBe(NOON)
    },
  )

  it('is not in the future because our own clock ran ahead when the row was written', () => {
    const ahead = aPayment({ createdAt: NOON + 400 * DAY, expiresAt: NOON + 400 * DAY + 30 * MINUTE })
    expect(decide(ahead).payment?.paidAt).toBe(context.now)
  })

  it('does not follow a checkout that claims an impossible making', () => {
    for (const [_year, createdAt] of [
      ['1970', SECOND],
      ['9999', last],
    ] as const) {
      const requested = aPayment({ status: 'requested', checkoutId: null, checkoutUrl: null })
      const opened = decide(
        requested,
        aReport({ status: 'pending', createdAt, updatedAt: createdAt }),
      ).payment
      expect
        .soft([opened?.expiresAt, opened?.nextCheckAt], String(_year))
        .toEqual([NOON + 30 * MINUTE, context.now + MINUTE])
      const { payment } = decide(requested, aReport({ createdAt }), { asked: true })
      expect.soft(payment?.paidAt, String(_year)).toBe(NOON + 2 * MINUTE)
    }
  })

  it('of a payment under review is bounded as well', () => {
    const { payment } = decide(aPayment(), aReport({ amount: 50, updatedAt: last }))
    expect(payment?.review?.paidAt).toBe(context.now)
  })

  it('of a second checkout is bounded by that checkout’s own end', () => {
    const report = aReport({
      checkoutId: 'chk_2',
      createdAt: NOON + 60 * MINUTE,
      updatedAt: NOON + 600 * MINUTE,
    })
    const { payment } = decide(aPayment(booked), report, { asked: true, now: NOON + 700 * MINUTE })
    expect(payment?.paidAt).toBe(NOON + 90 * MINUTE)
  })

  it('of a second payment heard of late stays what it was when the operator accepts it', () => {
    const report = aReport({ checkoutId: 'chk_2', amount: 1999 })
    const second = decide(aPayment(booked), report, { now: NOON + 10 * DAY }).payment ?? aPayment()
    const { payment } = decide(second, report, { accepted: true, asked: true, now: NOON + 20 * DAY })
    expect([second.status, payment?.status, payment?.paidAt]).toEqual(['review', 'paid', NOON + 2 * MINUTE])
  })
})

describe('a payment under review', () => {
  const report = aReport({ amount: 1500 })
  const refused = aReport({ amount: 1500, status: 'failed' })
  const review = (status: 'paid' | 'failed') =>
    decide(aPayment(), status === 'paid' ? report : refused).payment ?? aPayment()

  it('remembers whether the provider has the money', () => {
    expect([review('paid').review?.status, review('failed').review?.status]).toEqual(['paid', 'failed'])
  })

  it('is reported again when the money comes after all', () => {
    const { outcome, payment } = decide(review('failed'), report)
    expect([outcome, payment?.review?.status]).toEqual(['review', 'paid'])
    expect(decide(review('paid'), report).outcome).toBe('unchanged')
  })

  it('that was never paid becomes failed when the operator accepts it, and grants nothing', () => {
    const decision = decide(review('failed'), refused, { accepted: true, asked: true })
    expect([decision.payment?.status, decision.subscription]).toEqual(['failed', null])
  })

  it('stays while operators have not said again what came, even if another accepts it meanwhile', () => {
    const method = { settledBy: 'operator', looksAfterMs: [DAY] } as const
    const waiting = aReport({ status: 'expired' })
    expect(decide(review('paid'), waiting, { accepted: true, asked: true, method }).payment?.status).not.toBe(
      'expired',
    )
  })
})

describe('a failed, canceled or expired report', () => {
  it('ends an open payment', () => {
    for (const status of ['failed', 'canceled', 'expired'] as const) {
      const { outcome, payment, subscription } = decide(aPayment(), aReport({ status }))
      expect.soft([outcome, payment?.status, subscription], String(status)).toEqual(['moved', status, null])
    }
  })

  it('changes nothing after the payment', () => {
    for (const status of ['failed', 'canceled', 'expired'] as const) {
      expect.soft(decide(aPayment(booked), aReport({ status })).payment, String(status)).toBeNull()
    }
  })

  it('in an event keeps the schedule of looks, because events may arrive out of order', () => {
    const { payment } = decide(aPayment(), aReport({ status: 'failed' }))
    expect(payment?.nextCheckAt).toBe(NOON + MINUTE)
  })

  it('as the answer to our own request ends the looks', () => {
    const { payment } = decide(aPayment(), aReport({ status: 'failed' }), { asked: true })
    expect(payment?.nextCheckAt).toBeNull()
  })
})

describe('a pending report', () => {
  it('gives a requested payment its checkout and its real time of expiry', () => {
    const requested = aPayment({ status: 'requested', checkoutId: null, checkoutUrl: null })
    const report = aReport({ status: 'pending', createdAt: NOON + MINUTE })
    const { payment } = decide(requested, report)
    expect(payment).toMatchObject({ status: 'pending', checkoutId: 'chk_1', expiresAt: NOON + 31 * MINUTE })
  })

  it('is no news for a pending payment', () => {
    for (const status of ['pending', 'processing', 'unknown'] as const) {
      expect
        .soft(decide(aPayment(), aReport({ status })), String(status))
        .toMatchObject({ outcome: 'unchanged', payment: null })
    }
  })
})

it('a report of a checkout that is not ours is unknown_checkout', () => {
  expect(decide(null).outcome).toBe('unknown_checkout')
})
