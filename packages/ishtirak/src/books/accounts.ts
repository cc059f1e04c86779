// A month as the accountant wants it, as CSV: a line for each payment of the month and for each refund that
// was recorded in it, with tax, duty and fees, and their total. A refund is a line of its own, below zero, so
// that the lines add up to the month, which is that of the billing time zone.
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { type Cell, type CsvForm, csvLine, EXCEL, PLAIN } from '../acts/csv.js'
import { allPages } from '../acts/paging.js'
import { addFigures, describeFigures, type Figures, NO_FIGURES } from '../core/figures.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import { kindOf, type PaymentKind } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import { consoleSay } from '../i18n/console.js'
import { instrumentName } from '../i18n/messages.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { type Entry, entriesOf, type Span } from './figures.sql.js'
import { type MonthsDeps, readMonth } from './months.js'

export type AccountsDeps = MonthsDeps & AuditDeps

export const EXPORT = { name: 'payments.export', roles: ['accountant'] } as const satisfies Permission

export type AccountsFormat = 'plain' | 'excel'
export const FORMS: Readonly<Record<AccountsFormat, CsvForm>> = { plain: PLAIN, excel: EXCEL }

/** Written to the audit trail, then given in pieces as it is read. Throws `validation_failed`. */
export async function exportAccounts(
  deps: AccountsDeps,
  of: {
    readonly month: string
    readonly format: AccountsFormat
    /** Null: all. */
    readonly kind: PaymentKind | null
    readonly operator: Operator
  },
): Promise<AsyncIterable<string>> {
  const { month, format, kind, operator } = of
  requireRole(operator, EXPORT)
  const { from, to } = readMonth(deps, month, '/query/month')
  const act = { operator, act: 'payments.export', reason: null } as const
  await recordAct(deps, act, { after: { month, file: 'accounts', ...(kind && { method: kind }) } })
  return linesOf(deps, { from, to, live: deps.methods.live, kind }, format)
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
  payment_method: [
    'moyen de paiement',
    ({ instrument }, { words }) => instrument && words.instrument(instrument),
  ],
  ht: ['montant HT', null],
  tva_percent: ['taux de TVA (%)', ({ taxRate }) => taxRate],
  tva: ['TVA', null],
  ttc: ['montant TTC', null],
  discount: ['remise', null],
  stamp_duty: ['droit de timbre', null],
  total: ['total', null],
  fees: ['frais', null],
  net: ['net', null],
  paid_on: ['payé le', ({ paidAt }, { day }) => day(paidAt)],
  refunded_on: ['remboursé le', ({ refundedAt }, { day }) => refundedAt && day(refundedAt)],
  // Where another amount came.
  amount_asked: ['montant demandé', ({ amountAsked }) => amountAsked],
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
}
type CellOf = (entry: Entry, how: How) => Cell
interface How {
  readonly words: Words
  readonly day: (instant: Instant) => string
  readonly wallTime: (instant: Instant) => string
}
const KINDS = { payment: 'paiement', refund: 'remboursement', total: 'total' }

interface Words {
  readonly headings: readonly string[]
  readonly kind: (kind: keyof typeof KINDS) => string
  readonly method: (method: string) => string
  readonly instrument: (instrument: string) => string
  readonly status: (status: Entry['status']) => string
}

const same = <Code extends string>(code: Code) => code
export const WORDS: Readonly<Record<AccountsFormat, Words>> = {
  plain: {
    headings: ['kind', ...Object.keys(COLUMNS)],
    ...{ kind: same, method: same, instrument: same, status: same },
  },
  excel: {
    headings: ['type', ...Object.values(COLUMNS).map(([french]) => french)],
    kind: (kind) => KINDS[kind],
    method: (method) => consoleSay('fr')(`way_${kindOf(method)}`),
    instrument: (instrument) => instrumentName(instrument, 'fr'),
    status: (status) => consoleSay('fr')(`status_${status}`),
  },
}

async function* linesOf(
  deps: AccountsDeps,
  span: Span & { readonly live: boolean; readonly kind: PaymentKind | null },
  format: AccountsFormat,
): AsyncIterable<string> {
  const form = FORMS[format]
  const words = WORDS[format]
  const { wallTime } = deps.wallClock
  const how = { words, wallTime, day: (instant: Instant) => wallTime(instant).slice(0, 10) }
  yield form.mark + csvLine(words.headings, form)
  let total: Figures = NO_FIGURES
  for (const kind of ['payment', 'refund'] as const) {
    const line = (entry: Entry) =>
      csvLine([words.kind(kind), ...cellsOf(entry, (cell) => cell(entry, how))], form)
    const read = (last: Entry | null, limit: number) => entriesOf(deps.database, kind, span, last, limit)
    for await (const page of allPages(read)) {
      const signed = page.map((entry) => (kind === 'refund' ? below(entry) : entry))
      yield signed.map(line).join('')
      total = signed.reduce(addFigures, total)
    }
  }
  yield csvLine([words.kind('total'), ...cellsOf(total, () => null)], form)
}

/** A refund takes away; its discount was not given either. */
function below(entry: Entry): Entry {
  const { ht, tva, ttc, discount } = entry
  return { ...entry, ht: -ht, tva: -tva, ttc: -ttc, discount: -discount }
}

/** In dinars. Where the provider did not say its fees the cell is empty, and nothing is taken off. */
function cellsOf(figures: Figures, say: (cell: CellOf) => Cell): Cell[] {
  const isUnknown = figures.count === 1 && figures.feesUnknown === 1
  const sums: Readonly<Record<string, Cell>> = {
    ...describeFigures(figures),
    ...(isUnknown && { fees: null }),
  }
  return Object.entries(COLUMNS).map(([name, [, cell]]) => (cell ? say(cell) : (sums[name] ?? null)))
}

export type BooksPages = ConsolePages & AccountsDeps
