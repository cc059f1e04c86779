// The day of the drawer: what the desk took and gave back on a day of the billing time zone, by method and by
// person, what was counted, and what came after the count.
import { BillingError } from '../core/error.js'
import type { CommonParts } from '../ledger/parts.js'
import { DESK_METHODS, type DeskMethod } from './desk.js'
import { type DrawerCount, type DrawerEntry, findCount, listEntries } from './drawer.sql.js'

export type DrawerDeps = Pick<CommonParts, 'database' | 'clock' | 'wallClock' | 'methods'>

export type DrawerDay = Awaited<ReturnType<typeof readDrawer>>

/** Throws `not_found`: no such day, or one that has not begun. */
export function requireDay({ clock, wallClock }: Pick<DrawerDeps, 'clock' | 'wallClock'>, day: string) {
  const span = wallClock.dayOf(day)
  if (!span || span.from > clock.now()) throw new BillingError('not_found', { extra: { day } })
  return span
}

/** Throws as `requireDay` does. */
export async function readDrawer(deps: DrawerDeps, day: string) {
  const { database, methods } = deps
  const span = requireDay(deps, day)
  const [entries, count] = await Promise.all([
    listEntries(database, span, methods.live),
    findCount(database, day),
  ])
  return { day, entries, count, expected: expectedOf(entries) }
}

export function drawerStateOf(count: DrawerCount | null): 'open' | 'counted' | 'closed' {
  if (!count) return 'open'
  return count.confirmedAt === null ? 'counted' : 'closed'
}

/** In centimes, by method: what must be there of a day, beside what was there when it began. */
function expectedOf(entries: readonly DrawerEntry[]): Readonly<Record<DeskMethod, number>> {
  const of = (method: DeskMethod) => sumOf(entries.filter((entry) => entry.method === method))
  return { cash: of('cash'), cheque: of('cheque') }
}

function sumOf(entries: readonly DrawerEntry[]): number {
  return entries.reduce((sum, { price, duty }) => sum + price + duty, 0)
}

/** In centimes: what was counted, and by how much it is more than the books said at the count. */
export function countedOf(count: DrawerCount, method: DeskMethod) {
  const isCash = method === 'cash'
  const counted = (isCash ? count.cash : count.cheques) * 100
  const expected = isCash ? count.cashExpected : count.chequesExpected
  return { counted, expected, difference: counted - expected }
}

/** Of each method, in centimes; `after`: what came to the books after the count. */
export function byMethod({ entries, count, expected }: Pick<DrawerDay, 'entries' | 'count' | 'expected'>) {
  return DESK_METHODS.map((method) => {
    const of = (kind: DrawerEntry['kind']) =>
      entries.filter((entry) => entry.method === method && entry.kind === kind)
    const taken = of('taken')
    const counted = count && countedOf(count, method)
    return {
      method,
      slips: taken.length,
      taken: sumOf(taken),
      duty: taken.reduce((sum, { duty }) => sum + duty, 0),
      returned: -sumOf(of('returned')),
      paidOut: -sumOf(of('paid_out')),
      expected: expected[method],
      counted,
      after: counted && expected[method] - counted.expected,
    }
  })
}

/** What each person took, less what they gave back, in centimes. */
export function byPerson({ entries }: Pick<DrawerDay, 'entries'>) {
  const people = [...new Set(entries.map(({ operator }) => operator))]
  return people.map((operator) => {
    const own = entries.filter((entry) => entry.operator === operator)
    return { operator, slips: own.filter(({ kind }) => kind === 'taken').length, ...expectedOf(own) }
  })
}
