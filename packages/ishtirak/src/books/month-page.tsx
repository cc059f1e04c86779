// The page of a month: what was paid and refunded, by day and by method; whose time began and ended.

import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { ConsoleKey } from '../i18n/console.js'
import { inParts } from '../i18n/formats.js'
import { instrumentName } from '../i18n/messages.js'
import { addressOf, consolePage, Facts, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { type BooksPages, EXPORT } from './accounts.js'
import { closeMonth, reopenMonth } from './closing.js'
import { type Figures, lessRefunds, sumNet, sumPaid, type Totals } from './figures.js'
import { MonthChart } from './month-chart.js'
import { type MonthFigures, monthBefore } from './months.js'
import { sums } from './sum-columns.js'
import { differing, totalsOf } from './totals.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: MonthFigures
}

/** `isRefused`: what was just asked for on the page of an act was not done. */
export function monthPage(pages: BooksPages, view: View, figures: MonthFigures, isRefused = false): string {
  const { say, locale } = view
  const title = pages.formats.month(figures.from, locale)
  const shown = { pages, view, figures }
  const isEmpty = figures.paid.count === 0 && figures.refunded.count === 0
  return consolePage(
    { pages, view, title, section: 'month', languagePath: addressOf(pages.base, 'months', figures.month) },
    <>
      <Neighbors {...shown} />
      {isRefused ? (
        <p class="notice warn" role="status" safe>
          {say('notClosed')}
        </p>
      ) : null}
      <Notices {...shown} />
      <Declared {...shown} />
      <Received {...shown} />
      <Summary {...shown} />
      <PaidOut {...shown} />
      <AfterClosing {...shown} />
      <OwedToUsers {...shown} />
      {isEmpty ? <p safe>{say('noneInMonth')}</p> : null}
      <Files {...shown} />
      <Users {...shown} />
      {isEmpty ? null : <ByMethod {...shown} />}
      {isEmpty ? null : <ByRate {...shown} />}
      {isEmpty ? null : <ByDay {...shown} />}
    </>,
  )
}

/** The month before, the one after it where that has begun, and what can be done with them. */
function Neighbors({ pages, view, figures }: Shown) {
  const { clock, formats, wallClock, base } = pages
  const { say, locale } = view
  const at = (instant: number) => wallClock.monthAt(instant)
  const [earlier, later] = [at(figures.from - 1), at(figures.to)]
  const before = wallClock.monthOf(earlier)
  return (
    <p class="actions">
      {before === null ? null : (
        <LinkButton
          href={addressOf(base, 'months', earlier)}
          label={say('earlierMonth', { month: formats.month(before.from, locale) })}
        />
      )}
      {figures.to > clock.now() ? null : (
        <LinkButton
          href={addressOf(base, 'months', later)}
          label={say('laterMonth', { month: formats.month(figures.to, locale) })}
        />
      )}
      <Turns {...{ pages, view, figures }} />
    </p>
  )
}

/** The acts that can be done: on this month, or on the one before it, which is over. */
function Turns({ pages, view, figures }: Shown) {
  const { say, session, locale } = view
  const { month, from, to, last, closed } = figures
  const may = (act: typeof closeMonth) => mayDo(session.operator, act)
  const isOver = to <= pages.clock.now()
  const isNext = last === null || last === monthBefore(pages, month)
  const earlier = monthBefore(pages, month)
  const isEarlierNext = !isOver && earlier !== last && (last === null || last === monthBefore(pages, earlier))
  return (
    <>
      {may(closeMonth) && !closed && isOver && isNext ? (
        <LinkButton href={pathOfAct(pages, closeMonth, month)} label={titleOf(closeMonth, view)} />
      ) : null}
      {may(closeMonth) && isEarlierNext ? (
        <LinkButton
          href={pathOfAct(pages, closeMonth, earlier)}
          label={say('closeEarlier', { month: pages.formats.month(from - 1, locale) })}
        />
      ) : null}
      {may(reopenMonth) && closed && last === month ? (
        <LinkButton href={pathOfAct(pages, reopenMonth, month)} label={titleOf(reopenMonth, view)} />
      ) : null}
    </>
  )
}

function Notices({ view, figures }: Shown) {
  const { say, number: count } = view
  const { live, paid, owed, closed, since } = figures
  const sentences = [
    closed && say('closedOn', { day: view.moment(closed.closedAt), name: closed.closedBy }),
    since && since.count > 0
      ? say('cameSince', { count: count(since.count), sum: view.centimes(sumPaid(since)) })
      : null,
    live ? null : say('playMoney'),
    paid.feesUnknown === 0 ? null : say('feesUnknown', { count: count(paid.feesUnknown) }),
    owed && owed.unbooked > 0 ? say('unbooked', { count: count(owed.unbooked) }) : null,
  ]
  return (
    <>
      {sentences.map((text) =>
        text === null ? null : (
          <p class="notice" safe>
            {text}
          </p>
        ),
      )}
    </>
  )
}

