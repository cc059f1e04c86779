// A month as the accountant wants it, as CSV: a line for each payment of the month and for each refund that was recorded in it, with
// tax, duty and fees, and their total. A refund is a line of its own, below zero, so that the lines of a month add up to the month.

import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { type CsvForm, csvLine, EXCEL, PLAIN } from '../acts/csv.js'
import { addFigures, describeFigures, type Figures, NO_FIGURES } from '../core/figures.js'
import { wayOf } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import { consoleSay } from '../i18n/console.js'
import { instrumentName } from '../i18n/messages.js'
import { type Entry, entriesOf } from './figures.sql.js'
import { type MonthsDeps, readMonth } from './months.js'

export type AccountsDeps = MonthsDeps & AuditDeps

export const EXPORT = { name: 'payments.export', roles: ['accountant'] } as const satisfies Permission

export type AccountsFormat = 'plain' | 'excel'
const FORMS: Readonly<Record<AccountsFormat, CsvForm>> = { plain: PLAIN, excel: EXCEL }

/** Lines that are held in memory at a time. */
const PAGE_ROWS = 1_000

/** Written to the audit trail, then given in pieces as it is read. Throws `validation_failed`. */
export async function exportAccounts(
  deps: AccountsDeps,
  of: { readonly month: string; readonly format: AccountsFormat; readonly operator: Operator },
): Promise<AsyncIterable<string>> {
  const { month, format, operator } = of
  requireRole(operator, EXPORT)
  const { from, to } = readMonth(deps, month, '/query/month')
  const act = { operator, act: 'payments.export', reason: null } as const
  await recordAct(deps, act, { after: { month, file: 'accounts' } })
  return linesOf(deps, { from, to, live: deps.methods.primary.live }, format)
}

/** The name of each column, and what stands above it in a spreadsheet in French. */
const COLUMNS = {
  kind: 'type',
  date: 'date',
  receipt_number: 'numéro de reçu',
  payment_id: 'identifiant du paiement',
  user_id: 'identifiant de l’utilisateur',
  plan: 'offre',
  months: 'mois',
  method: 'canal',
  payment_method: 'moyen de paiement',
  ht: 'montant HT',
  tva_percent: 'taux de TVA (%)',
  tva: 'TVA',
  ttc: 'montant TTC',
  discount: 'remise',
  stamp_duty: 'droit de timbre',
  total: 'total',
  fees: 'frais',
  net: 'net',
  paid_on: 'payé le',
  refunded_on: 'remboursé le',
  amount_asked: 'montant demandé',
}
const KINDS = { payment: 'paiement', refund: 'remboursement', total: 'total' }

interface Language {
  readonly headings: readonly string[]
  readonly kind: (kind: keyof typeof KINDS) => string
  readonly method: (method: string) => string
  readonly instrument: (instrument: string) => string
}

const LANGUAGES: Readonly<Record<AccountsFormat, Language>> = {
  plain: {
    headings: Object.keys(COLUMNS),
    kind: (kind) => kind,
    method: (method) => method,
    instrument: (instrument) => instrument,
  },
  excel: {
    headings: Object.values(COLUMNS),
    kind: (kind) => KINDS[kind],
    method: (method) => consoleSay('fr')(`way_${wayOf(method)}`),
    instrument: (instrument) => instrumentName(instrument, 'fr'),
  },
}

async function* linesOf(
  deps: AccountsDeps,
  span: { readonly from: number; readonly to: number; readonly live: boolean },
  format: AccountsFormat,
): AsyncIterable<string> {
  const form = FORMS[format]
  const language = LANGUAGES[format]
  yield form.mark + csvLine(language.headings, form)
  let total: Figures = NO_FIGURES
  for (const kind of ['payment', 'refund'] as const) {
    let last: Entry | null = null
    for (;;) {
      const page: readonly Entry[] = await entriesOf(deps.database, kind, span, last, PAGE_ROWS)
      const signed = page.map((entry) => (kind === 'refund' ? below(entry) : entry))
      if (page.length > 0)
        yield signed
          .map((entry) => csvLine([language.kind(kind), ...cellsOf(deps, language, entry)], form))
          .join('')
      total = signed.reduce(addFigures, total)
      if (page.length < PAGE_ROWS) break
      last = page.at(-1) ?? null
    }
  }
  yield csvLine(
    [
      language.kind('total'),
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      ...sumsOf(total, null),
      null,
      null,
      null,
    ],
    form,
  )
}

/** A refund takes away; its discount was not given either. */
function below(entry: Entry): Entry {
  const { ht, tva, ttc, discount } = entry
  return { ...entry, ht: -ht, tva: -tva, ttc: -ttc, discount: -discount }
}

function cellsOf({ wallClock }: AccountsDeps, language: Language, entry: Entry) {
  const dayOf = (instant: number) => wallClock.wallTime(instant).slice(0, 10)
  const { series, number, paymentId, userId, planId, months, method, instrument, paidAt, refundedAt } = entry
  return [
    ...[
      dayOf(entry.at),
      receiptNumber(series, number),
      paymentId,
      userId,
      planId,
      months,
      language.method(method),
      instrument === null ? null : language.instrument(instrument),
    ],
    ...sumsOf(entry, entry.taxRate),
    dayOf(paidAt),
    refundedAt === null ? null : dayOf(refundedAt),
    entry.amountAsked,
  ]
}

/** In dinars. Where the provider did not say its fees the cell is empty, and nothing is taken off. */
function sumsOf(figures: Figures, taxRate: number | null) {
  const { ht, tva, ttc, discount, stamp_duty, total, fees, net } = describeFigures(figures)
  const said = figures.count === 1 && figures.feesUnknown === 1 ? null : fees
  return [ht, taxRate, tva, ttc, discount, stamp_duty, total, said, net]
}
