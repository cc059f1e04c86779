// A day of the drawer in the billing time zone: what the desk took and gave back, by method and person, what
// was counted, and what was booked after the count.
import { BillingError } from '../core/error.js'
import type { CommonParts } from '../ledger/parts.js'
import { DESK_METHODS, type DeskMethod } from './desk.js'
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
  const { database, methods } = deps
  const span = requireDay(deps, day)
  const [entries, count] = await Promise.all([
    listEntries(database, span, methods.live),
    findCount(database, day),
  ])
  const expected = expectedOf(entries)
  return {
    ...{ day, state: stateOf(count), entries, expected },
    count: count && {
      ...count,
      cash_difference: countedOf(count, 'cash').difference,
      cheques_difference: countedOf(count, 'cheque').difference,
    },
    by_method: DESK_METHODS.map((method) => methodOf({ entries, count, expected: expected[method] }, method)),
  }
}

function stateOf(count: DrawerCount | null): 'open' | 'counted' | 'closed' {
  if (!count) return 'open'
  return count.confirmed_at === null ? 'counted' : 'closed'
}

/** The money expected for each method, without what was there at the start of the day. */
function expectedOf(entries: readonly DrawerEntry[]): Readonly<Record<DeskMethod, number>> {
  const of = (method: DeskMethod) => sumOf(entries.filter((entry) => entry.method === method))
  return { cash: of('cash'), cheque: of('cheque') }
}

function sumOf(entries: readonly DrawerEntry[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0)
}

/** The counted centimes, and how much they exceed the books at the count. */
export function countedOf(count: DrawerCount, method: DeskMethod) {
  const isCash = method === 'cash'
  const counted = (isCash ? count.cash : count.cheques) * 100
  const expected = isCash ? count.cash_expected : count.cheques_expected
  return { counted, expected, difference: counted - expected }
}

/** `after_count` is what was booked after the count. */
function methodOf(
  day: { readonly entries: readonly DrawerEntry[]; readonly count: DrawerCount | null; expected: number },
  method: DeskMethod,
) {
  const of = (kind: DrawerEntry['kind']) =>
    day.entries.filter((entry) => entry.method === method && entry.kind === kind)
  const taken = of('taken')
  const counted = day.count && countedOf(day.count, method)
  return {
    ...{ method, slips: taken.length, taken: sumOf(taken), expected: day.expected, counted },
    stamp_duty: taken.reduce((sum, { stamp_duty }) => sum + stamp_duty, 0),
    returned: -sumOf(of('returned')),
    paid_out: -sumOf(of('paid_out')),
    after_count: counted && day.expected - counted.expected,
  }
}
