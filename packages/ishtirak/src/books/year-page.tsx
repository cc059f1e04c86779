// The page of a year: twelve months side by side, and what becomes of those who began in each.
import { addressOf, consolePage, type View } from '../pages/console-frame.js'
import { type Column, Notices, Table } from '../pages/console-parts.js'
import { Card, LinkButton } from '../pages/parts.js'
import type { BooksPages } from './exports.js'
import { SalesChart } from './sales-chart.js'
import { Story } from './story.js'
import type { YearFigures, YearMonth } from './year.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: YearFigures
}

export function yearPage(pages: BooksPages, view: View, figures: YearFigures) {
  const { say } = view
  const { months, money, live } = figures
  const [first, last] = [months[0], months.at(-1)]
  const earlier = first && addressOf(pages.base, 'year', pages.wallClock.monthAt(first.from - 1))
  return consolePage(
    { pages, view, title: say('year'), section: 'year' },
    <>
      {first && last ? (
        <p safe>{say('yearSpan', { first: view.month(first.from), last: view.month(last.from) })}</p>
      ) : null}
      <p class="actions">
        {earlier === undefined ? null : <LinkButton href={earlier} label={say('earlierYear')} />}
      </p>
      <Notices of={[live ? null : say('playMoney')]} />
      {money ? <Story view={view} of={money} /> : null}
      <Card id="months" title={say('yearMonths')}>
        {months.length === 0 ? null : (
          <SalesChart
            view={view}
            title={say('yearChart')}
            bars={months.map(({ month, from, paid, refunded }) => ({
              ...{ name: view.month(from), tick: String(Number(month.slice(5))), paid, refunded },
            }))}
          />
        )}
        <Months {...{ pages, view, figures }} />
      </Card>
      <Cohorts {...{ pages, view, figures }} />
    </>,
  )
}

function Months({ pages, view, figures: { months } }: Shown) {
  const { say, centimes: money, number: count } = view
  const methods = months[0]?.by_method.map(({ method }) => method) ?? []
  const columns: readonly Column<YearMonth>[] = [
    {
      head: 'month',
      link: ({ month, from }) => ({ href: addressOf(pages.base, 'months', month), text: view.month(from) }),
      isName: true,
    },
    ...methods.map(
      (method, n): Column<YearMonth> => ({
        ...{ head: `method_${method}`, figure: ({ by_method }) => money(by_method[n]?.paid ?? null) },
      }),
    ),
    { head: 'total', figure: ({ paid }) => money(paid) },
    { head: 'refundedSum', figure: ({ refunded }) => money(refunded) },
    { head: 'paidOutTitle', figure: ({ paid_out_by_provider: paidOut }) => money(paidOut) },
    { head: 'usersAtEnd', figure: ({ users }) => count(users.at_end) },
    { head: 'usersNew', figure: ({ users }) => count(users.new) },
    { head: 'usersKept', figure: ({ users }) => count(users.renewed) },
    { head: 'usersBack', figure: ({ users }) => count(users.came_back) },
    { head: 'usersLapsed', figure: ({ users }) => count(users.lapsed) },
  ]
  // Without bank statements there are no payouts.
  const hasPayouts = months.some(({ paid_out_by_provider: paidOut }) => paidOut > 0)
  const shown = columns.filter(({ head }) => hasPayouts || head !== 'paidOutTitle')
  return <Table {...{ pages, view }} columns={shown} rows={months} empty={say('noYear')} />
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
              ...{ head: { words: String(n + 1) }, figure: ({ later }) => share(later, n + 1) },
            }),
          ),
        ]}
      />
    </Card>
  )
}
