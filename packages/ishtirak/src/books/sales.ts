// The journal of sales of a month: each document once, so that the lines add up to the month as the books
// have it, page by page or as a file.
import { type Static, Type } from 'typebox'
import { list } from '../acts/list.js'
import { byInstant, type PageRequest } from '../acts/paging.js'
import { BillingError } from '../core/error.js'
import { receiptNumber } from '../core/receipt.js'
import { nullable, object, viewAs } from '../http/schemas.js'
import { type AccountsDeps, bookLines, exported, type FileFormat, writtenLines } from './exports.js'
import { dinars, type Figures, FiguresSchema } from './figures.js'
import { type ClosedSpan, groundOf, rateOf } from './figures.sql.js'
import { type Line, type LinesFilter, linesOf } from './lines.sql.js'
import { MonthParamsSchema, PaidBy } from './month-schemas.js'
import { closedSpan, type MonthsDeps } from './months.js'

export const taxKey = Type.String({
  maxLength: 20,
  description: '`vat-` and the rate, `exempt`, `not_liable`, or `advance` if nothing was sold',
  examples: ['vat-19'],
})
const SalesFilterSchema = Type.Object({
  tax: Type.Optional(taxKey),
  side: Type.Optional(Type.Enum(['sales', 'credits'], { description: '`credits`: refunds' })),
})
/** Absent: all. */
export type SalesFilter = Static<typeof SalesFilterSchema>

const SaleSchema = object('Sale', {
  kind: Type.Enum(['receipt', 'invoice', 'credit_note', 'refund'], {
    description:
      'The first document of a payment counts. Its refund is negative: a `credit_note`, or a `refund` if ' +
      'there was no invoice. A document that only replaces another has sums of 0',
  }),
  number: nullable(Type.String({ examples: ['2026-000042'] }), {
    description: 'Null: a refund without a credit note has none',
  }),
  about: nullable(Type.String(), {
    description: 'The number of the document that it refunds or replaces',
  }),
  date: Type.String({
    description: 'The day of the payment, or of the recording of the refund',
    examples: ['2026-11-21'],
  }),
  user_id: Type.String(),
  name: nullable(Type.String({ description: 'The name on the document, like `nif` and `rc`' })),
  nif: nullable(Type.String()),
  rc: nullable(Type.String()),
  payment_id: Type.String(),
  ht: dinars('without tax'),
  tva_percent: nullable(Type.Integer()),
  tva: dinars('the tax'),
  exemption: nullable(Type.String({ description: 'Why there is no tax, as the receipt says it in French' })),
  stamp_duty: dinars('on top of `ttc`; 0 for refunds'),
  ttc: dinars('with tax'),
  advance: dinars('what went to the user’s balance, untaxed'),
  total: dinars('all that the document is for'),
  ...PaidBy,
})

const PARTS = {
  sales: ['late', 'sale'],
  credits: ['refund'],
  all: ['late', 'sale', 'refund', 'document'],
} as const
const linesFilter = ({ tax, side }: SalesFilter): LinesFilter => {
  return { parts: PARTS[side ?? 'all'], tax: tax ?? null, withAdvances: true }
}

/**
 * Late payments of closed months stand first. A closed month has the documents that it was closed with, so
 * each document stands in one journal. Throws `not_found`, and `invalid_cursor` for the cursor of another
 * month.
 */
async function pageOfSales(
  deps: MonthsDeps,
  { month, ...filter }: SalesFilter & { readonly month: string },
  { cursor, limit }: PageRequest,
) {
  const span = await closedSpan(deps, month)
  const { from, to, since } = span
  const after = cursor === null ? null : byInstant.decode(cursor)
  if (after && (after.at >= to || (since === null && after.at < from)))
    throw new BillingError('invalid_cursor')
  const wanted = { ...span, filter: linesFilter(filter) }
  return byInstant.pageOf(await linesOf(deps.database, wanted, after, limit + 1), limit)
}

export const saleList = list<MonthsDeps>()({
  path: '/months/:month/sales',
  operationId: 'getSales',
  summary: 'The journal of sales of a month: each receipt with its tax and buyer, and each refund below zero',
  params: MonthParamsSchema,
  filter: SalesFilterSchema,
  item: SaleSchema,
  title: 'Sales',
  command: { usage: 'sales <month>', rows: 'sales' },
  read: pageOfSales,
  view: (deps) => (line) => viewSale(line, deps.wallClock.dayAt),
})

export function documentOf({ part, document, series, number, issued }: Line) {
  const first = receiptNumber(series, number)
  if (issued) {
    const { kind, about } = issued
    return { kind, number: receiptNumber(issued.series, issued.number), about: about.number }
  }
  return part === 'refund'
    ? { kind: 'refund', number: null, about: first }
    : { kind: document, number: first, about: null }
}

/** The buyer on the line's document. A refund without one has the buyer of the first document. */
export const buyerOf = ({ issued, buyer }: Line) => issued?.buyer ?? buyer

function viewSale(line: Line, dayAt: (instant: number) => string) {
  const { details, name } = buyerOf(line)
  return viewAs(SaleSchema, {
    ...{ ...line, ...documentOf(line), date: dayAt(line.at), total: totalOfSale(line) },
    ...{ name: details?.name ?? name, nif: details?.nif ?? null, rc: details?.rc ?? null },
    ...{ tva_percent: rateOf(line.tax), exemption: groundOf(line.tax) },
  })
}

/** The total of the document, in centimes. */
export const totalOfSale = ({ total, advance }: Pick<Figures, 'total' | 'advance'>) => total + advance

export const readSalesFile = exported(
  'sales',
  'The journal of sales of a month with its total, as CSV',
  async (deps, month, format) => saleLines(deps, await closedSpan(deps, month), format),
)

const COLUMNS = {
  number: 'numéro',
  about: 'pièce d’origine',
  date: 'date',
  name: 'nom du client',
  nif: 'NIF',
  rc: 'RC',
  payment_id: 'identifiant du paiement',
  ht: 'montant HT',
  tva_percent: 'taux de TVA (%)',
  tva: 'TVA',
  exemption: 'motif sans TVA',
  stamp_duty: 'droit de timbre',
  ttc: 'montant TTC',
  advance: 'avance',
  total: 'total',
  method: 'canal',
  payment_method: 'moyen de paiement',
  user_id: 'identifiant de l’utilisateur',
}
const KINDS = {
  receipt: 'reçu',
  invoice: 'facture',
  credit_note: 'avoir',
  refund: 'remboursement',
  total: 'total',
}

async function* saleLines(deps: AccountsDeps, span: ClosedSpan, format: FileFormat): AsyncIterable<string> {
  const file = bookLines(format, COLUMNS, KINDS)
  yield file.heads
  const total = yield* writtenLines(deps, { ...span, filter: linesFilter({}) }, (line) => {
    const sale = viewSale(line, deps.wallClock.dayAt)
    const [method, instrument] = [file.method(sale.method), file.instrument(sale.payment_method)]
    return file.line(sale.kind, { ...sale, method, payment_method: instrument })
  })
  const sums = { advance: total.advance / 100, total: totalOfSale(total) / 100 }
  yield file.line('total', { ...viewAs(FiguresSchema, total), ...sums })
}
