// A day of the drawer in the billing time zone: what the desk took and gave back, by method and person, what
// was counted, and what was booked after the count.
import { BillingError } from '../core/error.js'
import type { CommonParts } from '../ledger/parts.js'
import type { DeskMethod } from './desk.js'
import { type DrawerCount, type DrawerEntry, findCount, listEntries } from './drawer.sql.js'

export type DrawerDeps = Pick<CommonParts, 'database' | 'clock' | 'wallClock' | 'methods'>

export type DrawerDay = Awaited<ReturnType<typeof readDrawer>>

/** Throws `not_found` if there is no such day, or it has not begun. */
export function requireDay({ clock, wallClock }: Pick<DrawerDeps, 'clock' | 'wallClock'>, day: string) {
  const span = wallClock.dayOf(day)
  if (!span || span.from > clock.now()) throw new BillingError('not_found', { extra: { day } })
  return span
}

/** The day with the API's names, in centimes. Throws as `requireDay` does. */
export async function readDrawer(deps: DrawerDeps, day: string) {
  const span = requireDay(deps, day)
  const [entries, count] = await Promise.all([
    listEntries(deps.database, span, deps.methods.live),
    findCount(deps.database, day),
  ])
  const [cash, cheque] = [methodOf(entries, count, 'cash'), methodOf(entries, count, 'cheque')]
  return {
    ...{ day, from: span.from, state: drawerStateOf(count), entries, by_method: [cash, cheque] },
    expected: { cash: cash.expected, cheques: cheque.expected },
    count: count && {
      ...count,
      cash_difference: cash.counted?.difference ?? 0,
      cheques_difference: cheque.counted?.difference ?? 0,
    },
  }
}

export function drawerStateOf(count: DrawerCount | null): 'open' | 'counted' | 'closed' {
  if (!count) return 'open'
  return count.confirmed_at === null ? 'counted' : 'closed'
}

/** `expected` and `after_count` leave out what was in the drawer when the day began. */
function methodOf(all: readonly DrawerEntry[], count: DrawerCount | null, method: DeskMethod) {
  const entries = all.filter((entry) => entry.method === method)
  const sumOf = (some: readonly DrawerEntry[], member: 'amount' | 'stamp_duty' = 'amount') =>
    some.reduce((sum, entry) => sum + entry[member], 0)
  const of = (kind: DrawerEntry['kind']) => entries.filter((entry) => entry.kind === kind)
  const [taken, expected] = [of('taken'), sumOf(entries)]
  const counted = count && countedOf(count, method)
  return {
    ...{ method, slips: taken.length, taken: sumOf(taken), stamp_duty: sumOf(taken, 'stamp_duty') },
    ...{ returned: -sumOf(of('returned')), paid_out: -sumOf(of('paid_out')), expected, counted },
    after_count: counted && expected - counted.expected,
  }
}

/** The counted centimes, and how much they exceed the books at the count. */
export function countedOf(count: DrawerCount, method: DeskMethod) {
  const [dinars, expected] =
    method === 'cash' ? [count.cash, count.cash_expected] : [count.cheques, count.cheques_expected]
  return { counted: dinars * 100, expected, difference: dinars * 100 - expected }
}
