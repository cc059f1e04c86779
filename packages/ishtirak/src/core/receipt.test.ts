import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { A_CHANGE, BUYER, dayInAlgiers, PAID, snapshotWith } from '../../../../test/support/receipt.js'
import { EXAMPLE_SELLER } from '../runtime/seller.js'
import {
  documentSeries,
  drawUpReceipt,
  netPriceOf,
  receiptNumber,
  type Seller,
  splitTax,
  type Tax,
  type TaxTerms,
  taxAt,
  taxEnd,
  totalOf,
} from './receipt.js'

const OF = { seller: EXAMPLE_SELLER, buyer: BUYER, issuedAt: 0, bearsStampDuty: false, dayOf: dayInAlgiers }

describe('a receipt drawn up', () => {
  it('holds everything the document shows', () => {
    expect(snapshotWith()).toMatchObject({
      ...{ seller: EXAMPLE_SELLER.identity, buyer: BUYER, planName: 'Pro', live: true },
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
    // 310 of the 1500 bought nothing, so the tax is on 1190.
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

const mention = { ar: 'معفى', fr: 'Exonéré', en: 'Exempt' }
const exempt: Tax = { kind: 'exempt', mention }
const vat: Tax = { kind: 'vat', ratePercent: 19 }
const reduced: Tax = { kind: 'vat', ratePercent: 9 }

it('the tax of a day is of the last term begun, before the first of the first: booking never fails', () => {
  const terms: TaxTerms = [
    { from: '2021-01-01', tax: exempt },
    { from: '2026-01-01', tax: vat },
    { from: '2027-01-01', tax: reduced },
  ]
  for (const [day, tax] of [
    ['2019-05-05', exempt],
    ['2025-12-31', exempt],
    ['2026-01-01', vat],
    ['2026-12-31', vat],
    ['2027-01-01', reduced],
    ['2099-06-15', reduced],
  ] as const)
    expect.soft(taxAt(terms, day), day).toBe(tax)
})

describe('the known end of a tax', () => {
  const ends: TaxTerms = [{ from: '2024-01-01', until: '2026-12-31', tax: exempt }]

  it('is none where a later term follows, or no end is set', () => {
    expect(taxEnd([...ends, { from: '2027-01-01', tax: vat }], '2026-12-31')).toBe(null)
    expect(taxEnd([{ from: '2024-01-01', tax: exempt }], '2099-01-01')).toBe(null)
  })

  it('is near on 31 days, and after it the term is booked by all the same', () => {
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    forAll(200, day, fc.integer({ min: -60, max: 400 }), (end, daysAfter) => {
      const isoDay = (instant: number) => new Date(instant).toISOString().slice(0, 10)
      const until = isoDay(end.getTime())
      const today = isoDay(Date.parse(until) + daysAfter * 86_400_000)
      const state = daysAfter > 0 ? 'past' : daysAfter >= -30 ? 'near' : 'far'
      const terms: TaxTerms = [{ from: '1980-01-01', until, tax: exempt }]
      expect(taxEnd(terms, today)).toEqual({ until, state })
      expect(taxAt(terms, today)).toBe(exempt)
    })
  })
})

describe('a price with its tax taken out', () => {
  it('is rounded to the nearest centime', () => {
    for (const [total, ratePercent, netCentimes, taxCentimes] of [
      // 200000 * 100 / 119 = 168067.22…, and 200000 - 168067 = 31933
      [2000, 19, 168_067, 31_933],
      // 5000 * 100 / 119 = 4201.68… is rounded up
      [50, 19, 4_202, 798],
      // 200000 * 100 / 109 = 183486.23… is rounded down
      [2000, 9, 183_486, 16_514],
      // 100 * 100 / 160 = 62.5 is rounded up
      [1, 60, 63, 37],
      [0, 19, 0, 0],
    ] as const) {
      const split = splitTax(total, { kind: 'vat', ratePercent })
      expect.soft(split).toEqual({ netCentimes, taxCentimes, totalCentimes: total * 100 })
    }
  })

  it('has no tax in it where it is exempt or not liable', () => {
    const whole = { netCentimes: 200_000, taxCentimes: 0, totalCentimes: 200_000 }
    for (const kind of ['exempt', 'not_liable'] as const)
      expect.soft(splitTax(2000, { kind, mention }), kind).toEqual(whole)
  })

  it('always adds up, and the net is never half a centime off', () =>
    forAll(200, fc.nat(2_147_483_647), fc.integer({ min: 1, max: 100 }), (total, ratePercent) => {
      const split = splitTax(total, { kind: 'vat', ratePercent })
      expect(split.netCentimes + split.taxCentimes).toBe(total * 100)
      // |net - exact| <= 1/2, multiplied out to stay in integers.
      const error = 2n * (BigInt(split.netCentimes) * BigInt(100 + ratePercent) - BigInt(total) * 10_000n)
      expect(error > -BigInt(100 + ratePercent) && error <= BigInt(100 + ratePercent)).toBe(true)
    }))
})
