import { aCode } from '../../../../test/support/codes.js'
import { aPayment, catalogueOf, FREE, NOON, PRO, rulesOf } from '../../../../test/support/fixtures.js'
import { HOUR, MINUTE } from './instant.js'
import type { Payment } from './payment.js'
import type { Plan } from './plan.js'
import type { Wanted } from './quote.js'
import { NEVER_PAID } from './subscription.js'
import { decideUpgrade } from './upgrade.js'

// Two terms and two plans cost as much as one month, so that only the choice tells them apart.
const SAME_PRICE: Plan = { ...PRO, terms: [{ months: 3, price: PRO.price }] }
const CATALOGUE = catalogueOf([FREE, SAME_PRICE, { ...PRO, id: 'team' }])
const OFF = { percent: 10 }
const ONE = aCode(OFF)
const OTHER = aCode(OFF, { hash: 'hash-2' })
const withCode = { codeHash: ONE.hash, price: { amount: 1800, currency: 'DZD' } }

/** One month of `pro` without a code, unless `given` says otherwise. */
function choose(
  open: Partial<Payment>,
  wanted: Partial<Wanted>,
  catalogue = CATALOGUE,
  recentAt: readonly number[] = [],
) {
  const facts = { subscription: NEVER_PAID, open: aPayment(open), recentAt, withdrawnId: null }
  const choice: Wanted = { planId: 'pro', months: 1, mode: 'payment', ...wanted }
  return decideUpgrade(facts, choice, NOON, rulesOf(catalogue))
}

describe('an open payment', () => {
  it('is given again for the same choice', () => {
    for (const [open, wanted] of [
      [{}, {}],
      [{ months: 3 }, { months: 3 }],
      [withCode, { code: ONE }],
    ] as const)
      expect.soft(choose(open, wanted)).toMatchObject({ kind: 'return' })
  })

  it('is closed for another term, plan or code at the same price', () => {
    for (const [open, wanted] of [
      [{}, { months: 3 }],
      [{ months: 3 }, {}],
      [{}, { planId: 'team' }],
      [withCode, { code: OTHER }],
      [{ price: withCode.price }, { code: ONE }],
    ] as const)
      expect.soft(choose(open, wanted)).toMatchObject({ kind: 'close', isSame: false })
  })

  it('is closed for a choice without its code, also where the plan now costs as little as with it', () => {
    const cheaper = catalogueOf([FREE, { ...PRO, price: 1800 }])
    expect(choose(withCode, {}, cheaper)).toMatchObject({ kind: 'close', isSame: false })
  })

  it('is closed where the same choice has another price, unless it may be under way without a page', () => {
    const before = { price: { amount: 1500, currency: 'DZD' } }
    expect(choose(before, {})).toMatchObject({ kind: 'close', isSame: false })
    expect(choose({ ...before, checkoutUrl: null }, {})).toMatchObject({ kind: 'return' })
  })

  it('is given for a proforma only where it sells the same plan', () => {
    const agreed = { offer: { plan: PRO, months: 1, price: { amount: 2000, currency: 'DZD' } }, amount: 2000 }
    const open = { checkoutUrl: null, price: agreed.offer.price }
    expect(choose({ ...open, plan: PRO }, { agreed })).toMatchObject({ kind: 'return' })
    const less = { ...PRO, limits: { ...PRO.limits, projects: 2 } }
    expect(choose({ ...open, plan: less }, { agreed })).toMatchObject({ kind: 'close', isSame: false })
  })

  it('of which no other can follow in this hour stays payable: only the same choice is given again', () => {
    const ten = Array.from({ length: 10 }, (_, n) => NOON - (50 - n) * MINUTE)
    const retryAt = NOON - 50 * MINUTE + HOUR
    expect(choose({}, { months: 3 }, CATALOGUE, ten)).toEqual({ kind: 'too_many_checkouts', retryAt })
    expect(choose({}, {}, CATALOGUE, ten)).toMatchObject({ kind: 'return' })
    // It can no longer be paid.
    expect(choose({ expiresAt: NOON }, { months: 3 }, CATALOGUE, ten)).toMatchObject({ kind: 'close' })
  })
})
