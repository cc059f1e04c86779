// The page of a month: its money by method, rate and day, its closing, its files, and its users.
import { ActButton } from '../acts/act-links.js'
import { mayDo } from '../core/role.js'
import { type ConsoleKey, instrumentName } from '../i18n/messages.js'
import { addressOf, consolePage, type View } from '../pages/console-frame.js'
import { type Column, Facts, Folded, Hint, Notices, Table } from '../pages/console-parts.js'
import { Card, LinkButton } from '../pages/parts.js'
import { closeMonth, reopenMonth } from './closing.js'
import { type BooksPages, EXPORT, fileAddress } from './exports.js'
import type { Figures } from './figures.js'
import type { Totals } from './month-schemas.js'
import { type MonthFigures, monthBefore } from './months.js'
import { SalesChart } from './sales-chart.js'
import { Story } from './story.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: MonthFigures
}

/** `isRefused`: the act that the operator just confirmed was not done. */
export function monthPage(pages: BooksPages, view: View, figures: MonthFigures, isRefused = false): string {
  const { say, number: count } = view
  const { paid, refunded, users, closed, live, owed_to_users: owed } = figures
  const shown = { pages, view, figures }
  const isEmpty = paid.count === 0 && refunded.count === 0
  const isOver = figures.to <= pages.clock.now()
  const notices = [
    closed && say('closedOn', { day: view.moment(closed.at), name: closed.by }),
    live ? null : say('playMoney'),
    paid.fees_unknown === 0 ? null : say('feesUnknown', { count: count(paid.fees_unknown) }),
    owed && owed.unbooked > 0 ? say('unbooked', { count: count(owed.unbooked) }) : null,
  ]
  return consolePage(
    { pages, view, title: view.month(figures.from), section: 'month' },
    <>
      <Neighbors {...shown} />
      <Notices of={[isRefused ? say('notClosed') : null]} warn />
      <Notices of={notices} />
      {isEmpty ? null : <Story view={view} of={figures} />}
      <Declared {...shown} />
      <Received {...shown} />
      <AfterClosing {...shown} />
      <OwedToUsers view={view} owed={owed} />
      {isEmpty ? <p safe>{say('noneInMonth')}</p> : null}
      <Files {...shown} />
      <Card id="users" title={say('monthUsers')}>
        <Facts
          facts={[
            [say('firstPurchases'), count(users.new)],
            [say('furtherPurchases'), count(users.renewed)],
            [say('usersLapsed'), count(users.lapsed)],
            // The seven days begin now, so a month that is over does not show them.
            [say('usersEnding'), isOver ? null : count(users.ends_in_7_days)],
          ]}
        />
      </Card>
      {isEmpty ? null : <Parts {...shown} />}
    </>,
  )
}

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

