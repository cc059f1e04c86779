import { describe, expect, it } from 'vitest'
import { A_CHANGE, BUYER, dayInAlgiers, PAID, snapshotWith } from '../../../../test/support/receipt.js'
import { EXAMPLE_SELLER } from '../runtime/seller.js'
import { drawUpReceipt, netPriceOf, paperSeries, receiptNumber, type Seller, totalOf } from './receipt.js'

describe('a receipt drawn up', () => {
  it('holds everything the document shows', () => {
    expect(snapshotWith()).toMatchObject({
      version: 1,
      seller: EXAMPLE_SELLER.identity,
      buyer: BUYER,
      planName: 'Pro',
      issuedOn: '2026-11-21',
      paidOn: '2026-11-21',
      periodFrom: '2026-11-21',
      periodTo: '2026-12-21',
      amount: 2000,
      tax: { kind: 'vat', ratePercent: 19 },
      split: { netCentimes: 168_067, taxCentimes: 31_933, totalCentimes: 200_000 },
      stampDutyCentimes: 0,
      paymentMethod: 'edahabia',
      paymentId: PAID.id,
      checkoutId: PAID.checkoutId,
      live: true,
    })
  })

  it('comes back from the database as it went in', () => {
    const snapshot = snapshotWith()
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  })

  it('keeps only what identifies the seller and the buyer', () => {
    const withMore = { ...BUYER, passwordHash: 'x' }
    const context = {
      seller: EXAMPLE_SELLER,
      buyer: withMore,
      issuedAt: 0,
      bearsStampDuty: false,
      dayOf: dayInAlgiers,
    }
    expect(drawUpReceipt(PAID, context).buyer).toEqual(BUYER)
    expect(drawUpReceipt(PAID, context)).not.toHaveProperty('taxTerms')
  })

  it('counts days in the billing time zone: half past eleven at night in UTC is tomorrow in Algiers', () => {
    const paidAt = Date.parse('2026-12-31T23:30:00Z')
    expect(snapshotWith({ payment: { paidAt }, issuedAt: paidAt })).toMatchObject({
      paidOn: '2027-01-01',
      issuedOn: '2027-01-01',
    })
  })

  it('is taxed as on the day of payment, though it is issued later', () => {
    const seller: Seller = {
      ...EXAMPLE_SELLER,
      taxTerms: [
        { from: '2026-01-01', tax: { kind: 'vat', ratePercent: 19 } },
        { from: '2027-01-01', tax: { kind: 'vat', ratePercent: 9 } },
      ],
    }
    const receipt = drawUpReceipt(
      { ...PAID, paidAt: Date.parse('2026-12-31T12:00:00Z') },
      {
        seller,
        buyer: BUYER,
        issuedAt: Date.parse('2027-01-02T12:00:00Z'),
        bearsStampDuty: false,
        dayOf: dayInAlgiers,
      },
    )
    expect(receipt.tax).toEqual({ kind: 'vat', ratePercent: 19 })
    expect(receipt.issuedOn).toBe('2027-01-02')
  })

  it(
    'in cash bears the stamp duty of the day of payment in the billing time zone, on top of the ' + 'price',
    () => {
      const term = { exemptUpTo: 0, wholeHundreds: true, minimum: 5, maximum: null }
      const at = (centimesPerHundred: number) => [{ upTo: null, centimesPerHundred }]
      const seller: Seller = {
        ...EXAMPLE_SELLER,
        stampDutyTerms: [
          { ...term, from: '2026-01-01', brackets: at(100) },
          { ...term, from: '2027-01-01', brackets: at(150) },
        ],
      }
      const drawUp = (paidAt: string) =>
        drawUpReceipt(
          { ...PAID, paidAt: Date.parse(paidAt), instrument: 'cash' },
          { seller, buyer: BUYER, issuedAt: 0, bearsStampDuty: true, dayOf: dayInAlgiers },
        )
      // Midnight in Algiers is 23:00 in UTC.
      const [before, after] = [drawUp('2026-12-31T22:59:59Z'), drawUp('2026-12-31T23:00:00Z')]
      expect(before).toMatchObject({ paidOn: '2026-12-31', amount: 2000, stampDutyCentimes: 2_000 })
      expect(after).toMatchObject({ paidOn: '2027-01-01', amount: 2000, stampDutyCentimes: 3_000 })
      expect([totalOf(before), totalOf(after)]).toEqual([202_000, 203_000])
      // The tax is in the price, and the duty in neither.
      expect(after.split.totalCentimes).toBe(200_000)
    },
  )

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

  it('of a payment that bought nothing is a mistake', () => {
    expect(() => snapshotWith({ payment: { paidAt: null } })).toThrow(/bought nothing/)
  })
})

describe('a receipt number', () => {
  it('is its series with six digits at least', () => {
    for (const [series, number, text] of [
      ['2026', 42, '2026-000042'],
      ['2026', 1_234_567, '2026-1234567'],
      ['TEST-2026', 1, 'TEST-2026-000001'],
    ] as const) {
      expect.soft(receiptNumber(series, number), String(series)).toBe(text)
    }
  })

  it('of a test payment is of a series of its own: play money leaves no gap in the legal one', () => {
    expect(paperSeries('receipt', '2026-11-21', true)).toBe('2026')
    expect(paperSeries('facture', '2026-11-21', false)).toBe('TEST-F-2026')
  })
})
