// A month of the shop: what was paid, refunded and kept by the provider, by method and by day, and whose time
// began and ended. A payment is of the month in which it was paid, a refund of the month in which it was
// recorded; the calendar is the shop's.
import { BillingError } from '../core/error.js'
import { DAY, type Instant } from '../core/instant.js'
import { publicMethodOf } from '../core/payment.js'
import type { Database, Queryable } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { type Closing, closingsOf, lastClosed } from './closed.sql.js'
import { type Figures, lessRefunds, sumFigures } from './figures.js'
import { type ClosedSpan, countEndings, isSale, rateOf, type Sums, sumsOf } from './figures.sql.js'
import { DeclaredSchema, type Totals } from './month-schemas.js'
import { readOwed } from './owed.js'
import { paidOutByMonth } from './paid-out.sql.js'

interface MonthDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly from: Instant
}

export interface MonthsDeps extends Pick<CommonParts, 'clock' | 'wallClock' | 'methods'> {
  readonly database: Database
}

const ENDING_DAYS = 7

const TOTALS = Object.keys(DeclaredSchema.properties) as (keyof Totals)[]

/** The span of a month and its days. Throws `validation_failed` when it is not `YYYY-MM`. */
function readMonth(
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

export type MonthFigures = Awaited<ReturnType<typeof readMonthFigures>>

/**
 * As the API names them, in centimes. Of real money, or of play money where the shop takes no other; of a
 * closed month those of the documents that it was closed with. Throws `validation_failed`.
 */
export async function readMonthFigures(deps: MonthsDeps, month: string, pointer?: string) {
  readMonth(deps, month, pointer)
  const [{ own, before }, last] = await Promise.all([closingsAround(deps, month), lastClosed(deps.database)])
  const figures = await figuresOf(deps, month, { own, before })
  const now = totalsOf(figures)
  const closed = own && {
    ...{ ...own, now, differs: TOTALS.filter((name) => own.declared[name] !== now[name]) },
    came_since: await sinceClosing(deps, figures, own),
  }
  return { ...figures, last, closed }
}

/** What is declared of a month when it is closed. */
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

/** What of the month is read. Throws `validation_failed`. */
export async function closedSpan(deps: MonthsDeps, month: string, pointer?: string): Promise<ClosedSpan> {
  const { from, to } = readMonth(deps, month, pointer)
  const { own, before } = await closingsAround(deps, month)
  return { from, to, live: deps.methods.live, until: own?.counted ?? null, since: before?.counted ?? null }
}

/** The closing of the month, and that of the month before it. Null: it is open. */
async function closingsAround(deps: Pick<MonthsDeps, 'database' | 'wallClock'>, month: string) {
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
  { database, methods, wallClock }: MonthsDeps,
  { to }: { readonly to: Instant },
  { month, counted }: Closing,
): Promise<Figures> {
  const span = { live: methods.live, from: to, to, until: null, since: counted }
  const sums = await sumsOf(database, span, wallClock)
  const late = sums.filter(({ part, day }) => part === 'late' && day.startsWith(month))
  return sumFigures(late.filter(isSale))
}

/** Null: the month, or the one before it, is open. */
export async function figuresOf(
  deps: Omit<MonthsDeps, 'database'> & { readonly database: Queryable },
  month: string,
  { own, before }: { readonly own: Closing | null; readonly before: Closing | null },
) {
  const { database, clock, methods, wallClock } = deps
  const { live } = methods
  const { from, to, days } = readMonth(deps, month)
  const now = clock.now()
  const lapsed = { from, to: Math.max(from, Math.min(to, now)) }
  const span = { live, from, to, until: own?.counted ?? null, since: before?.counted ?? null }
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
    // What brought most comes first.
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

const isInTime = ({ part }: Sums) => part !== 'late'

/** What came, what of it was sold and given back, and what the provider of cards paid out of it. */
export function moneyOf(all: readonly Sums[], { count, amount }: typeof NO_PAYOUTS) {
  const received = receivedOf(all)
  const both = bothOf(all.filter((one) => isSale(one) && isInTime(one)))
  // The money by card, less the provider's fees.
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
 * All money that came from outside by method, before fees and refunds. `total` less `advances` (what went to
 * balances, with the duty on it) and with `used` (what balances bought) is what was sold. The duty on a
 * top-up is due as well, so `stamp_duty` is what is declared of the month.
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
