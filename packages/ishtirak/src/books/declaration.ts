// What a month's declaration of taxes (G50) asks of the sales: turnover by tax, with what was taken back;
// the stamp duty; and what was received in advance and used. The figures are those of the books.
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { reading } from '../acts/reading.js'
import type { Tax, TaxTerms } from '../core/receipt.js'
import { nullable, object, timestamp, viewAs } from '../http/schemas.js'
import { EXPORT } from './exports.js'
import { dinars, lessRefunds, sumFigures, whole } from './figures.js'
import { groundOf, isSale, rateOf, type Sums } from './figures.sql.js'
import { MonthNameSchema, MonthParamsSchema, OwedSchema } from './month-schemas.js'
import { groupsOf, type MonthsDeps, readMonthFigures } from './months.js'
import { taxKey } from './sales.js'

const TurnoverSchema = object('Turnover', {
  count: whole('Documents'),
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('with tax'),
})
const { count: _, ...net } = TurnoverSchema.properties
const sides = { sales: TurnoverSchema, credits: TurnoverSchema, net: object('NetTurnover', net) }

const DeclarationSchema = object('Declaration', {
  month: MonthNameSchema,
  from: timestamp,
  to: timestamp,
  live: Type.Boolean({ description: 'False: the shop is in test mode, and no money moved' }),
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
  stamp_duty: dinars('of all receipts, those of top-ups too'),
  advances: nullable(OwedSchema, { description: 'Null: nothing was on a balance' }),
})

export interface DeclarationDeps extends MonthsDeps {
  readonly seller: { readonly taxTerms: TaxTerms }
}

export const getDeclaration = reading<DeclarationDeps>()({
  ...EXPORT,
  path: '/months/:month/declaration',
  operationId: 'getDeclaration',
  summary:
    'The figures of a month for its declaration of taxes: turnover by tax, credits, stamp duty, and ' +
    'advances received and used',
  description: 'They include late payments of closed months, since the month before was closed.',
  params: MonthParamsSchema,
  answer: DeclarationSchema,
  command: {
    usage: 'declaration <month>',
    columns: {
      turnover: [
        ...['tax', 'tva_percent', 'exemption', 'exempt_until'],
        ...['sales.ht', 'credits.ht', 'net.ht', 'net.tva', 'net.ttc'],
      ],
    },
  },
  read: async (deps, { params }) => viewAs(DeclarationSchema, await readDeclaration(deps, params.month)),
})

export type Declaration = Awaited<ReturnType<typeof readDeclaration>>
export type TaxedTurnover = Declaration['turnover'][number]

/** In centimes. `sales` has late payments of closed months, `after_closing`, too. Throws `not_found`. */
export async function readDeclaration(deps: DeclarationDeps, month: string) {
  const figures = await readMonthFigures(deps, month)
  const { sums, from, to, live, owed_to_users: advances, closed } = figures
  const sold = sums.filter(isSale)
  const turnover = groupsOf(sold, taxOf, (group) => {
    const [{ tax: taxed }] = group
    const term = deps.seller.taxTerms.findLast((one) => isDeepStrictEqual(taxOf(one), taxOf(group[0])))
    return { taxed, exempt_until: term?.until ?? null, ...salesAndCredits(group) }
  })
  return {
    ...{ month, from, to, live, closed, closed_at: closed?.at ?? null, advances },
    // Turnover with tax comes first, the highest rate on top.
    turnover: turnover.sort(
      (one, other) =>
        KINDS.indexOf(one.taxed.kind) - KINDS.indexOf(other.taxed.kind) ||
        (other.tva_percent ?? 0) - (one.tva_percent ?? 0),
    ),
    total: salesAndCredits(sold),
    after_closing: sumFigures(sold.filter(({ part }) => part === 'late')),
    // Top-ups bear duty too, and a refund gives none back.
    stamp_duty: sumFigures(sums).stamp_duty,
  }
}

const KINDS: readonly Tax['kind'][] = ['vat', 'exempt', 'not_liable']

/** `tax` is the filter of the journal of sales: `vat-19`, `exempt`. Two texts of exemption are two taxes. */
const taxOf = ({ tax }: { readonly tax: Sums['tax'] }) => ({
  ...{ tax: tax.kind === 'vat' ? `vat-${tax.ratePercent}` : tax.kind, tva_percent: rateOf(tax) },
  exemption: groundOf(tax),
})

function salesAndCredits(sums: readonly Sums[]) {
  const sales = sumFigures(sums.filter(({ part }) => part !== 'refund'))
  const credits = sumFigures(sums.filter(({ part }) => part === 'refund'))
  return { sales, credits, net: lessRefunds(sales, credits) }
}
