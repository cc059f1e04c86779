// What users paid in advance, as lines of the accountant's file: each entry of their balances in a month, by
// user, between what was on balances when it began and at its end. It matches the top-ups to the bank, and
// the sales to what paid them.
import type { CsvCell } from '../acts/csv.js'
import { allPages } from '../acts/paging.js'
import type { EntryKind } from '../core/balance.js'
import { toTimestamp } from '../core/instant.js'
import { receiptNumber } from '../core/receipt.js'
import type { Counted, Span } from './figures.sql.js'
import type { FileWords } from './file-words.js'
import type { MonthFigures, MonthsDeps } from './months.js'
import { type LedgerLine, ledgerLines } from './owed.sql.js'

/** In French, as the rest of the file. */
export const ADVANCE_KINDS: Readonly<Record<AdvanceKind, string>> = {
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
export type AdvanceKind = EntryKind | 'owed_late' | 'owed_before' | 'owed_after'

export interface AdvanceLine {
  readonly kind: AdvanceKind
  readonly cells: Readonly<Record<string, CsvCell>>
}

/** Nothing where nothing was on a balance. */
export async function* advanceLines(
  { database, wallClock }: Pick<MonthsDeps, 'database' | 'wallClock'>,
  span: Span & { readonly until: Counted | null },
  { owed, afterClosing }: Pick<MonthFigures, 'owed' | 'afterClosing'>,
  words: Pick<FileWords<AdvanceKind>, 'method' | 'instrument'>,
): AsyncIterable<readonly AdvanceLine[]> {
  if (!owed) return
  const late = afterClosing?.balances ?? 0
  if (late !== 0) yield [{ kind: 'owed_late', cells: { advance: late } }]
  yield [{ kind: 'owed_before', cells: { advance: owed.before } }]
  const show = (entry: LedgerLine): AdvanceLine => {
    const { method, instrument, series, number, createdAt } = entry
    const cells = {
      date: wallClock.dayAt(createdAt),
      user_id: entry.userId,
      payment_id: entry.paymentId,
      method: method === null ? null : words.method(method),
      payment_method: words.instrument(instrument ?? ''),
      receipt_number: series === null || number === null ? null : receiptNumber(series, number),
      ...{ name: entry.name, advance: entry.amount, balance_after: entry.balanceAfter, note: entry.note },
      paid_at_utc: toTimestamp(createdAt),
    }
    return { kind: entry.kind, cells }
  }
  let after = owed.before
  const read = (last: LedgerLine | null, limit: number) => ledgerLines(database, span, last, limit)
  for await (const page of allPages(read)) {
    yield page.map(show)
    after += page.reduce((sum, { amount }) => sum + amount, 0)
  }
  yield [{ kind: 'owed_after', cells: { advance: after } }]
}
