// A month as the accountant wants it, in one CSV: a line for each payment of the month and for each refund
// that was recorded in it, with tax, duty and fees, and their total; what came for closed months; and the
// changes of balances. A refund is below zero, so that the lines add up to the month, which is that of the
// billing time zone. Of a closed month the file is as it was closed.
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { type CsvCell, csvLine } from '../acts/csv.js'
import { allPages } from '../acts/paging.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { PaymentKind } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { ADVANCE_KINDS, advanceLines } from './advances.js'
import { addFigures, describeFigures, type Figures, NO_FIGURES } from './figures.js'
import type { ClosedSpan } from './figures.sql.js'
import { type FileFormat, type FileWords, FORMS, fileWords } from './file-words.js'
import { type Line, linesOf, type Part } from './lines.sql.js'
import { type MonthFigures, type MonthsDeps, readMonthFigures } from './months.js'

export type AccountsDeps = MonthsDeps & AuditDeps

export const EXPORT = { name: 'payments.export', roles: ['accountant'] } as const satisfies Permission

/** Written to the audit trail, then given in pieces as it is read. Throws `validation_failed`. */
export async function exportAccounts(
  deps: AccountsDeps,
  of: {
    readonly month: string
    readonly format: FileFormat
    /** Null: all. */
    readonly kind: PaymentKind | null
    readonly operator: Operator
  },
): Promise<AsyncIterable<string>> {
  const { month, format, kind, operator } = of
  requireRole(operator, EXPORT)
  const figures = await readMonthFigures(deps, month, '/query/month')
  await recordExport(deps, operator, { month, file: 'accounts', ...(kind && { method: kind }) })
  return fileOf(deps, { ...figures.span, kind, figures }, format)
}

export async function recordExport(deps: AuditDeps, operator: Operator, after: object): Promise<void> {
  await recordAct(deps, { operator, act: EXPORT.name, reason: null }, { after })
}

/**
 * By the name of a column: what stands above it in French, and its cell; null: one of the figures, which the
 * total has too. Columns are added at the end only: spreadsheets count them.
 */
const COLUMNS: Readonly<Record<string, readonly [french: string, cell: CellOf | null]>> = {
  date: ['date', ({ at }, { day }) => day(at)],
  receipt_number: ['numéro de reçu', ({ series, number }) => receiptNumber(series, number)],
  payment_id: ['identifiant du paiement', ({ paymentId }) => paymentId],
  user_id: ['identifiant de l’utilisateur', ({ userId }) => userId],
  plan: ['offre', ({ planId }) => planId],
  months: ['mois', ({ months }) => months],
  method: ['canal', ({ method }, { words }) => words.method(method)],
  payment_method: ['moyen de paiement', ({ instrument }, { words }) => words.instrument(instrument)],
  ht: ['montant HT', null],
  tva_percent: ['taux de TVA (%)', ({ tax }) => (tax.kind === 'vat' ? tax.ratePercent : null)],
  tva: ['TVA', null],
  ttc: ['montant TTC', null],
  discount: ['remise', null],
  stamp_duty: ['droit de timbre', null],
  total: ['total', null],
  fees: ['frais', null],
  net: ['net', null],
  paid_on: ['payé le', ({ paidAt }, { day }) => day(paidAt)],
  refunded_on: ['remboursé le', ({ refundedAt }, { day }) => refundedAt && day(refundedAt)],
  asked: ['montant demandé', null],
  checkout_id: ['référence', ({ checkoutId }) => checkoutId],
  currency: ['devise', ({ currency }) => currency],
  paid_at_utc: ['payé à (UTC)', ({ paidAt }) => toTimestamp(paidAt)],
  paid_at_local: ['payé à (heure locale)', ({ paidAt }, { wallTime }) => wallTime(paidAt)],
  period_start_utc: ['début de la période (UTC)', ({ periodStart }) => timestampOrNull(periodStart)],
  period_end_utc: ['fin de la période (UTC)', ({ periodEnd }) => timestampOrNull(periodEnd)],
  status: ['statut', ({ status }, { words }) => words.status(status)],
  second_of: ['double de', ({ secondOf }) => secondOf],
  received_at_local: [
    'reçu à (heure locale)',
    ({ receivedAt }, { wallTime }) => receivedAt && wallTime(receivedAt),
  ],
  name: ['nom du client', ({ buyer }) => buyer.name],
  // Of the lines of balances.
  advance: ['avance', () => null],
  balance_after: ['solde après', () => null],
  note: ['note', () => null],
  closed_at_local: ['clôturé à (heure locale)', () => null],
}
type CellOf = (line: Line, how: How) => CsvCell
interface How {
  readonly words: Words
  readonly day: (instant: Instant) => string
  readonly wallTime: (instant: Instant) => string
}
const KINDS = {
  payment: 'paiement',
  refund: 'remboursement',
  total: 'total',
  after_closing: 'après clôture',
  total_after_closing: 'total après clôture',
  provider_payouts: 'versements du prestataire',
  ...ADVANCE_KINDS,
}

