// What users paid in advance, as CSV: each entry of their balances in a month, by user, between what was on
// balances when it began and at its end. It matches the top-ups to the bank, and the sales to what paid them.
import { recordAct } from '../acts/audit.sql.js'
import { type Cell, csvLine } from '../acts/csv.js'
import { allPages } from '../acts/paging.js'
import type { EntryKind } from '../core/balance.js'
import { toTimestamp } from '../core/instant.js'
import { receiptNumber } from '../core/receipt.js'
import { type Operator, requireRole } from '../core/role.js'
import { type AccountsDeps, type AccountsFormat, EXPORT, FORMS, WORDS } from './accounts.js'
import type { Span } from './figures.sql.js'
import { countNow, readMonth } from './months.js'
import { readOwed } from './owed.js'
import { type LedgerLine, ledgerLines } from './owed.sql.js'

/** Written to the audit trail, then given in pieces as it is read. Throws `validation_failed`. */
export async function exportAdvances(
  deps: AccountsDeps,
  of: { readonly month: string; readonly format: AccountsFormat; readonly operator: Operator },
): Promise<AsyncIterable<string>> {
  const { month, format, operator } = of
  requireRole(operator, EXPORT)
  const span = readMonth(deps, month, '/query/month')
  await countNow(deps)
  const owed = await readOwed(deps, span)
  await recordAct(
    deps,
    { operator, act: 'payments.export', reason: null },
    { after: { month, file: 'advances' } },
  )
  return linesOf(deps, { ...span, before: owed?.before ?? 0 }, format)
}

/** In French, as the accountant's other file. */
const KINDS: Readonly<Record<EntryKind | 'before' | 'after', string>> = {
  before: 'au début du mois',
  top_up: 'recharge',
  purchase: 'achat',
  renewal: 'renouvellement',
  returned: 'remboursement au solde',
  surplus: 'reste d’un paiement',
  correction: 'correction',
  paid_out: 'reversement',
  after: 'à la fin du mois',
}
const COLUMNS = {
  kind: 'type',
  date: 'date',
  user_id: 'identifiant de l’utilisateur',
  amount: 'montant',
  balance_after: 'solde après',
  method: 'canal',
  payment_method: 'moyen de paiement',
  receipt_number: 'numéro de reçu',
  payment_id: 'identifiant du paiement',
  note: 'note',
  at_utc: 'à (UTC)',
}
type Column = keyof typeof COLUMNS

async function* linesOf(
  deps: AccountsDeps,
  { from, to, before }: Span & { readonly before: number },
  format: AccountsFormat,
): AsyncIterable<string> {
  const form = FORMS[format]
  const isFrench = format === 'excel'
  const kind = (name: keyof typeof KINDS) => (isFrench ? KINDS[name] : name)
  const line = (cells: Partial<Record<Column, Cell>>) =>
    csvLine(
      Object.keys(COLUMNS).map((name) => cells[name as Column] ?? null),
      form,
    )
  const words = WORDS[format]
  yield form.mark + csvLine(isFrench ? Object.values(COLUMNS) : Object.keys(COLUMNS), form)
  yield line({ kind: kind('before'), amount: before })
  const show = (entry: LedgerLine) => {
    const { method, instrument, series, number, createdAt } = entry
    return line({
      ...{ kind: kind(entry.kind), user_id: entry.userId, amount: entry.amount },
      ...{ balance_after: entry.balanceAfter, payment_id: entry.paymentId, note: entry.note },
      date: deps.wallClock.wallTime(createdAt).slice(0, 10),
      method: method === null ? null : words.method(method),
      payment_method: instrument === null ? null : words.instrument(instrument),
      receipt_number: series === null || number === null ? null : receiptNumber(series, number),
      at_utc: toTimestamp(createdAt),
    })
  }
  let after = before
  const read = (last: LedgerLine | null, limit: number) =>
    ledgerLines(deps.database, { from, to }, last, limit)
  for await (const page of allPages(read)) {
    yield page.map(show).join('')
    after += page.reduce((sum, { amount }) => sum + amount, 0)
  }
  yield line({ kind: kind('after'), amount: after })
}
