// Checks once a day whether the documents of closed months still add up to what was declared. A month whose
// documents do not is an entry of the inbox.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { lastClosed, MONTHS_THAT_DIFFER, saveDifference } from './closed.sql.js'
import { type MonthsDeps, monthBefore, readMonthFigures } from './months.js'

/** A month is checked for a year after its closing. */
const CHECKED_MONTHS = 12

/** A job. Returns how many closed months it checked. */
export async function checkClosedMonths(deps: MonthsDeps): Promise<number> {
  let month = await lastClosed(deps.database)
  let checked = 0
  for (; month !== null && checked < CHECKED_MONTHS; month = monthBefore(deps, month)) {
    const { closed } = await readMonthFigures(deps, month)
    if (!closed) break
    await saveDifference(deps.database, closed, { differs: closed.differs.length > 0, now: deps.clock.now() })
    checked += 1
  }
  return checked
}

export const MONTH_DIFFERS: readonly InboxKind[] = [
  {
    name: 'month_differs',
    place: 9,
    urgency: 'soon',
    select: MONTHS_THAT_DIFFER,
    isMoney: true,
    nextActs: ['month.reopen'],
    detailIs: 'the month',
    path: (base, { id }) => addressOf(base, 'months', id),
  },
]