type Words = FileWords<keyof typeof KINDS>

interface Asked extends ClosedSpan {
  readonly kind: PaymentKind | null
  readonly figures: MonthFigures
}

async function* fileOf(deps: AccountsDeps, asked: Asked, format: FileFormat): AsyncIterable<string> {
  const form = FORMS[format]
  const words: Words = fileWords(format, COLUMNS, KINDS)
  const { wallTime } = deps.wallClock
  const { closed } = asked.figures
  const line = (kind: keyof typeof KINDS, cells: Readonly<Record<string, CsvCell>>) =>
    csvLine([words.kind(kind), ...Object.keys(COLUMNS).map((name) => cells[name] ?? null)], form)
  yield form.mark + csvLine(words.headings, form)
  const total = yield* entryLines(deps, asked, ['sale', 'refund'], format)
  const closing = closed && { closed_at_local: wallTime(closed.closedAt) }
  yield line('total', { ...cellsOf(total), ...closing })
  if (asked.since) {
    const late = yield* entryLines(deps, asked, ['late'], format)
    if (late.count > 0) yield line('total_after_closing', cellsOf(late))
  }
  if (asked.kind !== null) return
  const { paidOut } = asked.figures
  // Beside the total: no line of the month is in it.
  if (paidOut.count > 0)
    yield line('provider_payouts', { total: paidOut.amount / 100, net: paidOut.came / 100 })
  for await (const page of advanceLines(deps, asked, asked.figures, words))
    yield page.map(({ kind, cells }) => line(kind, cells)).join('')
}

/** Gives what they add up to. */
async function* entryLines(
  deps: AccountsDeps,
  asked: Asked,
  parts: readonly Exclude<Part, 'document'>[],
  format: FileFormat,
): AsyncGenerator<string, Figures> {
  const words: Words = fileWords(format, COLUMNS, KINDS)
  const { wallTime, dayAt } = deps.wallClock
  const how = { words, wallTime, day: dayAt }
  let total: Figures = NO_FIGURES
  for (const part of parts) {
    const name = words.kind(PART_KINDS[part])
    const lineOf = (line: Line) => {
      const cells = cellsOf(line)
      const named = Object.entries(COLUMNS).map(([column, [, cell]]) => cell?.(line, how) ?? cells[column])
      return csvLine([name, ...named.map((cell) => cell ?? null)], FORMS[format])
    }
    const filter = { parts: [part], tax: null, kind: asked.kind, withAdvances: false }
    const read = (last: Line | null, limit: number) =>
      linesOf(deps.database, { ...asked, filter }, last, limit)
    for await (const page of allPages(read)) {
      yield page.map(lineOf).join('')
      total = page.reduce(addFigures, total)
    }
  }
  return total
}

const PART_KINDS = { sale: 'payment', refund: 'refund', late: 'after_closing' } as const

/** In dinars. Where the provider did not say its fees the cell is empty, and nothing is taken off. */
function cellsOf(figures: Figures): Readonly<Record<string, CsvCell>> {
  const { count: _, fees_unknown: unknown, ...sums } = describeFigures(figures)
  return { ...sums, ...(figures.count === 1 && unknown === 1 && { fees: null }) }
}

export type BooksPages = ConsolePages & AccountsDeps
