// The page of a month: its money by method, rate and day, its closing, its files, and its users.

import { ActButton } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { ConsoleKey } from '../i18n/console.js'
import { instrumentName } from '../i18n/messages.js'
import { addressOf, consolePage, Facts, Folded, Hint, Notices, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { BarChart } from './bar-chart.js'
import { closeMonth, reopenMonth } from './closing.js'
import { type BooksPages, EXPORT } from './exports.js'
import type { Totals } from './month-schemas.js'
import { type MonthFigures, monthBefore } from './months.js'
import { Story } from './story.js'
import { sums } from './sum-columns.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: MonthFigures
}

/** `isRefused`: the act that the operator just confirmed was not done. */
export function monthPage(pages: BooksPages, view: View, figures: MonthFigures, isRefused = false): string {
  const { say } = view
  const title = view.month(figures.from)
  const shown = { pages, view, figures }
  const isEmpty = figures.paid.count === 0 && figures.refunded.count === 0
  return consolePage(
    { pages, view, title, section: 'month' },
    <>
      <Neighbors {...shown} />
      <Notices of={[isRefused ? say('notClosed') : null]} warn />
      <Notices of={noticesOf(shown)} />
      {isEmpty ? null : <Story view={view} of={figures} />}
      <Declared {...shown} />
      <Received {...shown} />
      <AfterClosing {...shown} />
      <OwedToUsers view={view} owed={figures.owed_to_users} />
      {isEmpty ? <p safe>{say('noneInMonth')}</p> : null}
      <Files {...shown} />
      <Users {...shown} />
      {isEmpty ? null : <Parts {...shown} />}
    </>,
  )
}

/** Links to the month before and, if it has begun, to the month after; and the act that can be done. */
function Neighbors({ pages, view, figures }: Shown) {
  const { clock, wallClock, base } = pages
  const { say } = view
  const pathOf = (instant: number) => addressOf(base, 'months', wallClock.monthAt(instant))
  const { month, from, to, closed, last } = figures
  const isOver = to <= clock.now()
  const isNext = isOver && !closed && (last === null || last === monthBefore(pages, month))
  return (
    <p class="actions">
      {/* The first month of all has none before it. */}
      {wallClock.monthOf(wallClock.monthAt(from - 1)) === null ? null : (
        <LinkButton href={pathOf(from - 1)} label={say('earlierMonth', { month: view.month(from - 1) })} />
      )}
      {isOver ? <LinkButton href={pathOf(to)} label={say('laterMonth', { month: view.month(to) })} /> : null}
      {isNext ? <ActButton {...{ pages, view }} act={closeMonth} id={month} /> : null}
      {closed && last === month ? <ActButton {...{ pages, view }} act={reopenMonth} id={month} /> : null}
    </p>
  )
}

function noticesOf({ view, figures }: Shown): readonly (string | null)[] {
  const { say, number: count } = view
  const { live, paid, owed_to_users: owed, closed } = figures
  return [
    closed && say('closedOn', { day: view.moment(closed.at), name: closed.by }),
    live ? null : say('playMoney'),
    paid.fees_unknown === 0 ? null : say('feesUnknown', { count: count(paid.fees_unknown) }),
    owed && owed.unbooked > 0 ? say('unbooked', { count: count(owed.unbooked) }) : null,
  ]
}

/** The declared totals of a closed month. If its documents now add up to others, these stand beside them. */
function Declared({ pages, view, figures }: Shown) {
  const { say } = view
  const { closed } = figures
  if (!closed) return null
  const { differs, declared, now } = closed
  const shown = (name: keyof Totals, of: Totals) =>
    name === 'sold' ? view.number(of[name]) : view.centimes(of[name])
  const columns: readonly Column<(typeof TOTALS)[number]>[] = [
    { head: 'what', text: ([, label]) => say(label), isName: true },
    { head: 'declared', figure: ([name]) => shown(name, declared) },
    { head: 'declaredNow', figure: ([name]) => shown(name, now) },
  ]
  return (
    <Card id="declared" title={say('declaredTitle')}>
      <Notices of={[differs.length === 0 ? null : say('declaredDiffers')]} warn />
      <Table
        {...{ pages, view }}
        rows={TOTALS}
        columns={differs.length > 0 ? columns : columns.slice(0, 2)}
      />
    </Card>
  )
}

