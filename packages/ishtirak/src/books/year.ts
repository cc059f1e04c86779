// Twelve months of the shop side by side: money by method, and users by the month in which they began.
import { Type } from 'typebox'
import { reading } from '../acts/reading.js'
import type { Instant } from '../core/instant.js'
import { PUBLIC_METHODS, publicMethodOf } from '../core/payment.js'
import { object, viewAs } from '../http/schemas.js'
import { dinars, sumUp, whole } from './figures.js'
import { isSale, payoutsByMonth, type Sums, sumsOf } from './figures.sql.js'
import { YearParamsSchema } from './month-schemas.js'
import { type MonthsDeps, moneyOf, monthBefore, paidAndRefunded, spanOf } from './months.js'
import { type MonthlyUsers, usersByMonth } from './users-by-month.sql.js'

const YearMonthSchema = object('YearMonth', {
  month: Type.String({ examples: ['2026-11'] }),
  paid: dinars('tax and duty included'),
  refunded: dinars('refunds that were recorded in the month'),
  by_method: Type.Array(
    Type.Object({
      method: Type.String({ examples: ['card', 'transfer', 'cash'] }),
      paid: dinars('by this method'),
    }),
  ),
  paid_out_by_provider: dinars('payouts on bank statements, by their day'),
  users: Type.Object({
    at_end: whole('Users with paid time at the end of the month, as known now'),
    new: whole('Users whose first month with paid time this is'),
    renewed: whole('Users who had paid time at the end of the month before'),
    came_back: whole('Users who had none at the end of the month before, and had some earlier'),
    lapsed: whole('Users who had paid time at the end of the month before, and none at the end of this one'),
  }),
  later: Type.Array(Type.Integer(), {
    description:
      'How many of the new users have paid time at the end of this month and of each month after it',
  }),
})

const YearSchema = object('Year', {
  live: Type.Boolean({ description: 'False: the shop is in test mode, and no money moved' }),
  currency: Type.Literal('DZD'),
  months: Type.Array(YearMonthSchema, { description: 'The months that have begun, twelve at most' }),
})

export const getYear = reading<MonthsDeps>()({
  path: '/years/:until',
  operationId: 'getYear',
  summary:
    'Twelve months side by side: money by method, users with paid time, and how many of the users who ' +
    'began in each month still have paid time later',
  params: YearParamsSchema,
  answer: YearSchema,
  command: {
    usage: 'year <until>',
    columns: {
      months: [
        ...['month', 'paid', 'refunded', 'paid_out_by_provider'],
        ...['users.at_end', 'users.new', 'users.renewed', 'users.came_back', 'users.lapsed'],
      ],
    },
  },
  read: async (deps, { params }) => viewAs(YearSchema, await readYear(deps, params.until)),
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
  if (!first || !last) return { live, months: [], money: null }
  const { timeZone } = wallClock
  const span = { live, from: first.from, to: last.to, until: null, since: null }
  const [sums, users, payouts] = await Promise.all([
    sumsOf(database, span, wallClock.timeZone),
    usersByMonth(database, { first: monthBefore(deps, first.month), last: last.month, live, timeZone }),
    payoutsByMonth(deps, span),
  ])
  const sales = sums.filter(isSale)
  const methodOf = ({ method }: Sums) => publicMethodOf(method)
  const kinds = PUBLIC_METHODS.filter((kind) => sales.some((one) => methodOf(one) === kind))
  const months = begun.map((of, index) => {
    const ofMonth = sales.filter(({ day }) => day.startsWith(of.month))
    const { paid, refunded } = paidAndRefunded(ofMonth)
    return {
      ...{ ...of, paid: paid.total, refunded: refunded.ttc },
      by_method: kinds.map((method) => {
        const byMethod = paidAndRefunded(ofMonth.filter((one) => methodOf(one) === method))
        return { method, paid: byMethod.paid.total }
      }),
      paid_out_by_provider: payouts.find(({ month }) => month === of.month)?.amount ?? 0,
      users: usersIn(users, of.month),
      later: begun.slice(index).map(({ month }) => {
        const had = users.find((one) => one.began === of.month && one.month === month)
        return had?.users ?? 0
      }),
    }
  })
  return { live, money: moneyOf(sums, payouts), months }
}

function monthsUntil(deps: MonthsDeps, last: string) {
  const months: { month: string; from: Instant; to: Instant }[] = []
  for (let month = last; months.length < MONTHS; month = monthBefore(deps, month))
    months.unshift({ month, ...spanOf(deps, month) })
  return months
}

function usersIn(all: readonly MonthlyUsers[], month: string) {
  const here = all.filter((one) => one.month === month)
  const at_end = sumUp(here.map(({ users }) => users))
  const began = here.find((one) => one.began === month)?.users ?? 0
  const came_back = sumUp(here.map(({ cameBack }) => cameBack))
  const lapsed = sumUp(here.map((one) => one.lapsed))
  return { at_end, new: began, renewed: at_end - began - came_back, came_back, lapsed }
}
