// The journal of receipts: the payments of a month in the order they were paid.

import { byInstant } from '../acts/paging.js'
import { BillingError } from '../core/error.js'
import { type Entry, entriesOf } from './figures.sql.js'
import { type MonthsDeps, readMonth } from './months.js'

/** As in the accountant's file. Throws `validation_failed`, `invalid_cursor` for that of another month. */
export async function readJournal(
  deps: MonthsDeps,
  of: { readonly month: string; readonly cursor: string | null; readonly limit: number },
): Promise<{
  readonly from: number
  readonly entries: readonly Entry[]
  readonly nextCursor: string | null
}> {
  const { month, cursor, limit } = of
  const { from, to } = readMonth(deps, month)
  const span = { from, to, live: deps.methods.live, kind: null }
  const after = cursor === null ? null : byInstant.decode(cursor)
  if (after && (after.at < from || after.at >= to)) throw new BillingError('invalid_cursor')
  const found = await entriesOf(deps.database, 'payment', span, after, limit + 1)
  const { items: entries, nextCursor } = byInstant.pageOf(found, limit)
  return { from, entries, nextCursor }
}