const TOTALS = [
  ...[['sold', 'paidPayments'] as const, ['ht', 'priceHt'] as const, ['tva', 'taxTva'] as const],
  ...[['ttc', 'priceTtc'] as const, ['stamp_duty', 'stampDutySum'] as const],
  ...[['refunded_ttc', 'refundedSum'] as const, ['refunded_tva', 'refundedTva'] as const],
  ...[['late_ttc', 'afterClosing'] as const, ['received', 'receivedTitle'] as const],
  ['owed', 'owedAfter'] as const,
]

/** Money received, by method. */
function Received({ pages, view, figures: { received } }: Shown) {
  const { say, centimes: money } = view
  const { stamp_duty, by_method } = received
  if (by_method.length === 0) return null
  return (
    <Card id="received" title={say('receivedTitle')}>
      <Hint>{say('receivedText')}</Hint>
      <Table
        {...{ pages, view }}
        rows={by_method}
        columns={[
          { head: 'method', text: (of) => methodName(view, of), isName: true },
          { head: 'paidPayments', figure: ({ count }) => view.number(count) },
          { head: 'amount', figure: ({ amount }) => money(amount) },
          { head: 'feesSum', figure: ({ fees }) => money(fees) },
        ]}
      />
      {stamp_duty === 0 ? null : <Hint>{say('receivedDuty', { sum: money(stamp_duty) })}</Hint>}
    </Card>
  )
}

type Month = NonNullable<MonthFigures['after_closing']>['months'][number]

/** Late payments of closed months; nothing if there is none. */
function AfterClosing({ pages, view, figures: { after_closing: late } }: Shown) {
  const { say } = view
  if (!late || (late.months.length === 0 && late.balances === 0)) return null
  const { months, balances } = late
  return (
    <Card id="after-closing" title={say('afterClosing')}>
      <p safe>{say('afterClosingText')}</p>
      {months.length === 0 ? null : (
        <Table
          {...{ pages, view }}
          rows={months}
          columns={[
            {
              head: 'month',
              link: ({ month }) => ({
                href: addressOf(pages.base, 'months', month),
                text: view.month(pages.wallClock.monthOf(month)?.from ?? 0),
              }),
              isName: true,
            },
            { head: 'paidPayments', figure: ({ paid }) => view.number(paid.count) },
            ...sums<Month>(({ paid }) => paid, 'priceHt', 'taxTva', 'priceTtc'),
            ...sums<Month>(({ paid }) => paid, 'stampDutySum', 'total', 'feesSum'),
          ]}
        />
      )}
      {balances === 0 ? null : <p safe>{say('afterClosingBalances', { sum: view.money(balances) })}</p>}
    </Card>
  )
}

/** What is on the balances of users, and what changed it; nothing if no user has a balance. */
export function OwedToUsers({ view, owed, topUps }: { view: View; owed: Owed; topUps?: string }) {
  if (!owed) return null
  const { say, money } = view
  const some = (sum: number) => (sum === 0 ? null : money(sum))
  const { came_in: came } = owed
  const paidIn = some(came.top_ups)
  return (
    <Card id="owed" title={say('owedTitle')}>
      <Facts
        facts={[
          [say('owedBefore'), money(owed.owed_before)],
          [say('owedTopUps'), paidIn && topUps ? { href: topUps, text: paidIn } : paidIn],
          [say('owedSurplus'), some(came.surplus)],
          [say('owedReturned'), some(came.returned)],
          [say('owedGiven'), some(came.corrected)],
          [say('owedEarned'), some(-owed.earned)],
          [say('owedTaken'), some(-owed.corrected)],
          [say('owedPaidOut'), some(-owed.paid_out)],
          [say('owedAfter'), money(owed.owed)],
        ]}
      />
    </Card>
  )
}

type Owed = MonthFigures['owed_to_users']