/** The declared totals of a closed month. If its documents now add up to others, these stand beside them. */
function Declared({ pages, view, figures }: Shown) {
  const { say } = view
  const { closed } = figures
  if (!closed) return null
  const isOther = closed.differs.length > 0
  const column = (head: 'declared' | 'declaredNow', totals: Totals): Column<(typeof TOTALS)[number]> => ({
    head,
    figure: ([name]) => (name === 'sold' ? view.number(totals.sold) : view.centimes(totals[name])),
  })
  return (
    <Card id="declared" title={say('declaredTitle')}>
      <Notices of={[isOther ? say('declaredDiffers') : null]} warn />
      <Table
        {...{ pages, view }}
        rows={TOTALS}
        columns={[
          { head: 'what', text: ([, label]) => say(label), isName: true },
          column('declared', closed.declared),
          ...(isOther ? [column('declaredNow', closed.now)] : []),
        ]}
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

export function OwedToUsers({ view, owed, topUps }: { view: View; owed: Owed; topUps?: string }) {
  if (!owed) return null
  const { say, money } = view
  const some = (sum: number) => (sum === 0 ? null : money(sum))
  const { came_in: added } = owed
  const paidIn = some(added.top_ups)
  return (
    <Card id="owed" title={say('owedTitle')}>
      <Facts
        facts={[
          [say('owedBefore'), money(owed.owed_before)],
          [say('owedTopUps'), paidIn && topUps ? { href: topUps, text: paidIn } : paidIn],
          [say('owedSurplus'), some(added.surplus)],
          [say('owedReturned'), some(added.returned)],
          [say('owedGiven'), some(added.corrected)],
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

function Files({ pages: { base }, view, figures: { month } }: Shown) {
  const { say, session } = view
  const path = addressOf(base, 'months', month)
  return (
    <Card id="files" title={say('monthFiles')}>
      <p class="actions">
        <LinkButton href={`${path}/sales`} label={say('sales')} />
        {mayDo(session.operator, EXPORT) ? (
          <>
            <LinkButton href={`${path}/declaration`} label={say('declaration')} />
            <LinkButton href={fileAddress(base, 'accounts', month, 'excel')} label={say('csvExcel')} />
            <LinkButton href={fileAddress(base, 'accounts', month, 'plain')} label={say('csvPlain')} />
          </>
        ) : null}
      </p>
    </Card>
  )
}

function Parts({ pages, view, figures }: Shown) {
  const { say } = view
  const rateName = (rate: number | null) => (rate === null ? say('noTax') : `${rate} %`)
  const days = figures.by_day.map((day) => ({ ...day, name: view.day(day.from) }))
  return (
    <>
      <Card id="by-method" title={say('byMethod')}>
        <Sums
          {...{ pages, view, first: 'method' }}
          rows={figures.by_method.map((of) => ({ ...of, name: methodName(view, of) }))}
        />
      </Card>
      <Card id="by-rate" title={say('byRate')}>
        <Sums
          {...{ pages, view, first: 'rate' }}
          rows={figures.by_rate.map((of) => ({ ...of, name: rateName(of.tva_percent) }))}
        />
      </Card>
      <Folded id="by-day" title={say('byDay')} isOpen={false}>
        <SalesChart
          view={view}
          title={say('chartTitle', { month: view.month(figures.from) })}
          bars={days.map(({ name, paid, refunded }, n) => ({
            ...{ name, paid: paid.total, refunded: refunded.ttc },
            tick: n === 0 || (n + 1) % 5 === 0 ? String(n + 1) : '',
          }))}
        />
        <Sums
          {...{ pages, view, first: 'day' }}
          rows={days.filter(({ paid, refunded }) => paid.count + refunded.count > 0)}
          isShort
        />
      </Folded>
    </>
  )
}

const methodName = (
  { locale }: View,
  of: { readonly method: string; readonly payment_method: string | null },
) => instrumentName(of.payment_method ?? of.method, locale)

type Part = Pick<MonthFigures, 'paid' | 'refunded'> & { readonly name: string }

/** `isShort`: a phone shows only the name and the net. */
function Sums(of: {
  pages: BooksPages
  view: View
  first: ConsoleKey
  rows: readonly Part[]
  isShort?: boolean
}) {
  const { pages, view, first, rows, isShort } = of
  const between: readonly Column<Part>[] = [
    { head: 'paidPayments', figure: ({ paid }) => view.number(paid.count) },
    ...sums<Part>(({ paid }) => paid, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum'),
    { head: 'refundedSum', figure: ({ refunded }) => view.centimes(refunded.ttc) },
    ...sums<Part>(({ paid }) => paid, 'feesSum'),
  ]
  return (
    <Table
      {...{ pages, view, rows }}
      columns={[
        { head: first, text: ({ name }) => name, isName: true },
        ...between.map((column) => ({ ...column, ...(isShort && { isOnWide: true as const }) })),
        { head: 'net', figure: ({ paid, refunded }) => view.centimes(paid.net - refunded.net) },
      ]}
    />
  )
}

const SUM_COLUMNS = {
  priceHt: 'ht',
  taxTva: 'tva',
  priceTtc: 'ttc',
  stampDutySum: 'stamp_duty',
  advanceSum: 'advance',
  total: 'total',
  feesSum: 'fees',
} satisfies Partial<Record<ConsoleKey, keyof Figures>>

export function sums<Item>(
  of: (item: Item) => Figures,
  ...heads: readonly (keyof typeof SUM_COLUMNS)[]
): readonly Column<Item>[] {
  return heads.map((head) => ({
    head,
    figure: (item, { centimes }) => centimes(of(item)[SUM_COLUMNS[head]]),
  }))
}
