// The journal of sales in the console, page by page; or a part of it, as the declaration leads to it.

import type { ReadPage } from '../acts/list.js'
import { addressOf, consolePage, Pager, type View, withQuery } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { UserCell } from '../pages/user-cell.js'
import type { BooksPages } from './accounts.js'
import { TOTAL } from './journal-page.js'
import type { Line } from './lines.sql.js'
import { buyerOf, documentOf, type SalesFilter } from './sales.js'
import { sums } from './sum-columns.js'

interface Shown extends ReadPage<Line> {
  readonly month: string
  readonly from: number
  readonly filter: SalesFilter
  readonly cursor: string | null
}

export function salesPage(pages: BooksPages, view: View, shown: Shown): string {
  const { say } = view
  const { month, filter, items: rows, nextCursor, cursor } = shown
  const monthName = view.month(shown.from)
  const monthPath = addressOf(pages.base, 'months', month)
  const whole = `${monthPath}/sales`
  const isPart = filter.tax !== undefined || filter.side !== undefined
  const first = salesPath(pages.base, month, filter)
  const title = say('salesOf', { month: monthName })
  return consolePage(
    { pages, view, title, section: 'month', languagePath: first },
    <>
      {isPart ? (
        <p class="notice" safe>
          {say('salesPart')}
        </p>
      ) : null}
      <Card id="sales" title={say('sales')}>
        <p safe>{say('salesText')}</p>
        {rows.length === 0 ? (
          <p safe>{say('noSales')}</p>
        ) : (
          <Table {...{ pages, view, rows, columns: LINES }} />
        )}
      </Card>
      <Pager
        view={view}
        first={cursor === null ? null : first}
        next={nextCursor && salesPath(pages.base, month, filter, nextCursor)}
      >
        {isPart ? <LinkButton href={whole} label={say('salesAll')} /> : null}
        <LinkButton href={`${whole}/file`} label={say('salesFile')} />
        <LinkButton href={`${monthPath}/declaration`} label={say('declaration')} />
        <LinkButton href={monthPath} label={say('backToMonth', { month: monthName })} />
      </Pager>
    </>,
  )
}

export function salesPath(base: string, month: string, filter: SalesFilter, cursor = ''): string {
  return withQuery(`${addressOf(base, 'months', month)}/sales`, { ...filter, cursor })
}

const LINES: readonly Column<Line>[] = [
  {
    head: 'saleDocument',
    safe: (line, { say }, { base }) => {
      const { number, about } = documentOf(line)
      return (
        <>
          <a href={addressOf(base, 'payments', line.paymentId)} class="nowrap">
            <bdi safe>{number ?? say('refundOf', { receipt: about ?? '' })}</bdi>
          </a>
          {number === null || about === null ? null : (
            <span class="soft small line" safe>
              {say('saleAbout', { number: about })}
            </span>
          )}
        </>
      )
    },
  },
  { head: 'day', nowrap: ({ at }, { day }) => day(at) },
  {
    head: 'saleCustomer',
    safe: (line, _, pages) => {
      const { name, details } = buyerOf(line)
      return (
        <>
          <UserCell {...{ pages, user: { userId: line.userId, name: details?.name ?? name } }} />
          {details?.nif ? (
            <span class="soft small line">
              <bdi safe>{`NIF ${details.nif}`}</bdi>
            </span>
          ) : null}
        </>
      )
    },
  },
  ...sums<Line>((line) => line, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum', 'advanceSum'),
  TOTAL,
]
