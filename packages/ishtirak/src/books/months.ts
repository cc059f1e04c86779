// A month of the shop: what was paid, refunded and kept by the provider, by method and by day, and whose time
// began and ended. A payment is of the month in which it was paid, a refund of the month in which it was
// recorded; the calendar is the shop's.
import { BillingError } from '../core/error.js'
import { DAY, type Instant } from '../core/instant.js'
import { kindOf } from '../core/payment.js'
import type { Database, Queryable } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { type Closing, closingsOf, lastClosed, lateFigures } from './closed.sql.js'
import { addFigures, type Figures, NO_FIGURES, sumNet } from './figures.js'
import {
  countEndings,
  countReceipts,
  type DaySums,
  type MonthDay,
  paidByDay,
  refundedByDay,
  uncountedReceipts,
} from './figures.sql.js'
import { type Owed, readOwed } from './owed.js'
import { paidOutByMonth } from './paid-out.sql.js'

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
 * Of real money, or of play money where the shop takes no other; of a closed month as they were. `uncounted`
 * receipts are not in it yet: 0, but for minutes after a restore or the upgrade from a program that did not
 * count. Throws `validation_failed`.
 */
export async function readMonthFigures(deps: MonthsDeps, month: string) {
  const { database } = deps
  readMonth(deps, month)
  await countNow(deps)
  const [{ own, before }, last, uncounted] = await Promise.all([
    closingsAround(deps, month),
    lastClosed(database),
    uncountedReceipts(database),
  ])
  // Written by this program from a value of this type.
  const figures = own ? (own.figures as Figured) : await figuresNow(deps, month, before)
  // What was closed before it was counted has none.
  const paidOut: Figured['paidOut'] | null = figures.paidOut ?? null
  return { ...figures, paidOut, uncounted, last, closed: own, since: own && (await sinceClosing(deps, own)) }
}

/** The closing of the month, and that of the month before it. Null: it is open. */
export async function closingsAround(deps: Pick<MonthsDeps, 'database' | 'wallClock'>, month: string) {
  const previous = monthBefore(deps, month)
  const found = await closingsOf(deps.database, [month, previous])
  const of = (name: string) => found.find((closing) => closing.month === name) ?? null
  return { own: of(month), before: of(previous) }
}

export function monthBefore(deps: Pick<MonthsDeps, 'wallClock'>, month: string): string {
  return deps.wallClock.monthAt(readMonth(deps, month).from - 1)
}

/** What was sold in the month and came after its closing. */
async function sinceClosing(
  { database, methods }: MonthsDeps,
  { month, counted }: Closing,
): Promise<Figures> {
  const span = { live: methods.live, since: counted, until: null }
  const { months } = await lateFigures(database, span, 0)
  return months.find((one) => one.month === month) ?? NO_FIGURES
}

type Figured = Awaited<ReturnType<typeof figuresNow>>

/** As they are now, with what came after `before`, the closing of the month before. */
export async function figuresNow(
  deps: Omit<MonthsDeps, 'database'> & { readonly database: Queryable },
  month: string,
  before: Closing | null,
) {
  const { database, clock, methods } = deps
  const { live } = methods
  const { from, to, days } = readMonth(deps, month)
  const now = clock.now()
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const lapsed = { from, to: Math.max(from, Math.min(to, now)) }
  const late = before && { live, since: before.counted, until: null }
  const [paid, refunded, endings, owed, [payouts = NO_PAYOUTS], afterClosing] = await Promise.all([
    paidByDay(database, { first, last, live }),
    refundedByDay(database, { from, to, live, days }),
    countEndings(database, lapsed, { from: now, to: now + ENDING_DAYS * DAY }),
    readOwed(deps, { from, to, days }),
    paidOutByMonth(database, { first, last }),
    late && lateFigures(database, late, from),
  ])
  const both = { paid, refunded }
  const firsts = paid.reduce((sum, { first }) => sum + first, 0)
  const all = { paid: sum(paid), refunded: sum(refunded) }
  return {
    ...{ month, from, to, live, owed, afterClosing },
    paidOut: { count: payouts.count, amount: payouts.amount, came: cameByCard(paid, owed) },
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
    byRate: ratesIn(both).map((taxRate) => ({ taxRate, ...pick(both, (one) => one.taxRate === taxRate) })),
    users: { new: firsts, renewed: all.paid.count - firsts, ...endings },
  }
}

const NO_PAYOUTS = { count: 0, amount: 0 }

/** In centimes: what the provider of cards took for the shop, and on balances, without its fees. */
function cameByCard(paid: readonly DaySums[], owed: Owed | null): number {
  const isCard = ({ method }: { readonly method: string }) => kindOf(method) === 'card'
  const balances = (owed?.byMethod ?? []).filter(isCard)
  const onBalances = balances.reduce((total, { amount, fees }) => total + amount * 100 - fees, 0)
  return sumNet(sum(paid.filter(isCard))) + onBalances
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

/** The highest comes first; null: without tax. */
function ratesIn({ paid, refunded }: Both): readonly (number | null)[] {
  const rates = new Set([...paid, ...refunded].map(({ taxRate }) => taxRate))
  return [...rates].sort((one, other) => (other ?? -1) - (one ?? -1))
}