/** What was declared of a closed month, beside what its documents add up to where that differs. */
function Declared({ pages, view, figures }: Shown) {
  const { say } = view
  const { closed } = figures
  if (!closed) return null
  const now = totalsOf(figures)
  const differs = differing(figures, closed.totals)
  const shown = (name: keyof Totals, of: Totals) =>
    name === 'sold' ? view.number(of[name]) : view.centimes(of[name])
  const columns: readonly Column<(typeof TOTALS)[number]>[] = [
    { head: 'what', text: ([, label]) => say(label), isName: true },
    { head: 'declared', figure: ([name]) => shown(name, closed.totals) },
    { head: 'declaredNow', figure: ([name]) => shown(name, now) },
  ]
  return (
    <Card id="declared" title={say('declaredTitle')}>
      {differs.length === 0 ? null : (
        <p class="notice warn" safe>
          {say('declaredDiffers')}
        </p>
      )}
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

/** From what came to the accounts to what was sold. */
function Received({ pages, view, figures: { received, paid } }: Shown) {
  const { say, locale, centimes: money } = view
  const { total, stampDuty, advances, used, byMethod } = received
  if (byMethod.length === 0) return null
  return (
    <Card id="received" title={say('receivedTitle')}>
      <p class="soft small" safe>
        {say('receivedText')}
      </p>
      <Table
        {...{ pages, view }}
        rows={byMethod}
        columns={[
          {
            head: 'method',
            text: ({ method, instrument }) => instrumentName(instrument || method, locale),
            isName: true,
          },
          { head: 'paidPayments', figure: ({ count }) => view.number(count) },
          { head: 'amount', figure: ({ amount }) => money(amount) },
          { head: 'feesSum', figure: ({ fees }) => money(fees) },
        ]}
      />
      <Facts
        facts={[
          [say('total'), money(total)],
          [say('receivedDuty'), stampDuty === 0 ? null : money(stampDuty)],
          [say('receivedAdvances'), advances === 0 ? null : money(-advances)],
          [say('receivedUsed'), used === 0 ? null : money(used)],
          [say('paidSum'), money(sumPaid(paid))],
        ]}
      />
    </Card>
  )
}

interface Row {
  readonly name: string
  readonly count: number | null
  readonly of: Figures
}

function Summary({ pages, view, figures }: Shown) {
  const { say, centimes: money } = view
  const { paid, refunded } = figures
  const rest = lessRefunds(paid, refunded)
  return (
    <Card id="summary" title={say('monthSummary')}>
      <Facts
        facts={[
          [say('paidSum'), money(sumPaid(paid))],
          [say('refundedSum'), money(refunded.ttc)],
          [say('feesSum'), money(paid.fees)],
          [say('netSum'), money(sumNet(rest))],
        ]}
      />
      <Table<Row>
        {...{ pages, view }}
        rows={[
          { name: say('paidSum'), count: paid.count, of: paid },
          { name: say('refundedSum'), count: refunded.count, of: refunded },
          { name: say('balance'), count: null, of: rest },
        ]}
        columns={[
          { head: 'what', safe: ({ name }) => <b safe>{name}</b>, isName: true },
          { head: 'paidPayments', figure: ({ count }) => view.number(count) },
          ...sums<Row>(({ of }) => of, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum', 'total'),
          ...sums<Row>(({ of }) => of, 'askedSum', 'discounts'),
        ]}
      />
    </Card>
  )
}

/** Beside what came by card; where no bank statement has a payout, nothing is shown. */
function PaidOut({ view, figures: { paidOut } }: Shown) {
  const { say, centimes: money } = view
  if (paidOut.count === 0) return null
  const { count, amount, came } = paidOut
  const payouts = { sum: money(amount), count: view.number(count) }
  return (
    <Card id="paid-out" title={say('paidOutTitle')}>
      <Facts
        facts={[
          [say('paidOutSum'), say('paidOutCount', payouts)],
          [say('cameByCard'), money(came)],
          [say('paidOutDifference'), money(amount - came)],
        ]}
      />
      <p class="soft small" safe>
        {say('paidOutText')}
      </p>
    </Card>
  )
}

type Month = NonNullable<MonthFigures['afterClosing']>['months'][number]

/** Of closed months; where nothing came, nothing is shown. */
function AfterClosing({ pages, view, figures: { afterClosing } }: Shown) {
  const { say } = view
  if (!afterClosing || (afterClosing.months.length === 0 && afterClosing.balances === 0)) return null
  const { months, balances } = afterClosing
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
            { head: 'paidPayments', figure: ({ count }) => view.number(count) },
            ...sums<Month>((one) => one, 'priceHt', 'taxTva', 'priceTtc'),
            ...sums<Month>((one) => one, 'stampDutySum', 'total', 'feesSum'),
          ]}
        />
      )}
      {balances === 0 ? null : <p safe>{say('afterClosingBalances', { sum: view.money(balances) })}</p>}
    </Card>
  )
}

