// Twelve months of the shop side by side: money by method, and users by the month in which they began.
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { kindOf, PAYMENT_KINDS } from '../core/payment.js'
import { sumFigures } from './figures.js'
import { isSale, type Sums, sumsOf } from './figures.sql.js'
import { type MonthsDeps, monthBefore } from './months.js'
import { paidOutByMonth } from './paid-out.sql.js'
import { type MonthlyUsers, usersByMonth } from './users-by-month.sql.js'

export type YearFigures = Awaited<ReturnType<typeof readYear>>
export type YearMonth = YearFigures['months'][number]

const MONTHS = 12

/** `until`: `2026`, or the last of the twelve months. Throws `validation_failed`. */
export async function readYear(deps: MonthsDeps, until: string) {
  const { database, clock, methods, wallClock } = deps
  const { live } = methods
  const all = monthsUntil(deps, /^\d{4}$/.test(until) ? `${until}-12` : until)
  const begun = all.filter(({ from }) => from <= clock.now())
  const [first, last] = [begun[0], begun.at(-1)]
  if (!first || !last) return { until, live, months: [], cohorts: [] }
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
    months: begun.map((of) => monthOf({ sums, users, payouts }, of)),
    cohorts: begun.map(({ month }) => cohortOf(users, month, begun)),
  }
}

interface Month {
  readonly month: string
  readonly from: Instant
  readonly to: Instant
}

function monthsUntil(deps: MonthsDeps, last: string): readonly Month[] {
  const months: Month[] = []
  for (let month = last; months.length < MONTHS; month = monthBefore(deps, month)) {
    const span = deps.wallClock.monthOf(month)
    if (!span) throw new BillingError('validation_failed', { problems: [PROBLEM] })
    months.unshift({ month, ...span })
  }
  return months
}
const PROBLEM = { pointer: '/path/until', code: 'wrong_format' } as const

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
  return {
    ...{ month, from, to },
    paid: sumFigures(ofMonth),
    refunded: sumFigures(refunded),
    byKind: PAYMENT_KINDS.filter((kind) => sums.some(({ method }) => kindOf(method) === kind)).map(
      (kind) => ({
        kind,
        paid: sumFigures(ofMonth.filter(({ method }) => kindOf(method) === kind)),
      }),
    ),
    users: {
      ...{ atEnd, new: fresh, cameBack: back, lapsed: sum(here, 'lapsed') },
      renewed: atEnd - fresh - back,
    },
    paidOut: payouts.find((one) => one.month === month)?.amount ?? 0,
  }
}

/** Of those who began in a month, how many had paid time so many months later; from 0 on. */
function cohortOf(users: readonly MonthlyUsers[], month: string, begun: readonly Month[]) {
  const later = begun.filter((one) => one.month >= month)
  const had = (at: string) => users.find((one) => one.began === month && one.month === at)?.users ?? 0
  return { month, users: later.map((one) => had(one.month)) }
}

const sum = (of: readonly MonthlyUsers[], name: 'users' | 'cameBack' | 'lapsed') =>
  of.reduce((total, one) => total + one[name], 0)
