import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitTax, type Tax, type TaxTerms, taxAt, taxEnd } from './receipt.js'

const mention = { ar: 'معفى', fr: 'Exonéré', en: 'Exempt' }
const exempt: Tax = { kind: 'exempt', mention }
const vat: Tax = { kind: 'vat', ratePercent: 19 }
const reduced: Tax = { kind: 'vat', ratePercent: 9 }

describe('the tax of a day', () => {
  const terms: TaxTerms = [
    { from: '2021-01-01', tax: exempt },
    { from: '2026-01-01', tax: vat },
    { from: '2027-01-01', tax: reduced },
  ]

  it('is that of the last term begun, and before the first that of the first: booking never fails', () => {
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
})

describe('the known end of a tax', () => {
  const ends: TaxTerms = [{ from: '2024-01-01', until: '2026-12-31', tax: exempt }]

  it('is none where a later term follows, or no end is set', () => {
    expect(taxEnd([...ends, { from: '2027-01-01', tax: vat }], '2026-12-31')).toBe(null)
    expect(taxEnd([{ from: '2024-01-01', tax: exempt }], '2099-01-01')).toBe(null)
  })

  it('is near on 31 days, and after it the term is booked by all the same', () => {
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(day, fc.integer({ min: -60, max: 400 }), (end, daysAfter) => {
        const isoDay = (instant: number) => new Date(instant).toISOString().slice(0, 10)
        const until = isoDay(end.getTime())
        const today = isoDay(Date.parse(until) + daysAfter * 86_400_000)
        const state = daysAfter > 0 ? 'past' : daysAfter >= -30 ? 'near' : 'far'
        const terms: TaxTerms = [{ from: '1980-01-01', until, tax: exempt }]
        expect(taxEnd(terms, today)).toEqual({ until, state })
        expect(taxAt(terms, today)).toBe(exempt)
      }),
      { numRuns: 200 },
    )
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
      // 100 * 100 / 160 = 62.5: a half goes up
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

  it('always adds up, and the net is never half a centime off', () => {
    fc.assert(
      fc.property(fc.nat(2_147_483_647), fc.integer({ min: 1, max: 100 }), (total, ratePercent) => {
        const split = splitTax(total, { kind: 'vat', ratePercent })
        expect(split.netCentimes + split.taxCentimes).toBe(total * 100)
        // |net - exact| <= 1/2, multiplied out so that it is said in integers.
        const error = 2n * (BigInt(split.netCentimes) * BigInt(100 + ratePercent) - BigInt(total) * 10_000n)
        expect(error > -BigInt(100 + ratePercent) && error <= BigInt(100 + ratePercent)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
