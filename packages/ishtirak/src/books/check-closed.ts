// Whether the documents of closed months still add up to what was declared: looked at once a day, and an
// entry of the inbox where they do not.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { lastClosed, MONTHS_THAT_DIFFER, noteDifference } from './closed.sql.js'
import { type MonthsDeps, monthBefore, readMonthFigures } from './months.js'

/** Who changes a document of an older month changes one that was checked for a year. */
const CHECKED_MONTHS = 12

/** A job. Gives how many closed months it has read. */
export async function checkClosedMonths(deps: MonthsDeps): Promise<number> {
  let month = await lastClosed(deps.database)
  let checked = 0
  for (; month !== null && checked < CHECKED_MONTHS; month = monthBefore(deps, month)) {
    const { closed } = await readMonthFigures(deps, month)
    if (!closed) break
    const differs = closed.differs.length > 0
    await noteDifference(deps.database, closed, { differs, now: deps.clock.now() })
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
