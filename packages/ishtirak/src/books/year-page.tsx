// The page of a year: twelve months side by side, and what becomes of those who began in each.

import { addressOf, consolePage, Notices, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { BarChart } from './bar-chart.js'
import type { BooksPages } from './exports.js'
import { Story } from './story.js'
import type { YearFigures, YearMonth } from './year.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: YearFigures
}

export function yearPage(pages: BooksPages, view: View, figures: YearFigures) {
  const { say } = view
  const shown = { pages, view, figures }
  const [first, last] = [figures.months[0], figures.months.at(-1)]
  const span = first && last && { first: view.month(first.from), last: view.month(last.from) }
  return consolePage(
    { pages, view, title: say('year'), section: 'year' },
    <>
      {span ? <p safe>{say('yearSpan', span)}</p> : null}
      <Earlier {...shown} />
      <Notices of={[figures.live ? null : say('playMoney')]} />
      {figures.money ? <Story view={view} of={figures.money} /> : null}
      <Card id="months" title={say('yearMonths')}>
        {figures.months.length === 0 ? null : <YearChart {...shown} />}
        <Months {...shown} />
      </Card>
      <Cohorts {...shown} />
    </>,
  )
}

function Earlier({ pages, view, figures }: Shown) {
  const [first] = figures.months
  if (!first) return null
  const href = addressOf(pages.base, 'year', pages.wallClock.monthAt(first.from - 1))
  return (
    <p class="actions">
      <LinkButton href={href} label={view.say('earlierYear')} />
    </p>
  )
}

/** Shows what was paid in each month, with the methods one above the other. */
function YearChart({ view, figures: { months } }: Shown) {
  const { say, centimes: money } = view
  const best = months.reduce((one, other) => (other.paid > one.paid ? other : one))
  return (
    <BarChart
      view={view}
      title={say('yearChart')}
      text={say('yearChartText', { month: view.month(best.from), best: money(best.paid) })}
      bars={months.map(({ month, from, paid, by_method }) => ({
        title: say('yearBar', { month: view.month(from), paid: money(paid) }),
        up: by_method.map((of) => of.paid),
        down: 0,
        tick: String(Number(month.slice(5))),
      }))}
      parts={best.by_method.map(({ method }, n) => [`part-${n}`, say(`way_${method}`)])}
    />
  )
}

function Months({ pages, view, figures: { months } }: Shown) {
  const { say, centimes: money, number: count } = view
  const kinds = months[0]?.by_method.map(({ method }) => method) ?? []
  // The column is left out if no bank statement has a payout.
  const hasPayouts = months.some(({ paid_out_by_provider: paidOut }) => paidOut > 0)
  const columns: readonly Column<YearMonth>[] = [
    {
      head: 'month',
      link: ({ month, from }) => ({ href: addressOf(pages.base, 'months', month), text: view.month(from) }),
      isName: true,
    },
    ...kinds.map(
      (kind, at): Column<YearMonth> => ({
        head: `way_${kind}`,
        figure: ({ by_method: of }) => money(of[at]?.paid ?? null),
      }),
    ),
    { head: 'total', figure: ({ paid }) => money(paid) },
    { head: 'refundedSum', figure: ({ refunded }) => money(refunded) },
    ...(hasPayouts ? [PAID_OUT] : []),
    { head: 'usersAtEnd', figure: ({ users }) => count(users.at_end) },
    { head: 'usersNew', figure: ({ users }) => count(users.new) },
    { head: 'usersKept', figure: ({ users }) => count(users.renewed) },
    { head: 'usersBack', figure: ({ users }) => count(users.came_back) },
    { head: 'usersLapsed', figure: ({ users }) => count(users.lapsed) },
  ]
  return <Table {...{ pages, view, columns }} rows={months} empty={say('noYear')} />
}

const PAID_OUT: Column<YearMonth> = {
  head: 'paidOutTitle',
  figure: ({ paid_out_by_provider: paidOut }, { centimes }) => centimes(paidOut),
}

/** The share of the users who began in a month that has paid time one month later, and so on. */
function Cohorts({ pages, view, figures: { months } }: Shown) {
  const { say } = view
  const rows = months.filter(({ later: [began = 0] }) => began > 0)
  if (rows.length === 0) return null
  const share = (users: readonly number[], later: number) => {
    const [began = 0, had] = [users[0], users[later]]
    return had === undefined ? null : `${Math.round((had / began) * 100)} %`
  }
  return (
    <Card id="cohorts" title={say('cohorts')}>
      <p safe>{say('cohortsText')}</p>
      <Table
        {...{ pages, view, rows }}
        columns={[
          { head: 'month', text: ({ from }) => view.month(from), isName: true },
          { head: 'usersNew', figure: ({ later: [began = 0] }) => view.number(began) },
          ...months.slice(1).map(
            (_, n): Column<YearMonth> => ({
              head: { words: String(n + 1) },
              figure: ({ later }) => share(later, n + 1),
            }),
          ),
        ]}
      />
    </Card>
  )
}
