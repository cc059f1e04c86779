// The figures of a month: payments, refunds and fees by method, rate and day, and the users whose time began
// and ended. Months are those of the billing time zone.
import { BillingError } from '../core/error.js'
import { DAY } from '../core/instant.js'
import { publicMethodOf } from '../core/payment.js'
import type { Database, Queryable } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { type Closing, closingsOf, lastClosed } from './closed.sql.js'
import { lessRefunds, sumFigures } from './figures.js'
import { type ClosedSpan, countEndings, isSale, rateOf, type Sums, sumsOf } from './figures.sql.js'
import { DeclaredSchema, type Totals } from './month-schemas.js'
import { readOwed } from './owed.js'
import { paidOutByMonth } from './paid-out.sql.js'

export interface MonthsDeps extends Pick<CommonParts, 'clock' | 'wallClock' | 'methods'> {
  readonly database: Database
}

const ENDING_DAYS = 7

const TOTALS = Object.keys(DeclaredSchema.properties) as (keyof Totals)[]

/** Throws `not_found`: there is no such month. */
export function spanOf({ wallClock }: Pick<MonthsDeps, 'wallClock'>, month: string) {
  const span = wallClock.monthOf(month)
  if (!span) throw new BillingError('not_found')
  return span
}

export type MonthFigures = Awaited<ReturnType<typeof readMonthFigures>>

/**
 * In centimes, with the names of the API. A shop in test mode has the figures of its test payments. A closed
 * month has those of the documents that it was closed with. Throws `not_found`.
 */
export async function readMonthFigures(deps: MonthsDeps, month: string) {
  const [{ own, before }, last] = await Promise.all([closingsAround(deps, month), lastClosed(deps.database)])
  const figures = await figuresOf(deps, month, { own, before })
  const now = totalsOf(figures)
  const closed = own && { ...own, now, differs: TOTALS.filter((name) => own.declared[name] !== now[name]) }
  return { ...figures, last, closed }
}

/** The totals that closing the month declares. */
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

/** Which documents are in the month. Throws `not_found`. */
export async function closedSpan(deps: MonthsDeps, month: string): Promise<ClosedSpan> {
  return spanBy(deps, month, await closingsAround(deps, month))
}

type Closings = Readonly<Record<'own' | 'before', Closing | null>>

function spanBy(
  deps: Pick<MonthsDeps, 'wallClock' | 'methods'>,
  month: string,
  { own, before }: Closings,
): ClosedSpan {
  const counted = { until: own?.counted ?? null, since: before?.counted ?? null }
  return { ...spanOf(deps, month), live: deps.methods.live, ...counted }
}

/** The closings of the month and of the month before it. Null: the month is open. */
async function closingsAround(
  deps: Pick<MonthsDeps, 'database' | 'wallClock'>,
  month: string,
): Promise<Closings> {
  const previous = monthBefore(deps, month)
  const found = await closingsOf(deps.database, [month, previous])
  const of = (name: string) => found.find((closing) => closing.month === name) ?? null
  return { own: of(month), before: of(previous) }
}

export function monthBefore(deps: Pick<MonthsDeps, 'wallClock'>, month: string): string {
  return deps.wallClock.monthAt(spanOf(deps, month).from - 1)
}

export async function figuresOf(
  deps: Omit<MonthsDeps, 'database'> & { readonly database: Queryable },
  month: string,
  closings: Closings,
) {
  const { database, clock, wallClock } = deps
  const span = spanBy(deps, month, closings)
  const { from, to, live } = span
  const { before } = closings
  const days = daysOf(deps, month)
  const now = clock.now()
  const lapsed = { from, to: Math.max(from, Math.min(to, now)) }
  const { timeZone } = wallClock
  const [all, endings, owed, [payouts = NO_PAYOUTS]] = await Promise.all([
    sumsOf(database, span, { timeZone, withFirsts: true }),
    countEndings(database, lapsed, { from: now, to: now + ENDING_DAYS * DAY }),
    readOwed(deps, span),
    paidOutByMonth(database, { first: days[0]?.day ?? '', last: days.at(-1)?.day ?? '' }),
  ])
  const sold = all.filter(isSale)
  const late = sold.filter(({ part }) => part === 'late')
  const ofMonth = sold.filter(isInTime)
  const firsts = ofMonth.reduce((sum, { first }) => sum + first, 0)
  const money = moneyOf(all, payouts)
  return {
    ...{ month, from, to, live, ...money, sums: all, span },
    after_closing: before && {
      months: byMonth(late),
      balances: (owed?.owed_before ?? 0) - before.declared.owed / 100,
    },
    owed_to_users: owed,
    by_day: days.map((of) => ({ ...of, ...bothOf(ofMonth.filter(({ day }) => day === of.day)) })),
    // The method with the largest sum comes first.
    by_method: namesIn(ofMonth)
      .map((of) => ({ ...of, ...bothOf(ofMonth.filter((one) => isSameMethod(one, of))) }))
      .sort((one, other) => other.paid.ttc - one.paid.ttc),
    // The highest comes first; null: without tax.
    by_rate: [...new Set(ofMonth.map(({ tax }) => rateOf(tax)))]
      .sort((one, other) => (other ?? -1) - (one ?? -1))
      .map((rate) => ({ tva_percent: rate, ...bothOf(ofMonth.filter(({ tax }) => rateOf(tax) === rate)) })),
    users: { new: firsts, renewed: money.paid.count - firsts, ...endings },
  }
}