/** Shows what was paid on each day above what was refunded. */
function MonthChart({ view, figures: { from, by_day, ...totals } }: Shown) {
  const { say, centimes: money } = view
  const best = by_day.reduce((one, other) => (other.paid.total > one.paid.total ? other : one))
  const sumsOf = ({ paid, refunded }: SumsOf) => ({ paid: money(paid.total), refunded: money(refunded.ttc) })
  return (
    <BarChart
      view={view}
      title={say('chartTitle', { month: view.month(from) })}
      text={say('chartText', { ...sumsOf(totals), day: view.day(best.from), best: money(best.paid.total) })}
      bars={by_day.map((day, n) => ({
        title: say('dayBar', { day: view.day(day.from), ...sumsOf(day) }),
        up: [day.paid.total],
        down: day.refunded.ttc,
        tick: n === 0 || (n + 1) % 5 === 0 ? String(n + 1) : '',
      }))}
      parts={[
        ['part-0', say('chartPaid')],
        ['back', say('chartRefunded')],
      ]}
    />
  )
}

/** Shows the sums of the month by method, by rate and by day. */
function Parts(shown: Shown) {
  const { view, figures } = shown
  const { say } = view
  const { by_method, by_rate, by_day } = figures
  const rateName = (rate: number | null) => (rate === null ? say('noTax') : `${rate} %`)
  const days = by_day.filter(({ paid, refunded }) => paid.count + refunded.count > 0)
  return (
    <>
      <Card id="by-method" title={say('byMethod')}>
        <Sums {...shown} first="method" rows={by_method} nameOf={(of) => methodName(view, of)} />
      </Card>
      <Card id="by-rate" title={say('byRate')}>
        <Sums {...shown} first="rate" rows={by_rate} nameOf={(of) => rateName(of.tva_percent)} />
      </Card>
      <Folded id="by-day" title={say('byDay')} isOpen={false}>
        <MonthChart {...shown} />
        <Sums {...shown} first="day" rows={days} nameOf={({ from }) => view.day(from)} isShort />
      </Folded>
    </>
  )
}

const methodName = (
  { locale }: View,
  of: { readonly method: string; readonly payment_method: string | null },
) => instrumentName(of.payment_method ?? of.method, locale)

type SumsOf = Pick<MonthFigures, 'paid' | 'refunded'>

function Sums<Row extends SumsOf>(
  of: Omit<Shown, 'figures'> & {
    first: ConsoleKey
    rows: readonly Row[]
    nameOf: (row: Row) => string
    /** True: a phone shows only the name and the net. */
    isShort?: boolean
  },
) {
  const { pages, view, first, rows, nameOf, isShort } = of
  const { centimes: money } = view
  const between: readonly Column<Row>[] = [
    { head: 'paidPayments', figure: ({ paid }) => view.number(paid.count) },
    ...sums<Row>(({ paid }) => paid, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum'),
    { head: 'refundedSum', figure: ({ refunded }) => money(refunded.ttc) },
    ...sums<Row>(({ paid }) => paid, 'feesSum'),
  ]
  return (
    <Table<Row>
      {...{ pages, view, rows }}
      columns={[
        { head: first, text: nameOf, isName: true },
        ...between.map((column) => ({ ...column, ...(isShort && { isOnWide: true as const }) })),
        { head: 'net', figure: ({ paid, refunded }) => money(paid.net - refunded.net) },
      ]}
    />
  )
}

function Users({ pages, view, figures }: Shown) {
  const { say, number: count } = view
  const { users } = figures
  return (
    <Card id="users" title={say('monthUsers')}>
      <Facts
        facts={[
          [say('firstPurchases'), count(users.new)],
          [say('furtherPurchases'), count(users.renewed)],
          [say('usersLapsed'), count(users.lapsed)],
          // The seven days begin now, so a month that is over does not show them.
          [say('usersEnding'), figures.to > pages.clock.now() ? count(users.ends_in_7_days) : null],
        ]}
      />
    </Card>
  )
}

function Files({ pages, view, figures }: Shown) {
  const { say, session } = view
  const path = addressOf(pages.base, 'months', figures.month)
  const may = mayDo(session.operator, EXPORT)
  return (
    <Card id="files" title={say('monthFiles')}>
      <p class="actions">
        <LinkButton href={`${path}/sales`} label={say('sales')} />
        {may ? <LinkButton href={`${path}/declaration`} label={say('declaration')} /> : null}
        {may ? <LinkButton href={`${path}/accounts?format=excel`} label={say('csvExcel')} /> : null}
        {may ? <LinkButton href={`${path}/accounts`} label={say('csvPlain')} /> : null}
      </p>
    </Card>
  )
}
