// The figures of a month: payments, refunds and fees by method, rate and day, and the users whose time began
// and ended. Months are those of the billing time zone.
import type { Static } from 'typebox'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { BillingError } from '../core/error.js'
import { DAY } from '../core/instant.js'
import { publicMethodOf } from '../core/payment.js'
import { viewAs } from '../http/schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import { closingsOf, lastClosed } from './closed.sql.js'
import { lessRefunds, sumFigures, sumUp } from './figures.js'
import {
  countEndings,
  countFirstSales,
  isSale,
  type Payouts,
  payoutsByMonth,
  type Readable,
  rateOf,
  type Sums,
  sumsOf,
} from './figures.sql.js'
import { DeclaredSchema, MonthParamsSchema, MonthSchema, type Totals } from './month-schemas.js'
import { readOwed } from './owed.sql.js'

export interface MonthsDeps extends Pick<CommonParts, 'clock' | 'wallClock' | 'methods'> {
  readonly database: Readable
}

const ENDING_DAYS = 7

const TOTALS = Object.keys(DeclaredSchema.properties) as (keyof Totals)[]

/** Throws `not_found`: there is no such month. */
export function spanOf({ wallClock }: MonthsDeps, month: string) {
  const span = wallClock.monthOf(month)
  if (!span) throw new BillingError('not_found')
  return span
}

export function monthBefore(deps: MonthsDeps, month: string): string {
  return deps.wallClock.monthAt(spanOf(deps, month).from - 1)
}

export type MonthFigures = Awaited<ReturnType<typeof readMonthFigures>>

/**
 * In centimes, with the names of the API. A shop in test mode has the figures of its test payments. A closed
 * month has those of the documents that it was closed with. Throws `not_found`.
 */
export async function readMonthFigures(deps: MonthsDeps, month: string) {
  const figures = await figuresOf(deps, month)
  const { own } = figures.span
  const now = totalsOf(figures)
  const closed = own && { ...own, now, differs: TOTALS.filter((name) => own.declared[name] !== now[name]) }
  return { ...figures, closed }
}

export function totalsOf(of: Awaited<ReturnType<typeof figuresOf>>): Totals {
  const { paid, refunded, after_closing, received, owed_to_users } = of
  const late = sumFigures(after_closing?.months.map((one) => one.paid) ?? [])
  return {
    ...{ sold: paid.count, ht: paid.ht, tva: paid.tva, ttc: paid.ttc, stamp_duty: received.stamp_duty },
    ...{ refunded_ht: refunded.ht, refunded_tva: refunded.tva, refunded_ttc: refunded.ttc },
    ...{ late_tva: late.tva, late_ttc: late.ttc },
    ...{ received: received.total, owed: (owed_to_users?.owed ?? 0) * 100 },
  }
}

/** The documents of the month, by its own closing and by that of the month before. Throws `not_found`. */
export async function closedSpan(deps: MonthsDeps, month: string) {
  const span = spanOf(deps, month)
  const previous = monthBefore(deps, month)
  const found = await closingsOf(deps.database, [month, previous])
  const of = (name: string) => found.find((closing) => closing.month === name) ?? null
  const [own, before] = [of(month), of(previous)]
  const counted = { until: own?.counted ?? null, since: before?.counted ?? null }
  return { ...span, live: deps.methods.live, ...counted, own, before }
}

async function figuresOf(deps: MonthsDeps, month: string) {
  const { database, clock, wallClock } = deps
  const span = await closedSpan(deps, month)
  const { from, to, live, before } = span
  const now = clock.now()
  const lapsed = { from, to: Math.max(from, Math.min(to, now)) }
  // Before the sums: a sale that is booked in between must not be new without being a sale.
  const firsts = await countFirstSales(database, span)
  const [last, sums, endings, owed, payouts] = await Promise.all([
    lastClosed(database),
    sumsOf(database, span, wallClock.timeZone),
    countEndings(database, lapsed, { from: now, to: now + ENDING_DAYS * DAY }),
    readOwed(deps, span),
    payoutsByMonth(deps, span),
  ])
  const sold = sums.filter(isSale)
  const ofMonth = sold.filter(({ part }) => part !== 'late')
  const late = sold.filter(({ part }) => part === 'late')
  const days = daysOf(deps, month)
  const money = moneyOf(sums, payouts)
  return {
    ...{ month, from, to, live, last, ...money, sums, span },
    after_closing: before && {
      months: groupsOf(late, monthOf, (group) => ({ paid: sumFigures(group) })),
      balances: (owed?.owed_before ?? 0) - before.declared.owed / 100,
    },
    owed_to_users: owed,
    by_day: days.map((of) => ({ ...of, ...paidAndRefunded(ofMonth.filter(({ day }) => day === of.day)) })),
    by_method: groupsOf(ofMonth, methodOf, paidAndRefunded).sort(
      (one, other) => other.paid.ttc - one.paid.ttc,
    ),
    // The highest rate comes first; null: without tax.
    by_rate: groupsOf(ofMonth, ({ tax }) => ({ tva_percent: rateOf(tax) }), paidAndRefunded).sort(
      (one, other) => (other.tva_percent ?? -1) - (one.tva_percent ?? -1),
    ),
    users: { new: firsts, renewed: money.paid.count - firsts, ...endings },
  }
}

