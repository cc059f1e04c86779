// Twelve months of the shop side by side: money by method, and users by the month in which they began.
import { Type } from 'typebox'
import type { Instant } from '../core/instant.js'
import { PUBLIC_METHODS, publicMethodOf } from '../core/payment.js'
import { object } from '../http/schemas.js'
import { dinars, sumFigures } from './figures.js'
import { isSale, type Sums, sumsOf } from './figures.sql.js'
import { type MonthsDeps, moneyOf, monthBefore, spanOf } from './months.js'
import { paidOutByMonth } from './paid-out.sql.js'
import { type MonthlyUsers, usersByMonth } from './users-by-month.sql.js'

const count = (description: string) => Type.Integer({ description })

const YearMonthSchema = object('YearMonth', {
  month: Type.String({ examples: ['2026-11'] }),
  paid: dinars('tax and duty included'),
  refunded: dinars('refunds that were recorded in the month'),
  by_method: Type.Array(
    Type.Object({ method: Type.String({ examples: ['card', 'transfer', 'cash'] }), paid: dinars('of it') }),
  ),
  paid_out_by_provider: dinars('payouts on bank statements, by their day'),
  users: Type.Object({
    at_end: count('With paid time when the month ends, as is known now'),
    new: count('Of them, those for whom it is the first month'),
    renewed: count('Of them, those who had paid time when the month before ended'),
    came_back: count('Of them, those who had none then, and earlier had some'),
    lapsed: count('Who had paid time when the month before ended, and none when this one does'),
  }),
  later: Type.Array(Type.Integer(), {
    description:
      'How many of the new users have paid time at the end of this month and of each month after it',
  }),
})

export const YearSchema = object('Year', {
  live: Type.Boolean({ description: 'False: play money, where the shop takes no other' }),
  currency: Type.Literal('DZD'),
  months: Type.Array(YearMonthSchema, { description: 'Those that have begun, twelve at most' }),
})

export type YearFigures = Awaited<ReturnType<typeof readYear>>
export type YearMonth = YearFigures['months'][number]

const MONTHS = 12

/** In centimes. `until`: `2026`, or the last of the twelve months. Throws `not_found`. */
export async function readYear(deps: MonthsDeps, until: string) {
  const { database, clock, methods, wallClock } = deps
  const { live } = methods
  const all = monthsUntil(deps, /^\d{4}$/.test(until) ? `${until}-12` : until)
  const begun = all.filter(({ from }) => from <= clock.now())
  const [first, last] = [begun[0], begun.at(-1)]
  if (!first || !last) return { until, live, months: [], money: null }
  const inclusive = { first: wallClock.dayAt(first.from), last: wallClock.dayAt(last.to - 1) }
  const { timeZone } = wallClock
  const span = { live, from: first.from, to: last.to, until: null, since: null }
  const [known, users, payouts] = await Promise.all([
    sumsOf(database, span, wallClock),
    usersByMonth(database, { first: monthBefore(deps, first.month), last: last.month, live, timeZone }),
    paidOutByMonth(database, inclusive),
  ])
  const sums = known.filter(isSale)
  return {
    ...{ until, live },
    money: moneyOf(known, {
      count: payouts.reduce((sum, one) => sum + one.count, 0),
      amount: payouts.reduce((sum, one) => sum + one.amount, 0),
    }),
    months: begun.map((of) => ({
      ...monthOf({ sums, users, payouts }, of),
      later: cohortOf(users, of.month, begun),
    })),
  }
}

interface Month {
  readonly month: string
  readonly from: Instant
  readonly to: Instant
}

function monthsUntil(deps: MonthsDeps, last: string): readonly Month[] {
  const months: Month[] = []
  for (let month = last; months.length < MONTHS; month = monthBefore(deps, month))
    months.unshift({ month, ...spanOf(deps, month) })
  return months
}

interface Known {
  readonly sums: readonly Sums[]
  readonly users: readonly MonthlyUsers[]
  readonly payouts: Awaited<ReturnType<typeof paidOutByMonth>>
}

function monthOf({ sums, users, payouts }: Known, { month, from, to }: Month) {
  const ofMonth = sums.filter(({ part, day }) => part === 'sale' && day.startsWith(month))
  const refunded = sums.filter(({ part, day }) => part === 'refund' && day.startsWith(month))
  const here = users.filter((one) => one.month === month)
  const began = here.filter((one) => one.began === month)
  const [atEnd, fresh, back] = [sum(here, 'users'), sum(began, 'users'), sum(here, 'cameBack')]
  const kinds = PUBLIC_METHODS.filter((kind) => sums.some(({ method }) => publicMethodOf(method) === kind))
  return {
    ...{ month, from, to, paid: sumFigures(ofMonth).total, refunded: sumFigures(refunded).ttc },
    by_method: kinds.map((kind) => ({
      method: kind,
      paid: sumFigures(ofMonth.filter(({ method }) => publicMethodOf(method) === kind)).total,
    })),
    users: {
      ...{ at_end: atEnd, new: fresh, came_back: back, lapsed: sum(here, 'lapsed') },
      renewed: atEnd - fresh - back,
    },
    paid_out_by_provider: payouts.find((one) => one.month === month)?.amount ?? 0,
  }
}

/** How many users who began in the month had paid time at its end, one month later, and so on. */
function cohortOf(users: readonly MonthlyUsers[], month: string, begun: readonly Month[]) {
  const later = begun.filter((one) => one.month >= month)
  const had = (at: string) => users.find((one) => one.began === month && one.month === at)?.users ?? 0
  return later.map((one) => had(one.month))
}

const sum = (of: readonly MonthlyUsers[], name: 'users' | 'cameBack' | 'lapsed') =>
  of.reduce((total, one) => total + one[name], 0)