/** Each day of the month as `YYYY-MM-DD`, and when it begins. */
function daysOf({ wallClock }: Pick<MonthsDeps, 'wallClock'>, month: string) {
  return Array.from({ length: 31 }, (_, n) => `${month}-${String(n + 1).padStart(2, '0')}`).flatMap((day) => {
    const span = wallClock.dayOf(day)
    return span ? [{ day, from: span.from }] : []
  })
}

const isInTime = ({ part }: Sums) => part !== 'late'

/** Money received, sales and refunds, and what the card provider paid out. */
export function moneyOf(all: readonly Sums[], { count, amount }: typeof NO_PAYOUTS) {
  const received = receivedOf(all)
  const both = bothOf(all.filter((one) => isSale(one) && isInTime(one)))
  // Money received by card, less the provider's fees.
  const came = received.by_method.filter(isCard).reduce((sum, { amount, fees }) => sum + amount - fees, 0)
  return {
    ...{ received, ...both },
    balance: lessRefunds(both.paid, both.refunded),
    paid_out_by_provider: { count, amount, came, difference: amount - came },
  }
}

const bothOf = (sums: readonly Sums[]) => ({
  paid: sumFigures(sums.filter(({ part }) => part === 'sale')),
  refunded: sumFigures(sums.filter(({ part }) => part === 'refund')),
})

function byMonth(late: readonly Sums[]) {
  const months = [...new Set(late.map(({ day }) => day.slice(0, 7)))]
  return months.map((month) => ({
    month,
    paid: sumFigures(late.filter(({ day }) => day.startsWith(month))),
  }))
}

const NO_PAYOUTS = { count: 0, amount: 0 }

const isByBalance = ({ method }: Sums) => publicMethodOf(method) === 'balance'

/**
 * Money received from outside, by method, before fees and refunds. Sales are `total` less `advances` (what
 * went to balances, with its duty) plus `used` (what balances bought). `stamp_duty` includes the duty on
 * top-ups, because it is declared too.
 */
function receivedOf(all: readonly Sums[]) {
  const known = all.filter(({ part }) => part === 'sale')
  const came = known.filter((one) => !isByBalance(one))
  const sumUp = (of: readonly Sums[]) => {
    const { count, fees, total, advance } = sumFigures(of)
    return { count, amount: total + advance, fees }
  }
  const { advance, stamp_duty } = sumFigures(came)
  return {
    total: sumUp(came).amount,
    advances: advance + sumFigures(came.filter((one) => !isSale(one))).total,
    stamp_duty,
    used: sumUp(known.filter(isByBalance)).amount,
    by_method: namesIn(came)
      .map((of) => ({ ...of, ...sumUp(came.filter((one) => isSameMethod(one, of))) }))
      .sort((one, other) => other.amount - one.amount),
  }
}

const isCard = ({ method }: Method) => publicMethodOf(method) === 'card'

type Method = Pick<Sums, 'method' | 'payment_method'>

const isSameMethod = (one: Method, other: Method) =>
  one.method === other.method && one.payment_method === other.payment_method

function namesIn(rows: readonly Method[]): readonly Method[] {
  const methods = rows.map(({ method, payment_method }) => ({ method, payment_method }))
  return [...new Map(methods.map((of) => [`${of.method} ${of.payment_method}`, of])).values()]
}
