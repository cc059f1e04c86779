// The journals of a month: its receipts in the order they were paid; and its sales and credits, each document
// once, so that the lines add up to the month as the books have it.
import type { AskedPage } from '../acts/list.js'
import { byInstant } from '../acts/paging.js'
import { BillingError } from '../core/error.js'
import { receiptNumber } from '../core/receipt.js'
import { viewAs } from '../http/view-as.js'
import { type AccountsDeps, type BookFile, bookLines, type FileFormat, writtenLines } from './exports.js'
import { type Figures, FiguresSchema } from './figures.js'
import { type ClosedSpan, groundOf, rateOf } from './figures.sql.js'
import { type Line, type LinesFilter, linesOf, type Part } from './lines.sql.js'
import { closedSpan, type MonthsDeps } from './months.js'
import { type SaleKind, SaleSchema, type SalesFilter } from './sales-schemas.js'

const RECEIPTS: LinesFilter = { parts: ['late', 'sale'], tax: null, kind: null, withAdvances: true }

/**
 * All receipts, those of top-ups too: first those of closed months that came since, then the month's own. Of
 * a closed month those that it was closed with, so that each stands in one journal. Throws
 * `validation_failed`, `invalid_cursor` for that of another month.
 */
export function pageOfReceipts(deps: MonthsDeps, { month }: { readonly month: string }, page: AskedPage) {
  return pageOfMonth(deps, { month, filter: RECEIPTS }, page)
}

/** A page of the lines of a month. Throws as `pageOfReceipts`. */
async function pageOfMonth(
  deps: MonthsDeps,
  { month, filter }: { readonly month: string; readonly filter: LinesFilter },
  { cursor, limit }: AskedPage,
) {
  const span = await closedSpan(deps, month)
  const { from, to, since } = span
  const after = cursor === null ? null : byInstant.decode(cursor)
  if (after && (after.at >= to || (since === null && after.at < from)))
    throw new BillingError('invalid_cursor')
  return byInstant.pageOf(await linesOf(deps.database, { ...span, filter }, after, limit + 1), limit)
}

/** What a line is of; `about`: the document that it takes back or replaces. A refund may have none. */
export function documentOf({ part, document, series, number, issued }: Line): {
  readonly kind: SaleKind
  readonly number: string | null
  readonly about: string | null
} {
  if (issued)
    return {
      kind: issued.kind,
      number: receiptNumber(issued.series, issued.number),
      about: issued.about.number,
    }
  const first = receiptNumber(series, number)
  return part === 'refund'
    ? { kind: 'refund', number: null, about: first }
    : { kind: document, number: first, about: null }
}

/** The buyer on the line's document, or on the first one. */
export const buyerOf = ({ issued, buyer }: Line) => issued?.buyer ?? buyer

const PARTS: Readonly<Record<NonNullable<SalesFilter['side']>, readonly Part[]>> = {
  sales: ['late', 'sale'],
  credits: ['refund'],
}
const linesFilter = ({ tax, side }: SalesFilter): LinesFilter => ({
  parts: side === undefined ? ['late', 'sale', 'refund', 'document'] : PARTS[side],
  ...{ tax: tax ?? null, kind: null, withAdvances: true },
})

/** Throws `validation_failed`, `invalid_cursor` for that of a later month. */
export function pageOfSales(
  deps: MonthsDeps,
  { month, ...filter }: SalesFilter & { readonly month: string },
  page: AskedPage,
) {
  return pageOfMonth(deps, { month, filter: linesFilter(filter) }, page)
}

/** As the API shows it. */
export function viewSale(line: Line, dayAt: (instant: number) => string) {
  const { details, name } = buyerOf(line)
  return viewAs(SaleSchema, {
    ...{ ...line, ...documentOf(line), date: dayAt(line.at), total: totalOfSale(line) },
    ...{ name: details?.name ?? name, nif: details?.nif ?? null, rc: details?.rc ?? null },
    ...{ tva_percent: rateOf(line.tax), exemption: groundOf(line.tax) },
  })
}

/** In centimes: all that the document is for. */
export const totalOfSale = ({ total, advance }: Pick<Figures, 'total' | 'advance'>) => total + advance

export const SALES_FILE: BookFile = {
  name: 'sales',
  of: 'month',
  open: async (deps, month, { format }) =>
    saleLines(deps, await closedSpan(deps, month, '/query/month'), format),
}

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
