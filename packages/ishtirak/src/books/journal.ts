// The journal of receipts: the payments of a month in the order they were paid.

import { byInstant } from '../acts/paging.js'
import { BillingError } from '../core/error.js'
import { type Entry, entriesOf } from './figures.sql.js'
import { closingsAround, countNow, type MonthsDeps, readMonth } from './months.js'

/**
 * All receipts, those of top-ups too: first those of closed months that came since, then the month's own. Of
 * a closed month those that it was closed with, so that each stands in one journal. Throws
 * `validation_failed`, `invalid_cursor` for that of another month.
 */
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
  await countNow(deps)
  const { own, before } = await closingsAround(deps, month)
  const [until, since] = [own?.counted ?? null, before?.counted ?? null]
  const span = { from, to, live: deps.methods.live, kind: null, until, since, withTopUps: true }
  const after = cursor === null ? null : byInstant.decode(cursor)
  if (after && (after.at >= to || (since === null && after.at < from)))
    throw new BillingError('invalid_cursor')
  const isBehindLate = after !== null && after.at >= from
  const late = isBehindLate ? [] : await entriesOf(deps.database, 'late', span, after, limit + 1)
  const rest = limit + 1 - late.length
  const ownAfter = isBehindLate ? after : null
  const paid = rest > 0 ? await entriesOf(deps.database, 'payment', span, ownAfter, rest) : []
  const { items: entries, nextCursor } = byInstant.pageOf([...late, ...paid], limit)
  return { from, entries, nextCursor }
}
