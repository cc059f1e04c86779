// A month for the accountant as one CSV: a line for each payment of the month and for each refund that was
// recorded in it, with tax, duty and fees, and their total; then late payments of closed months; then the
// changes of balances. A refund is below zero, so the lines add up to the month. The file of a closed month
// has the documents that it was closed with.
import { allPages } from '../acts/paging.js'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { receiptNumber } from '../core/receipt.js'
import { viewAs } from '../http/schemas.js'
import { type AccountsDeps, bookLines, exported, type FileFormat, writtenLines } from './exports.js'
import { addFigures, type Figures, FiguresSchema, sumUp } from './figures.js'
import { rateOf } from './figures.sql.js'
import type { Line } from './lines.sql.js'
import { type MonthFigures, readMonthFigures } from './months.js'
import { type LedgerLine, ledgerLines } from './owed.sql.js'

export const readAccounts = exported(
  'accounts',
  'The payments and refunds of a month for the accountant, with tax, duty, fees and totals, and each ' +
    'change of balances, as CSV',
  async (deps, month, format) => accountLines(deps, await readMonthFigures(deps, month), format),
)

const COLUMNS = {
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
  asked: 'montant demandé',
  checkout_id: 'référence',
  currency: 'devise',
  paid_at_utc: 'payé à (UTC)',
  paid_at_local: 'payé à (heure locale)',
  period_start_utc: 'début de la période (UTC)',
  period_end_utc: 'fin de la période (UTC)',
  status: 'statut',
  second_of: 'double de',
  received_at_local: 'reçu à (heure locale)',
  name: 'nom du client',
  // Only lines of balances have the next two.
  advance: 'avance',
  balance_after: 'solde après',
  note: 'note',
  closed_at_local: 'clôturé à (heure locale)',
}
const KINDS = {
  payment: 'paiement',
  refund: 'remboursement',
  total: 'total',
  after_closing: 'après clôture',
  total_after_closing: 'total après clôture',
  provider_payouts: 'versements du prestataire',
  owed_late: 'avances, après clôture',
  owed_before: 'avances au début du mois',
  top_up: 'recharge',
  purchase: 'achat par le solde',
  renewal: 'renouvellement par le solde',
  returned: 'remboursement au solde',
  surplus: 'reste d’un paiement',
  correction: 'correction',
  paid_out: 'reversement',
  owed_after: 'avances à la fin du mois',
}
type Kind = keyof typeof KINDS

async function* accountLines(
  deps: AccountsDeps,
  figures: MonthFigures,
  format: FileFormat,
): AsyncIterable<string> {
  const { span, closed, paid_out_by_provider: payouts } = figures
  const file = bookLines(format, COLUMNS, KINDS)
  const { wallTime, dayAt } = deps.wallClock
  const cellsOf = (line: Line) => ({
    ...{ ...line, ...sumsOf(line), advance: null, name: line.buyer.name },
    ...{ date: dayAt(line.at), receipt_number: receiptNumber(line.series, line.number) },
    ...{ method: file.method(line.method), payment_method: file.instrument(line.payment_method) },
    ...{ tva_percent: rateOf(line.tax), status: file.status(line.status) },
    paid_on: dayAt(line.paid_at),
    refunded_on: line.refunded_at && dayAt(line.refunded_at),
    ...{ paid_at_utc: toTimestamp(line.paid_at), paid_at_local: wallTime(line.paid_at) },
    period_start_utc: timestampOrNull(line.period_start),
    period_end_utc: timestampOrNull(line.period_end),
    received_at_local: line.received_at && wallTime(line.received_at),
  })
  const entries = (part: 'sale' | 'refund' | 'late', name: Kind) => {
    const filter = { parts: [part], tax: null, withAdvances: false }
    return writtenLines(deps, { ...span, filter }, (line) => file.line(name, cellsOf(line)))
  }
  yield file.heads
  const paid = yield* entries('sale', 'payment')
  const refunded = yield* entries('refund', 'refund')
  const closing = { closed_at_local: closed && wallTime(closed.at) }
  yield file.line('total', { ...sumsOf(addFigures(paid, refunded)), ...closing })
  if (span.since) {
    const late = yield* entries('late', 'after_closing')
    if (late.count > 0) yield file.line('total_after_closing', sumsOf(late))
  }
  // The payouts are not part of the total: no line of the month is in them.
  if (payouts.count > 0)
    yield file.line('provider_payouts', { total: payouts.amount / 100, net: payouts.came / 100 })
  yield* advanceLines(deps, figures, file)
}

/** In dinars. If the provider did not say its fees, the cell is empty and `net` is `total`. */
function sumsOf(figures: Figures) {
  const sums = viewAs(FiguresSchema, figures)
  return { ...sums, ...(figures.count === 1 && figures.fees_unknown === 1 && { fees: null }) }
}

/**
 * The balance entries of the month, by user, stand between the sums of all balances at its beginning and at
 * its end. The accountant compares the top-ups with the bank, and the purchases with the sales. Yields
 * nothing if no user had a balance.
 */
async function* advanceLines(
  { database, wallClock }: AccountsDeps,
  { span, owed_to_users: owed, after_closing }: MonthFigures,
  file: ReturnType<typeof bookLines<Kind>>,
): AsyncIterable<string> {
  if (!owed) return
  const late = after_closing?.balances ?? 0
  if (late !== 0) yield file.line('owed_late', { advance: late })
  yield file.line('owed_before', { advance: owed.owed_before })
  const write = (entry: LedgerLine) => {
    const { kind, method, payment_method, series, number, created_at } = entry
    return file.line(kind, {
      ...{ ...entry, advance: entry.amount, date: wallClock.dayAt(created_at) },
      method: method && file.method(method),
      payment_method: file.instrument(payment_method),
      receipt_number: series === null || number === null ? null : receiptNumber(series, number),
      paid_at_utc: toTimestamp(created_at),
    })
  }
  let after = owed.owed_before
  const read = (last: LedgerLine | null, limit: number) => ledgerLines(database, span, last, limit)
  for await (const page of allPages(read)) {
    yield page.map(write).join('')
    after += sumUp(page.map(({ amount }) => amount))
  }
  yield file.line('owed_after', { advance: after })
}
