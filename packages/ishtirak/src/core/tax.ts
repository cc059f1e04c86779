// The tax on what a customer paid. Rates and exemptions are dated settings, since finance acts change them each year;
// the price is what the customer pays, tax included. Integers only: net and tax always add up to the total.
import type { Translated } from './locale.js'

/**
 * How a sale is taxed. `vat`: TVA at a whole percentage (19 normal, 9 reduced: article 21 of the Code des taxes sur le
 * chiffre d'affaires). `exempt` and `not_liable`: none, for the reason that `mention` gives in the words of the law.
 */
export type Tax =
  | { readonly kind: 'vat'; readonly ratePercent: number }
  | { readonly kind: 'exempt' | 'not_liable'; readonly mention: Translated }

/** A tax and the first day on which it holds, `YYYY-MM-DD` on the calendar of the place. It holds until the next begins. */
export interface TaxTerm {
  readonly from: string
  readonly tax: Tax
}

/** At least one, by rising date, no date twice. */
export type TaxTerms = readonly [TaxTerm, ...TaxTerm[]]

/**
 * The tax on the day of payment, which for services is the day the tax falls due. A day before the first term is
 * taken for the first: booking money must not fail over a setting.
 */
export function taxAt(terms: TaxTerms, paidOn: string): Tax {
  // Dates in this form sort as text.
  const term = terms.findLast(({ from }) => from <= paidOn) ?? terms[0]
  return term.tax
}

/** In centimes, hundredths of a dinar. `net` + `tax` = `total`. */
export interface TaxSplit {
  readonly netCentimes: number
  readonly taxCentimes: number
  readonly totalCentimes: number
}

/**
 * Takes the tax out of a tax-included price in whole dinars. The net is rounded to the nearest centime, a half upwards;
 * the tax is the rest. 2000 at 19 %: 200,000 × 100 / 119 = 168,067.2…, so 1,680.67 net and 319.33 tax.
 */
export function splitTax(totalDinars: number, tax: Tax): TaxSplit {
  const totalCentimes = totalDinars * 100
  if (tax.kind !== 'vat') return { netCentimes: totalCentimes, taxCentimes: 0, totalCentimes }
  const netCentimes = divideRounded(totalCentimes * 100, 100 + tax.ratePercent)
  return { netCentimes, taxCentimes: totalCentimes - netCentimes, totalCentimes }
}

/** Exact: both numbers are integers, and twice the first is within what a double holds without loss. */
function divideRounded(dividend: number, divisor: number): number {
  if (!Number.isSafeInteger(dividend * 2) || dividend < 0)
    throw new RangeError('an amount to be split is whole dinars, at most 450,000,000,000')
  const rest = dividend % divisor
  return (dividend - rest) / divisor + (rest * 2 >= divisor ? 1 : 0)
}
