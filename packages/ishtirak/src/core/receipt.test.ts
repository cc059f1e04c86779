import { describe, expect, it } from 'vitest'
import { A_CHANGE, BUYER, dayInAlgiers, PAID, snapshotWith } from '../../../../test/support/receipt.js'
import { EXAMPLE_SELLER } from '../runtime/seller.js'
import { documentSeries, drawUpReceipt, netPriceOf, receiptNumber, type Seller, totalOf } from './receipt.js'

const OF = { seller: EXAMPLE_SELLER, buyer: BUYER, issuedAt: 0, bearsStampDuty: false, dayOf: dayInAlgiers }

describe('a receipt drawn up', () => {
  it('holds everything the document shows', () => {
    expect(snapshotWith()).toMatchObject({
      ...{ version: 1, seller: EXAMPLE_SELLER.identity, buyer: BUYER, planName: 'Pro', live: true },
      ...{ issuedOn: '2026-11-21', paidOn: '2026-11-21' },
      ...{ periodFrom: '2026-11-21', periodTo: '2026-12-21', amount: 2000, stampDutyCentimes: 0 },
      ...{ paymentMethod: 'edahabia', paymentId: PAID.id, checkoutId: PAID.checkoutId },
      tax: { kind: 'vat', ratePercent: 19 },
      split: { netCentimes: 168_067, taxCentimes: 31_933, totalCentimes: 200_000 },
    })
  })

  it('keeps only what identifies the seller and the buyer', () => {
    const buyer = { ...BUYER, passwordHash: 'x' }
    const receipt = drawUpReceipt(PAID, { ...OF, buyer })
    expect(receipt.buyer).toEqual(BUYER)
    expect(receipt).not.toHaveProperty('taxTerms')
  })

  it('counts days in the billing time zone: half past eleven at night in UTC is tomorrow in Algiers', () => {
    const paidAt = Date.parse('2026-12-31T23:30:00Z')
    const day = '2027-01-01'
    const snapshot = snapshotWith({ payment: { paidAt }, issuedAt: paidAt })
    expect(snapshot).toMatchObject({ paidOn: day, issuedOn: day })
  })

  it('is taxed as on the day of payment, though it is issued later', () => {
    const taxOf = (ratePercent: number) => ({ kind: 'vat' as const, ratePercent })
    const taxTerms: Seller['taxTerms'] = [
      { from: '2026-01-01', tax: taxOf(19) },
      { from: '2027-01-01', tax: taxOf(9) },
    ]
    const payment = { ...PAID, paidAt: Date.parse('2026-12-31T12:00:00Z') }
    const of = {
      ...OF,
      seller: { ...EXAMPLE_SELLER, taxTerms },
      issuedAt: Date.parse('2027-01-02T12:00:00Z'),
    }
    expect(drawUpReceipt(payment, of)).toMatchObject({ tax: taxOf(19), issuedOn: '2027-01-02' })
  })

  it('in cash bears the stamp duty of its day in the billing time zone, on top of the price', () => {
    const term = { exemptUpTo: 0, wholeHundreds: true, minimum: 5, maximum: null }
    const of = (from: string, centimesPerHundred: number) => ({
      ...{ ...term, from, brackets: [{ upTo: null, centimesPerHundred }] },
    })
    const seller: Seller = {
      ...EXAMPLE_SELLER,
      stampDutyTerms: [of('2026-01-01', 100), of('2027-01-01', 150)],
    }
    const drawUp = (paidAt: string) =>
      drawUpReceipt(
        { ...PAID, paidAt: Date.parse(paidAt), instrument: 'cash' },
        { ...OF, seller, bearsStampDuty: true },
      )
    // Midnight in Algiers is 23:00 in UTC.
    const [before, after] = [drawUp('2026-12-31T22:59:59Z'), drawUp('2026-12-31T23:00:00Z')]
    expect(before).toMatchObject({ paidOn: '2026-12-31', amount: 2000, stampDutyCentimes: 2_000 })
    expect(after).toMatchObject({ paidOn: '2027-01-01', amount: 2000, stampDutyCentimes: 3_000 })
    expect([totalOf(before), totalOf(after)]).toEqual([202_000, 203_000])
    // The tax is in the price, and the duty in neither.
    expect(after.split.totalCentimes).toBe(200_000)
  })

  it('says how many months it is of, and what a code took off', () => {
    const price = { amount: 21_600, currency: 'DZD' }
    const snapshot = snapshotWith({ payment: { months: 12, price, discount: 2_400 } })
    expect(snapshot).toMatchObject({ months: 12, amount: 21_600, discount: 2_400 })
    const { priceCentimes, discountCentimes } = netPriceOf(snapshot)
    expect(priceCentimes - discountCentimes).toBe(snapshot.split.netCentimes)
    expect(netPriceOf(snapshotWith()).discountCentimes).toBe(0)
  })

  it('of another amount than was asked for names the price that came, not one that nothing ever cost', () => {
    const price = { amount: 1_500, currency: 'DZD' }
    const snapshot = snapshotWith({ payment: { price, amountAsked: 1_700, discount: 300 } })
    expect(snapshot).toMatchObject({ amount: 1_500, asked: 1_700, discount: 300 })
    const { netCentimes } = snapshot.split
    expect(netPriceOf(snapshot)).toMatchObject({ priceCentimes: netCentimes, discountCentimes: 0 })
  })

  it('of a change of plan has the credit, and no tax on what is on the balance', () => {
    const sums = (changes: object) => {
      const of = A_CHANGE.change && { ...A_CHANGE.change, ...changes }
      const snapshot = snapshotWith({ payment: { ...A_CHANGE, change: of } })
      const { priceCentimes, creditCentimes, discountCentimes } = netPriceOf(snapshot)
      const { netCentimes, taxCentimes, totalCentimes } = snapshot.split
      expect(netCentimes + taxCentimes).toBe(totalCentimes)
      const surplus = (snapshot.change?.surplus ?? 0) * 100
      expect(priceCentimes - creditCentimes - discountCentimes + surplus).toBe(netCentimes)
      return [priceCentimes, creditCentimes, taxCentimes, totalCentimes, snapshot.change]
    }
    const change = { from: 'Basic', credit: 500 }
    expect(sums({})).toEqual([168_067, 42_017, 23_950, 150_000, change])
    // 310 of the 1500 found nothing to change: tax is on 1190.
    expect(sums({ surplus: 310 })).toEqual([142_017, 42_017, 19_000, 150_000, { ...change, surplus: 310 }])
  })
})

describe('a receipt number', () => {
  it('is its series with six digits at least', () => {
    expect(receiptNumber('2026', 42)).toBe('2026-000042')
    expect(receiptNumber('2026', 1_234_567)).toBe('2026-1234567')
    expect(receiptNumber('TEST-2026', 1)).toBe('TEST-2026-000001')
  })

  it('of a test payment is of a series of its own: play money leaves no gap in the legal one', () => {
    expect(documentSeries('receipt', '2026-11-21', true)).toBe('2026')
    expect(documentSeries('invoice', '2026-11-21', false)).toBe('TEST-F-2026')
  })
})
