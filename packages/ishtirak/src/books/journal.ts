// The journal of receipts: the payments of a month in the order they were paid.

import type { AskedPage } from '../acts/list.js'
import { byInstant } from '../acts/paging.js'
import { BillingError } from '../core/error.js'
import { type LinesFilter, linesOf } from './lines.sql.js'
import { closedSpan, type MonthsDeps } from './months.js'

const RECEIPTS: LinesFilter = { parts: ['late', 'sale'], tax: null, kind: null, withAdvances: true }

/**
 * All receipts, those of top-ups too: first those of closed months that came since, then the month's own. Of
 * a closed month those that it was closed with, so that each stands in one journal. Throws
 * `validation_failed`, `invalid_cursor` for that of another month.
 */
export function pageOfReceipts(deps: MonthsDeps, { month }: { readonly month: string }, page: AskedPage) {
  return pageOfMonth(deps, { month, filter: RECEIPTS }, page)
}

/** A page of the lines of a month. Throws as `pageOfReceipts`. */
export async function pageOfMonth(
  deps: MonthsDeps,
  { month, filter }: { readonly month: string; readonly filter: LinesFilter },
  { cursor, limit }: AskedPage,
) {
  const span = await closedSpan(deps, month)
  const { from, to, since } = span
  const after = cursor === null ? null : byInstant.decode(cursor)
  if (after && (after.at >= to || (since === null && after.at < from)))
    throw new BillingError('invalid_cursor')
  return byInstant.pageOf(await linesOf(deps.database, { ...span, filter }, after, limit + 1), limit)
}
