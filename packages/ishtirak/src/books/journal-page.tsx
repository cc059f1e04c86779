// The receipts of a month in the order they were paid, each with its payment, page by page.
import type { ReadPage } from '../acts/list.js'
import { receiptNumber } from '../core/receipt.js'
import { addressOf, consolePage, Pager, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import type { BooksPages } from './accounts.js'
import type { Line } from './lines.sql.js'
import { totalOfSale } from './sales.js'
import { sums } from './sum-columns.js'

interface Shown extends ReadPage<Line> {
  readonly month: string
  readonly from: number
  readonly isFirst: boolean
}

export function journalPage(pages: BooksPages, view: View, shown: Shown): string {
  const { say } = view
  const { month, from, items: rows, nextCursor, isFirst } = shown
  const monthPath = addressOf(pages.base, 'months', month)
  const start = `${monthPath}/receipts`
  const title = say('journalOf', { month: view.month(from) })
  return consolePage(
    { pages, view, title, section: 'month', languagePath: start },
    <>
      <Card id="receipts" title={say('journal')}>
        {rows.length === 0 ? (
          <p safe>{say('noReceipts')}</p>
        ) : (
          <Table {...{ pages, view, rows, columns: RECEIPTS }} />
        )}
      </Card>
      <Pager
        view={view}
        first={isFirst ? null : start}
        next={nextCursor && `${start}?cursor=${encodeURIComponent(nextCursor)}`}
      >
        <LinkButton href={monthPath} label={say('backToMonth', { month: view.month(from) })} />
      </Pager>
    </>,
  )
}

/** Of journal and sales. */
export const TOTAL: Column<Line> = {
  head: 'total',
  figure: (line, { centimes }) => centimes(totalOfSale(line)),
}

const RECEIPTS: readonly Column<Line>[] = [
  {
    head: 'receipt',
    safe: ({ paymentId, series, number }, _, { base }) => (
      <a href={addressOf(base, 'payments', paymentId)} class="nowrap">
        <bdi safe>{receiptNumber(series, number)}</bdi>
      </a>
    ),
  },
  { head: 'paidAt', nowrap: ({ paidAt }, { day }) => day(paidAt) },
  { head: 'user', user: ({ userId }) => ({ userId }) },
  ...sums<Line>((line) => line, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum', 'advanceSum'),
  TOTAL,
  { head: 'refundedSum', nowrap: ({ refundedAt }, { day }) => day(refundedAt) },
]
