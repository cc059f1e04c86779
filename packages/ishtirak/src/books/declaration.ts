// What a month's declaration of taxes (G50) asks of the sales: turnover by tax, with what was taken back;
// the stamp duty; and what was received in advance and used. The figures are those of the books.
import { Type } from 'typebox'
import type { Tax, TaxTerms } from '../core/receipt.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { dinars, lessRefunds, sumFigures } from './figures.js'
import { groundOf, isSale, rateOf, type Sums } from './figures.sql.js'
import { MonthNameSchema, OwedSchema } from './month-schemas.js'
import { type MonthsDeps, readMonthFigures } from './months.js'
import { taxKey } from './sales.js'

const TurnoverSchema = object('Turnover', {
  count: Type.Integer({ description: 'Documents' }),
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('with tax'),
})
const { count: _, ...net } = TurnoverSchema.properties
const sides = { sales: TurnoverSchema, credits: TurnoverSchema, net: object('NetTurnover', net) }

export const DeclarationSchema = object('Declaration', {
  month: MonthNameSchema,
  from: timestamp,
  to: timestamp,
  live: Type.Boolean({ description: 'False: play money, where the shop takes no other' }),
  currency: Type.Literal('DZD'),
  closed_at: nullable(timestamp, { description: 'Null: the month is open, and its figures may change' }),
  turnover: Type.Array(
    Type.Object({
      tax: taxKey,
      tva_percent: nullable(Type.Integer()),
      exemption: nullable(Type.String({ description: 'Why there is no tax, as receipts say it in French' })),
      exempt_until: nullable(
        Type.String({ description: 'The last day of this term of `tax`, where it is set' }),
      ),
      ...sides,
    }),
    { description: 'Sums by tax: each rate, each ground of exemption, not liable' },
  ),
  total: Type.Object(sides),
  after_closing: TurnoverSchema,
  stamp_duty: dinars('of all receipts, those of money paid in as well'),
  advances: nullable(OwedSchema, { description: 'Null: nothing was on a balance' }),
})

export interface DeclarationDeps extends MonthsDeps {
  readonly seller: { readonly taxTerms: TaxTerms }
}

export type Declaration = Awaited<ReturnType<typeof readDeclaration>>
export type TaxedTurnover = Declaration['turnover'][number]

/**
 * In centimes, with the names of the API. `sales` includes late payments of closed months, which are
 * `after_closing`. Throws `not_found`.
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
    // Top-ups bear duty too, and a refund gives none back.
    stamp_duty: sumFigures(sums).stamp_duty,
    advances: owed,
  }
}

function bothSides(of: readonly Sums[]) {
  const sales = sumFigures(of.filter(({ part }) => part !== 'refund'))
  const credits = sumFigures(of.filter(({ part }) => part === 'refund'))
  return { sales, credits, net: lessRefunds(sales, credits) }
}

/** The filter `tax` of the journal of sales: `vat-19`, `exempt`. */
const taxKeyOf = (tax: Sums['tax']) => (tax.kind === 'vat' ? `vat-${tax.ratePercent}` : tax.kind)

/** Two exemptions with different texts are two taxes. */
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

/** The last day of the term with this tax and text; null: it is not set. */
function untilOf(terms: TaxTerms, tax: Tax): string | null {
  return terms.findLast((term) => isSame(term.tax, tax))?.until ?? null
}
