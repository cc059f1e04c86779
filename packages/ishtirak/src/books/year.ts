// Twelve months of the shop side by side: money by method, and users by the month in which they began; and
// the same as a file.

import { type CsvCell, type CsvForm, csvLine } from '../acts/csv.js'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { PUBLIC_METHODS, publicMethodOf } from '../core/payment.js'
import { viewAs } from '../http/view-as.js'
import { type ConsoleKey, consoleSay, isConsoleKey } from '../i18n/console.js'
import { type BookFile, FORMS } from './exports.js'
import { sumFigures } from './figures.js'
import { isSale, type Sums, sumsOf } from './figures.sql.js'
import { type MonthsDeps, moneyOf, monthBefore } from './months.js'
import { paidOutByMonth } from './paid-out.sql.js'
import { type MonthlyUsers, usersByMonth } from './users-by-month.sql.js'
import { YearSchema } from './year-schemas.js'

export type YearFigures = Awaited<ReturnType<typeof readYear>>
export type YearMonth = YearFigures['months'][number]

const MONTHS = 12

/** In centimes. `until`: `2026`, or the last of the twelve months. Throws `validation_failed`. */
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

/** Of those who began in a month, how many had paid time so many months later; from 0 on. */
function cohortOf(users: readonly MonthlyUsers[], month: string, begun: readonly Month[]) {
  const later = begun.filter((one) => one.month >= month)
  const had = (at: string) => users.find((one) => one.began === month && one.month === at)?.users ?? 0
  return later.map((one) => had(one.month))
}

const sum = (of: readonly MonthlyUsers[], name: 'users' | 'cameBack' | 'lapsed') =>
  of.reduce((total, one) => total + one[name], 0)

export const YEAR: BookFile = {
  name: 'year',
  of: 'until',
  open: async (deps, until, { format }) => yearLines(await readYear(deps, until), FORMS[format]),
}

const HEADS: Readonly<Record<string, ConsoleKey>> = {
  ...{ month: 'month', paid: 'total', refunded: 'refundedSum', paid_out_by_provider: 'paidOutTitle' },
  ...{ users_at_end: 'usersAtEnd', users_new: 'usersNew', users_renewed: 'usersKept' },
  ...{ users_came_back: 'usersBack', users_lapsed: 'usersLapsed' },
}

/** As all files for Excel are. */
function inFrench(name: string): string {
  const french = consoleSay('fr')
  const [, kind, later] = /^(?:paid_(\w+)|later_(\d+))$/.exec(name) ?? []
  const key = HEADS[name] ?? `way_${kind}`
  if (later !== undefined) return french('yearLater', { count: later })
  return isConsoleKey(key) ? french(key) : name
}

/** A line for each month; behind `later_0` those who began in it, month after month. */
async function* yearLines(figures: YearFigures, form: CsvForm): AsyncIterable<string> {
  const { months } = viewAs(YearSchema, figures)
  const lines = months.map(({ by_method, users, later, ...month }) => ({
    ...month,
    ...Object.fromEntries(by_method.map(({ method, paid }) => [`paid_${method}`, paid])),
    ...Object.fromEntries(Object.entries(users).map(([name, value]) => [`users_${name}`, value])),
    ...Object.fromEntries(months.map((_, n) => [`later_${n}`, later[n] ?? null])),
  }))
  const [head = {}] = lines
  const heads = Object.keys(head)
  yield form.mark + csvLine(form === FORMS.excel ? heads.map(inFrench) : heads, form)
  for (const line of lines) yield csvLine(Object.values<CsvCell>(line), form)
}
