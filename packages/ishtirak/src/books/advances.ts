// The balances of users, as lines of the accountant's file: each entry of a month, by user, between the sum
// of all balances at its beginning and at its end. The accountant compares the top-ups with the bank, and the
// purchases with the sales.
import { allPages } from '../acts/paging.js'
import type { EntryKind } from '../core/balance.js'
import { toTimestamp } from '../core/instant.js'
import { receiptNumber } from '../core/receipt.js'
import type { bookLines } from './exports.js'
import type { MonthFigures, MonthsDeps } from './months.js'
import { type LedgerLine, ledgerLines } from './owed.sql.js'

/** French, like the rest of the file. */
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
type AdvanceKind = EntryKind | 'owed_late' | 'owed_before' | 'owed_after'

interface AdvanceLine {
  readonly kind: AdvanceKind
  readonly cells: object
}

/** Yields nothing if no user had a balance. */
export async function* advanceLines(
  { database, wallClock }: Pick<MonthsDeps, 'database' | 'wallClock'>,
  { span, owed_to_users: owed, after_closing }: MonthFigures,
  words: Pick<ReturnType<typeof bookLines>, 'method' | 'instrument'>,
): AsyncIterable<readonly AdvanceLine[]> {
  if (!owed) return
  const late = after_closing?.balances ?? 0
  if (late !== 0) yield [{ kind: 'owed_late', cells: { advance: late } }]
  yield [{ kind: 'owed_before', cells: { advance: owed.owed_before } }]
  const show = (entry: LedgerLine): AdvanceLine => {
    const { method, payment_method, series, number, created_at } = entry
    const cells = {
      ...{ ...entry, advance: entry.amount, date: wallClock.dayAt(created_at) },
      method: method && words.method(method),
      payment_method: words.instrument(payment_method),
      receipt_number: series === null || number === null ? null : receiptNumber(series, number),
      paid_at_utc: toTimestamp(created_at),
    }
    return { kind: entry.kind, cells }
  }
  let after = owed.owed_before
  const read = (last: LedgerLine | null, limit: number) => ledgerLines(database, span, last, limit)
  for await (const page of allPages(read)) {
    yield page.map(show)
    after += page.reduce((sum, { amount }) => sum + amount, 0)
  }
  yield [{ kind: 'owed_after', cells: { advance: after } }]
}
