import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { documentWith, PAID } from '../../../../test/support/receipt.js'
import { centimesOfArabic, centimesOfFrench } from '../../../../test/support/spoken-amounts.js'
import type { DocumentSnapshot, Tax } from '../core/receipt.js'
import { describePage } from './render-receipt.js'

const mention = { ar: 'معفى', fr: 'exonéré', en: 'exempt' }
const RATES = [19, 9, 0].map((ratePercent): Tax => ({ kind: 'vat', ratePercent }))
const taxes = fc.constantFrom<Tax>(
  ...RATES,
  ...(['exempt', 'not_liable'] as const).map((kind): Tax => ({ kind, mention })),
)
/** The largest sum is 9,999,999,999 centimes, less the duty. */
const dinars = fc.oneof(fc.integer({ min: 1, max: 97_000_000 }), fc.integer({ min: 1, max: 5_000 }))
const small = fc.nat(100_000)

const documents = fc
  .record({
    tax: taxes,
    amount: dinars,
    bought: fc.constantFrom('time', 'time with a code', 'another plan', 'another plan for a part'),
    taken: small,
    asked: fc.option(dinars),
    isCash: fc.boolean(),
    document: fc.constantFrom('invoice', 'credit_note', 'proforma'),
  })
  .map(({ tax, amount, bought, taken, asked, isCash, document }): DocumentSnapshot => {
    const surplus = bought === 'another plan for a part' ? taken % (amount + 1) : undefined
    const parts = [{ sourceId: 'pay_1', amount, lastChange: null }]
    const change = { from: PAID.plan, credit: taken, parts, ...(surplus !== undefined && { surplus }) }
    const isChange = bought.startsWith('another plan')
    return documentWith(document as 'invoice', {
      tax,
      bearsStampDuty: isCash,
      payment: {
        ...(isChange && { kind: 'change', months: null, change }),
        ...(isCash && { instrument: 'cash', checkoutId: '0042' }),
        price: { amount, currency: 'DZD' },
        discount: bought === 'time with a code' ? taken : 0,
        amountAsked: isChange ? null : asked,
      },
    })
  })

/** `1 680,67 DA` is 168,067. */
function centimesOf(figures: string): number {
  const [, whole = '', part] = /^([\d\u00a0]+),(\d\d)\u00a0DA$/.exec(figures) ?? []
  return Number(whole.replaceAll('\u00a0', '')) * 100 + Number(part)
}

it('price less credit and discount is HT, with TVA it is TTC, with the duty what is paid', () =>
  forAll(200, documents, (snapshot) => {
    const page = describePage(snapshot, { number: 'F-2026-000042' }, 'fr')
    const sums = page.totals.map(({ label, value }) => [label, centimesOf(value)] as const)
    const sum = (label: RegExp) => sums.find(([name]) => label.test(name))?.[1]
    const net = sum(/^Total( HT)?$/) ?? Number.NaN
    const tax = sum(/^TVA /) ?? Number.NaN
    const duty = sum(/timbre/i) ?? Number.NaN
    const total = sums.at(-1)?.[1] ?? Number.NaN
    const surplus = sum(/^Sur votre solde/) ?? 0
    const price = Number(page.item.quantity) * centimesOf(page.item.price)
    expect(price - (sum(/^Crédit/) ?? 0) - (sum(/^Remise/) ?? 0) + surplus).toBe(net)
    expect(net + tax + duty).toBe(total)
    // The sum has a line of its own in some cases.
    expect(sum(/^Total TTC$/) ?? net + tax).toBe(net + tax)
    const rate = snapshot.tax.kind === 'vat' ? snapshot.tax.ratePercent : 0
    // TTC is whole dinars and HT is rounded to a centime, so that TVA is within one of what the rate gives.
    expect(Math.abs(((net - surplus) * rate) / 100 - tax)).toBeLessThan(0.6)
    expect(centimesOfFrench(page.inWords.value)).toBe(total)
    const arabic = describePage(snapshot, { number: 'F-2026-000042' }, 'ar')
    expect(centimesOfArabic(arabic.inWords.value)).toBe(total)
  }))