/** Where nothing was on a balance, nothing of it is shown. */
function OwedToUsers({ pages, view, figures: { owed } }: Shown) {
  if (!owed) return null
  const { say, locale, money } = view
  const some = (sum: number) => (sum === 0 ? null : money(sum))
  const { cameIn, late } = owed
  return (
    <Card id="owed" title={say('owedTitle')}>
      <Facts
        facts={[
          [say('owedBefore'), money(owed.before)],
          [say('owedTopUps'), some(cameIn.topUps)],
          [say('owedSurplus'), some(cameIn.surplus)],
          [say('owedReturned'), some(cameIn.returned)],
          [say('owedGiven'), some(cameIn.corrected)],
          [say('owedEarned'), some(-owed.earned)],
          [say('owedTaken'), some(-owed.corrected)],
          [say('owedPaidOut'), some(-owed.paidOut)],
          [say('owedAfter'), money(owed.owed)],
        ]}
      />
      {late.count === 0 ? null : (
        <p safe>{say('owedLate', { count: view.number(late.count), amount: money(late.amount) })}</p>
      )}
      {owed.byMethod.length === 0 ? null : (
        <Table
          {...{ pages, view }}
          rows={owed.byMethod}
          columns={[
            {
              head: 'method',
              text: ({ kind, method, instrument }) => {
                const surplus = kind === 'surplus' ? [say('owedSurplus')] : []
                return inParts([instrumentName(instrument || method, locale), ...surplus], locale)
              },
              isName: true,
            },
            { head: 'paidPayments', figure: ({ count }) => view.number(count) },
            { head: 'amount', figure: ({ amount }) => money(amount) },
            { head: 'stampDutySum', figure: ({ stampDuty }) => view.centimes(stampDuty) },
            { head: 'feesSum', figure: ({ fees }) => view.centimes(fees) },
          ]}
        />
      )}
    </Card>
  )
}

type Both = Pick<MonthFigures, 'paid' | 'refunded'>

function ByDay(shown: Shown) {
  const { pages, view, figures } = shown
  const rows = figures.byDay
    .filter(({ paid, refunded }) => paid.count + refunded.count > 0)
    .map(({ from, ...both }) => ({ name: pages.formats.day(from, view.locale), both }))
  return (
    <Card id="by-day" title={view.say('byDay')}>
      <MonthChart {...shown} />
      <Sums {...shown} first="day" rows={rows} />
    </Card>
  )
}

function ByMethod(shown: Shown) {
  const { view, figures } = shown
  const rows = figures.byMethod.map(({ method, instrument, ...both }) => ({
    name: instrumentName(instrument || method, view.locale),
    both,
  }))
  return (
    <Card id="by-method" title={view.say('byMethod')}>
      <Sums {...shown} first="method" rows={rows} />
    </Card>
  )
}

function ByRate(shown: Shown) {
  const { view, figures } = shown
  const rows = figures.byRate.map(({ taxRate, ...both }) => ({
    name: taxRate === null ? view.say('noTax') : `${taxRate} %`,
    both,
  }))
  return (
    <Card id="by-rate" title={view.say('byRate')}>
      <Sums {...shown} first="rate" rows={rows} />
    </Card>
  )
}

interface DayRow {
  readonly name: string
  readonly both: Both
}

function Sums(of: Shown & { first: ConsoleKey; rows: readonly DayRow[] }) {
  const { pages, view, first, rows } = of
  const { centimes: money } = view
  return (
    <Table
      {...{ pages, view, rows }}
      columns={[
        { head: first, text: ({ name }) => name, isName: true },
        { head: 'paidPayments', figure: ({ both }) => view.number(both.paid.count) },
        ...sums<DayRow>(({ both }) => both.paid, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum'),
        { head: 'refundedSum', figure: ({ both }) => money(both.refunded.ttc) },
        ...sums<DayRow>(({ both }) => both.paid, 'feesSum'),
        { head: 'net', figure: ({ both }) => money(sumNet(lessRefunds(both.paid, both.refunded))) },
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
          // Of the seven days from now: of no month that is over.
          [say('usersEnding'), figures.to > pages.clock.now() ? count(users.ending) : null],
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
        <LinkButton href={`${path}/receipts`} label={say('journal')} />
        {may ? <LinkButton href={`${path}/sales`} label={say('sales')} /> : null}
        {may ? <LinkButton href={`${path}/declaration`} label={say('declaration')} /> : null}
        {may ? <LinkButton href={`${path}/accounts?format=excel`} label={say('csvExcel')} /> : null}
        {may ? <LinkButton href={`${path}/accounts`} label={say('csvPlain')} /> : null}
      </p>
    </Card>
  )
}
