// The journal of sales and credits of a month: each document once, so that its lines add up to the month as
// the books have it.
import { type CsvCell, csvLine } from '../acts/csv.js'
import type { AskedPage } from '../acts/list.js'
import { allPages } from '../acts/paging.js'
import { receiptNumber } from '../core/receipt.js'
import { type Operator, requireRole } from '../core/role.js'
import { type AccountsDeps, EXPORT, recordExport } from './accounts.js'
import { addFigures, type Figures, NO_FIGURES } from './figures.js'
import type { ClosedSpan } from './figures.sql.js'
import { type FileFormat, type FileWords, FORMS, fileWords } from './file-words.js'
import { pageOfMonth } from './journal.js'
import { type Line, type LinesFilter, linesOf, type Part } from './lines.sql.js'
import { closedSpan, type MonthsDeps } from './months.js'

export const SALE_KINDS = ['receipt', 'invoice', 'credit_note', 'refund'] as const
type SaleKind = (typeof SALE_KINDS)[number]

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

/** As the document of the line names them. */
export const buyerOf = ({ issued, buyer }: Line) => issued?.buyer ?? buyer

export const SIDES = ['sales', 'credits'] as const
/** Absent: all. */
export interface SalesFilter {
  readonly tax?: string
  readonly side?: (typeof SIDES)[number]
}

const PARTS: Readonly<Record<(typeof SIDES)[number], readonly Part[]>> = {
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

/** Written to the audit trail, then given in pieces as it is read. Throws `validation_failed`. */
export async function exportSales(
  deps: AccountsDeps,
  of: { readonly month: string; readonly format: FileFormat; readonly operator: Operator },
): Promise<AsyncIterable<string>> {
  const { month, format, operator } = of
  requireRole(operator, EXPORT)
  const span = await closedSpan(deps, month, '/query/month')
  await recordExport(deps, operator, { month, file: 'sales' })
  return fileOf(deps, span, format)
}

/**
 * By the name of a column: what stands above it in French, and its cell; null: one of the sums, which the
 * total has too. Columns are added at the end only: spreadsheets count them.
 */
const COLUMNS: Readonly<Record<string, readonly [french: string, cell: CellOf | null]>> = {
  number: ['numéro', (line) => documentOf(line).number],
  about: ['pièce d’origine', (line) => documentOf(line).about],
  date: ['date', ({ at }, { day }) => day(at)],
  name: ['nom du client', (line) => buyerOf(line).details?.name ?? buyerOf(line).name],
  nif: ['NIF', (line) => buyerOf(line).details?.nif ?? null],
  rc: ['RC', (line) => buyerOf(line).details?.rc ?? null],
  payment_id: ['identifiant du paiement', ({ paymentId }) => paymentId],
  ht: ['montant HT', null],
  tva_percent: ['taux de TVA (%)', ({ tax }) => (tax.kind === 'vat' ? tax.ratePercent : null)],
  tva: ['TVA', null],
  exemption: ['motif sans TVA', ({ tax }) => groundOf(tax)],
  stamp_duty: ['droit de timbre', null],
  ttc: ['montant TTC', null],
  advance: ['avance', null],
  total: ['total', null],
  method: ['canal', ({ method }, { words }) => words.method(method)],
  payment_method: ['moyen de paiement', ({ instrument }, { words }) => words.instrument(instrument)],
  user_id: ['identifiant de l’utilisateur', ({ userId }) => userId],
}
type CellOf = (line: Line, how: How) => CsvCell
interface How {
  readonly words: Words
  readonly day: (instant: number) => string
}

/** Why there is no tax, as the receipt says it in French. Null: there is one, or nothing is sold. */
export function groundOf(tax: Line['tax']): string | null {
  return tax.kind === 'exempt' || tax.kind === 'not_liable' ? tax.mention.fr : null
}

const KINDS = {
  receipt: 'reçu',
  invoice: 'facture',
  credit_note: 'avoir',
  refund: 'remboursement',
  total: 'total',
}
type Words = FileWords<keyof typeof KINDS>

async function* fileOf(deps: AccountsDeps, span: ClosedSpan, format: FileFormat): AsyncIterable<string> {
  const form = FORMS[format]
  const words: Words = fileWords(format, COLUMNS, KINDS)
  const how = { words, day: deps.wallClock.dayAt }
  yield form.mark + csvLine(words.headings, form)
  let total = NO_FIGURES
  const lineOf = (line: Line) => {
    const sums = describeSale(line)
    const cells = Object.entries(COLUMNS).map(([name, [, cell]]) =>
      cell ? cell(line, how) : sums[name as keyof typeof sums],
    )
    return csvLine([words.kind(documentOf(line).kind), ...cells], form)
  }
  const read = (last: Line | null, limit: number) =>
    linesOf(deps.database, { ...span, filter: linesFilter({}) }, last, limit)
  for await (const page of allPages(read)) {
    yield page.map(lineOf).join('')
    total = page.reduce(addFigures, total)
  }
  const sums = describeSale(total)
  const cells = Object.entries(COLUMNS).map(([name, [, cell]]) =>
    cell ? null : sums[name as keyof typeof sums],
  )
  yield csvLine([words.kind('total'), ...cells], form)
}

type Sums = Pick<Figures, 'ht' | 'tva' | 'ttc' | 'stampDuty' | 'advance'>

/** In centimes: all that the document is for. */
export const totalOfSale = ({ ttc, stampDuty, advance }: Sums) => ttc + stampDuty + advance

/** In dinars. */
export function describeSale(sums: Sums) {
  return {
    ht: sums.ht / 100,
    tva: sums.tva / 100,
    ttc: sums.ttc / 100,
    stamp_duty: sums.stampDuty / 100,
    advance: sums.advance / 100,
    total: totalOfSale(sums) / 100,
  }
}
