// A month of the shop: what was paid, refunded and kept by the provider, by method and by day, and whose time
// began and ended. A payment is of the month in which it was paid, a refund of the month in which it was
// recorded; the calendar is the shop's.
import { BillingError } from '../core/error.js'
import { addFigures, type Figures, NO_FIGURES } from '../core/figures.js'
import { DAY, type Instant } from '../core/instant.js'
import type { Database } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  countEndings,
  countReceipts,
  type DaySums,
  type MonthDay,
  paidByDay,
  refundedByDay,
  uncountedReceipts,
} from './figures.sql.js'
import { readOwed } from './owed.js'

export interface MonthsDeps extends Pick<CommonParts, 'clock' | 'wallClock' | 'methods'> {
  readonly database: Database
}

/** Counted by the one who asks, when the job has not come to them: some 20 ms. */
const COUNTED_AT_ONCE = 500
const ENDING_DAYS = 7

/** The span of a month and its days. Throws `validation_failed` when it is not `YYYY-MM`. */
export function readMonth(
  { wallClock }: Pick<MonthsDeps, 'wallClock'>,
  month: string,
  pointer = '/month',
): { readonly from: Instant; readonly to: Instant; readonly days: readonly MonthDay[] } {
  const span = wallClock.monthOf(month)
  if (!span) throw new BillingError('validation_failed', { problems: [{ pointer, code: 'wrong_format' }] })
  const days: MonthDay[] = []
  for (let n = 1; n <= 31; n += 1) {
    const day = `${month}-${String(n).padStart(2, '0')}`
    const of = wallClock.dayOf(day)
    if (of) days.push({ day, from: of.from })
  }
  return { ...span, days }
}

export const countNow = ({ database, wallClock }: MonthsDeps) =>
  countReceipts(database, COUNTED_AT_ONCE, wallClock.timeZone)

export type MonthFigures = Awaited<ReturnType<typeof readMonthFigures>>

/**
 * Of real money, or of play money where the shop takes no other. `uncounted` receipts are not in it yet: 0,
 * but for minutes after a restore or the upgrade from a program that did not count. Throws
 * `validation_failed`.
 */
export async function readMonthFigures(deps: MonthsDeps, month: string) {
  const { database, clock, methods } = deps
  const { live } = methods
  const { from, to, days } = readMonth(deps, month)
  await countNow(deps)
  const now = clock.now()
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const lapsed = { from, to: Math.max(from, Math.min(to, now)) }
  const [paid, refunded, uncounted, endings, owed] = await Promise.all([
    paidByDay(database, { first, last, live }),
    refundedByDay(database, { from, to, live, days }),
    uncountedReceipts(database),
    countEndings(database, lapsed, { from: now, to: now + ENDING_DAYS * DAY }),
    readOwed(deps, { from, to, days }),
  ])
  const both = { paid, refunded }
  const firsts = paid.reduce((sum, { first }) => sum + first, 0)
  const all = { paid: sum(paid), refunded: sum(refunded) }
  return {
    ...{ month, from, to, live, uncounted, owed },
    ...all,
    byDay: days.map(({ day, from: start }) => ({
      day,
      from: start,
      ...pick(both, (one) => one.day === day),
    })),
    byMethod: methodsIn(both).map(({ method, instrument }) => ({
      ...{ method, instrument },
      ...pick(both, (one) => one.method === method && one.instrument === instrument),
    })),
    users: { new: firsts, renewed: all.paid.count - firsts, ...endings },
  }
}

interface Both {
  readonly paid: readonly DaySums[]
  readonly refunded: readonly DaySums[]
}

const sum = (of: readonly Figures[]) => of.reduce(addFigures, NO_FIGURES)
const pick = ({ paid, refunded }: Both, is: (one: DaySums) => boolean) => ({
  paid: sum(paid.filter(is)),
  refunded: sum(refunded.filter(is)),
})

/** What brought most comes first. */
function methodsIn(both: Both) {
  const rows = [...both.paid, ...both.refunded]
  const names = new Map(rows.map((row) => [`${row.method} ${row.instrument}`, row]))
  const taken = ({ method, instrument }: DaySums) =>
    pick(both, (one) => one.method === method && one.instrument === instrument).paid.ttc
  return [...names.values()].sort((one, other) => taken(other) - taken(one))
}