/** Each day of the month as `YYYY-MM-DD`, and when it begins. */
function daysOf({ wallClock }: MonthsDeps, month: string) {
  return Array.from({ length: 31 }, (_, n) => `${month}-${String(n + 1).padStart(2, '0')}`).flatMap((day) => {
    const span = wallClock.dayOf(day)
    return span ? [{ day, from: span.from }] : []
  })
}

export function moneyOf(sums: readonly Sums[], payouts: readonly Payouts[]) {
  const received = receivedOf(sums)
  const { paid, refunded } = paidAndRefunded(sums.filter(isSale))
  const cards = received.by_method.filter(({ method }) => publicMethodOf(method) === 'card')
  const amount = sumUp(payouts.map((one) => one.amount))
  const byCard = sumUp(cards.map((one) => one.amount - one.fees))
  return {
    ...{ received, paid, refunded, balance: lessRefunds(paid, refunded) },
    paid_out_by_provider: {
      ...{ count: sumUp(payouts.map((one) => one.count)), amount, came: byCard },
      difference: amount - byCard,
    },
  }
}

/** Late payments of closed months are in neither. */
export const paidAndRefunded = (sums: readonly Sums[]) => ({
  paid: sumFigures(sums.filter(({ part }) => part === 'sale')),
  refunded: sumFigures(sums.filter(({ part }) => part === 'refund')),
})

/** Groups sums by the members that `of` returns, and adds what `sum` returns for each group. */
export function groupsOf<One extends Sums, Of extends object, Sum extends object>(
  sums: readonly One[],
  of: (one: One) => Of,
  sum: (group: readonly [One, ...One[]]) => Sum,
) {
  const groups = new Map<string, [One, ...One[]]>()
  for (const one of sums) {
    const key = JSON.stringify(of(one))
    const found = groups.get(key)
    if (found) found.push(one)
    else groups.set(key, [one])
  }
  return [...groups.values()].map((group) => ({ ...of(group[0]), ...sum(group) }))
}

const monthOf = ({ day }: Sums) => ({ month: day.slice(0, 7) })
const methodOf = ({ method, payment_method }: Sums) => ({ method, payment_method })

/**
 * Money received from outside, by method, before fees and refunds. Sales are `total` less `advances` (what
 * went to balances, with its duty) plus `used` (what balances bought). `stamp_duty` includes the duty on
 * top-ups, because it is declared too.
 */
function receivedOf(sums: readonly Sums[]) {
  const isByBalance = ({ method }: Sums) => publicMethodOf(method) === 'balance'
  const paid = sums.filter(({ part }) => part === 'sale')
  const fromOutside = paid.filter((one) => !isByBalance(one))
  const amountsOf = (group: readonly Sums[]) => {
    const { count, fees, total, advance } = sumFigures(group)
    return { count, amount: total + advance, fees }
  }
  const { advance, stamp_duty } = sumFigures(fromOutside)
  return {
    total: amountsOf(fromOutside).amount,
    advances: advance + sumFigures(fromOutside.filter((one) => !isSale(one))).total,
    stamp_duty,
    used: amountsOf(paid.filter(isByBalance)).amount,
    by_method: groupsOf(fromOutside, methodOf, amountsOf).sort((one, other) => other.amount - one.amount),
  }
}

/** The columns that a month's tables have in a terminal. */
const SUMS = [
  ...['paid.count', 'paid.ht', 'paid.tva', 'paid.ttc', 'paid.stamp_duty', 'paid.fees', 'paid.net'],
  ...['refunded.count', 'refunded.ttc'],
]

export const getMonth = reading<MonthsDeps>()({
  path: '/months/:month',
  operationId: 'getMonth',
  summary:
    'The payments and refunds of a month by method, rate and day, with tax, duty and fees; and its new, ' +
    'renewed and lapsed users',
  description:
    'A payment belongs to the month in which it was paid, a refund to the month in which it was recorded.',
  params: MonthParamsSchema,
  answer: MonthSchema,
  command: {
    usage: 'months show <month>',
    columns: {
      by_method: ['method', 'payment_method', ...SUMS],
      by_rate: ['tva_percent', ...SUMS],
      by_day: ['day', ...SUMS],
    },
    show: busyDays,
  },
  read: async (deps, { params }) => viewAs(MonthSchema, await readMonthFigures(deps, params.month)),
})

/** Days without a payment or a refund are left out. */
function busyDays({ by_day, ...month }: CommandAnswer): CommandAnswer {
  const days = by_day as Static<typeof MonthSchema>['by_day']
  return { ...month, by_day: days.filter(({ paid, refunded }) => paid.count + refunded.count > 0) }
}
