// What a month's declaration of taxes (G50) asks of the sales: turnover by tax, with what was taken back;
// the stamp duty; and what was received in advance and used. The figures are those of the books.
import type { Tax, TaxTerms } from '../core/receipt.js'
import { lessRefunds, sumFigures } from './figures.js'
import { groundOf, isSale, rateOf, type Sums } from './figures.sql.js'
import { type MonthsDeps, readMonthFigures } from './months.js'

export interface DeclarationDeps extends MonthsDeps {
  readonly seller: { readonly taxTerms: TaxTerms }
}

export type Declaration = Awaited<ReturnType<typeof readDeclaration>>
export type TaxedTurnover = Declaration['turnover'][number]

/**
 * As the API names it, in centimes. `sales` has what came for closed months since the month before was
 * closed, `after_closing` of it. Throws `validation_failed`.
 */
export async function readDeclaration(deps: DeclarationDeps, month: string) {
  const figures = await readMonthFigures(deps, month)
  const { sums, from, to, live, owed_to_users: owed, closed } = figures
  const sold = sums.filter(isSale)
  return {
    ...{ month, from, to, live, closed, closed_at: closed?.at ?? null },
    turnover: taxesIn(sold).map((taxed) => ({
      ...{ taxed, tax: taxKeyOf(taxed), tva_percent: rateOf(taxed), exemption: groundOf(taxed) },
      exempt_until: untilOf(deps.seller.taxTerms, taxed),
      ...bothSides(sold.filter((one) => isSame(one.tax, taxed))),
    })),
    total: bothSides(sold),
    after_closing: sumFigures(sold.filter(({ part }) => part === 'late')),
    // That of money paid in as well; a refund gives none back.
    stamp_duty: sumFigures(sums).stamp_duty,
    advances: owed && {
      before: owed.owed_before,
      received: owed.came_in.top_ups + owed.came_in.surplus,
      returned: owed.came_in.returned,
      corrected: owed.came_in.corrected - owed.corrected,
      used: owed.earned,
      paid_out: owed.paid_out,
      after: owed.owed,
    },
  }
}

function bothSides(of: readonly Sums[]) {
  const sales = sumFigures(of.filter(({ part }) => part !== 'refund'))
  const credits = sumFigures(of.filter(({ part }) => part === 'refund'))
  return { sales, credits, net: lessRefunds(sales, credits) }
}

/** As the journal of sales is asked for it: `vat-19`, `exempt`. */
const taxKeyOf = (tax: Sums['tax']) => (tax.kind === 'vat' ? `vat-${tax.ratePercent}` : tax.kind)

/** An exemption under another text is another one. */
const nameOf = (tax: Sums['tax']) => `${taxKeyOf(tax)} ${groundOf(tax) ?? ''}`
const isSame = (one: Sums['tax'], other: Sums['tax']) => nameOf(one) === nameOf(other)

const ORDER = ['vat', 'exempt', 'not_liable'] as const

/** The highest rate first. */
function taxesIn(sums: readonly Sums[]): readonly Tax[] {
  const taxes = new Map(
    sums.flatMap(({ tax }) => (tax.kind === 'advance' ? [] : [[nameOf(tax), tax] as const])),
  )
  return [...taxes.values()].sort(
    (one, other) =>
      ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || (rateOf(other) ?? 0) - (rateOf(one) ?? 0),
  )
}

/** The last day of the term with this tax and ground, where it is known. */
function untilOf(terms: TaxTerms, tax: Tax): string | null {
  return terms.findLast((term) => isSame(term.tax, tax))?.until ?? null
}
