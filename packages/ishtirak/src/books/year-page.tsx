// The page of a year: twelve months side by side, and what becomes of those who began in each.

import { mayDo } from '../core/role.js'
import { addressOf, NoWrap, renderConsole, Table, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type BooksPages, EXPORT } from './accounts.js'
import { sumPaid } from './figures.js'
import type { YearFigures, YearMonth } from './year.js'
import { YearChart } from './year-chart.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: YearFigures
}

/** `waiting`: what waits in the inbox. */
export function yearPage(pages: BooksPages, view: View, figures: YearFigures, waiting: number | null) {
  const { say, locale } = view
  const shown = { pages, view, figures }
  const [first, last] = [figures.months[0], figures.months.at(-1)]
  const name = (month: YearMonth | undefined) => (month ? pages.formats.month(month.from, locale) : '')
  return renderConsole(pages, {
    ...view,
    title: say('year'),
    section: 'year',
    languagePath: addressOf(pages.base, 'year', figures.until),
    safeContent: (
      <>
        <h1 safe>{say('year')}</h1>
        {first && last ? <p safe>{say('yearSpan', { first: name(first), last: name(last) })}</p> : null}
        <Ways {...shown} waiting={waiting} />
        {figures.live ? null : (
          <p class="notice" safe>
            {say('playMoney')}
          </p>
        )}
        <Card id="months" title={say('yearMonths')}>
          {figures.months.length === 0 ? null : <YearChart {...shown} />}
          <Months {...shown} />
        </Card>
        <Cohorts {...shown} />
      </>
    ),
  })
}

function Ways({ pages, view, figures, waiting }: Shown & { waiting: number | null }) {
  const { say, session, locale } = view
  const [first] = figures.months
  const earlier = first && pages.wallClock.monthAt(first.from - 1)
  const later = first && pages.wallClock.wallTime(first.from).slice(0, 4)
  const file = `${addressOf(pages.base, 'year', figures.until)}/table`
  return (
    <p class="actions">
      {waiting === null ? null : (
        <LinkButton
          href={`${pages.base}/console`}
          label={say('waits', { count: pages.formats.number(waiting, locale) })}
          go={waiting > 0}
        />
      )}
      {earlier && later ? (
        <LinkButton href={addressOf(pages.base, 'year', earlier)} label={say('earlierYear')} />
      ) : null}
      {mayDo(session.operator, EXPORT) ? (
        <LinkButton href={`${file}?format=excel`} label={say('csvExcel')} />
      ) : null}
    </p>
  )
}

function Months({ pages, view, figures: { months } }: Shown) {
  const { say, locale } = view
  const money = (sum: number) => <NoWrap>{pages.formats.centimes(sum, locale)}</NoWrap>
  const count = (of: number) => pages.formats.number(of, locale)
  const kinds = months[0]?.byKind.map(({ kind }) => kind) ?? []
  // Where no bank statement has a payout, there is no column of them.
  const hasPayouts = months.some(({ paidOut }) => paidOut > 0)
  const columns = [
    ...[say('month'), ...kinds.map((kind) => say(`way_${kind}`)), say('total'), say('refundedSum')],
    ...(hasPayouts ? [say('paidOutTitle')] : []),
    ...[say('usersAtEnd'), say('usersNew'), say('usersKept'), say('usersBack'), say('usersLapsed')],
  ]
  const safeRows = months.map(({ month, from, byKind, paid, refunded, paidOut, users }) => ({
    safeCells: [
      <a href={addressOf(pages.base, 'months', month)} safe>
        {pages.formats.month(from, locale)}
      </a>,
      ...byKind.map((one) => money(sumPaid(one.paid))),
      ...[money(sumPaid(paid)), money(refunded.ttc)],
      ...(hasPayouts ? [money(paidOut)] : []),
      ...[users.atEnd, users.new, users.renewed, users.cameBack, users.lapsed].map(count),
    ],
  }))
  return <Table columns={columns} safeRows={safeRows} figuresFrom={2} named empty={say('noYear')} />
}

/** The share of those who began in a month that has paid time so many months later. */
function Cohorts({ pages, view, figures: { months, cohorts } }: Shown) {
  const { say, locale } = view
  const rows = cohorts.filter(({ users: [began = 0] }) => began > 0)
  if (rows.length === 0) return null
  const later = months.slice(1).map((_, n) => String(n + 1))
  const safeRows = rows.map(({ month, users: [began = 0, ...had] }) => ({
    safeCells: [
      <span safe>{pages.formats.month(months.find((one) => one.month === month)?.from ?? 0, locale)}</span>,
      pages.formats.number(began, locale),
      ...later.map((_, n) => {
        const users = had[n]
        return users === undefined ? '' : <NoWrap>{`${Math.round((users / began) * 100)} %`}</NoWrap>
      }),
    ],
  }))
  return (
    <Card id="cohorts" title={say('cohorts')}>
      <p safe>{say('cohortsText')}</p>
      <Table columns={[say('month'), say('usersNew'), ...later]} safeRows={safeRows} figuresFrom={2} named />
    </Card>
  )
}
