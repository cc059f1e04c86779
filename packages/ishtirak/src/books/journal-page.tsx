// The receipts of a month in the order they were paid, each with its payment, page by page.

import { receiptNumber } from '../core/receipt.js'
import { addressOf, NoWrap, Pager, renderConsole, Table, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import type { BooksPages } from './accounts.js'
import { sumPaid } from './figures.js'
import type { readJournal } from './journal.js'
import type { Line } from './lines.sql.js'

interface Shown extends Awaited<ReturnType<typeof readJournal>> {
  readonly month: string
  readonly isFirst: boolean
}

export function journalPage(pages: BooksPages, view: View, shown: Shown): string {
  const { say, locale } = view
  const { month, lines, nextCursor, isFirst } = shown
  const monthName = pages.formats.month(shown.from, locale)
  const monthPath = addressOf(pages.base, 'months', month)
  const start = `${monthPath}/receipts`
  const title = say('journalOf', { month: monthName })
  return renderConsole(pages, {
    ...view,
    title,
    section: 'month',
    languagePath: start,
    safeContent: (
      <>
        <h1 safe>{title}</h1>
        <Card id="receipts" title={say('journal')}>
          {lines.length === 0 ? <p safe>{say('noReceipts')}</p> : <Receipts {...{ pages, view, lines }} />}
        </Card>
        <Pager
          view={view}
          first={isFirst ? null : start}
          next={nextCursor && `${start}?cursor=${encodeURIComponent(nextCursor)}`}
        >
          <LinkButton href={monthPath} label={say('backToMonth', { month: monthName })} />
        </Pager>
      </>
    ),
  })
}

function Receipts({ pages, view, lines }: { pages: BooksPages; view: View } & Pick<Shown, 'lines'>) {
  const { say, locale } = view
  const { centimes, day } = pages.formats
  const rows = lines.map((entry) => ({
    safeCells: [
      <a href={addressOf(pages.base, 'payments', entry.paymentId)} class="nowrap">
        <bdi safe>{receiptNumber(entry.series, entry.number)}</bdi>
      </a>,
      <NoWrap>{day(entry.paidAt, locale)}</NoWrap>,
      <UserCell {...{ pages, user: { userId: entry.userId } }} />,
      ...sumsOf(entry).map((sum) => <NoWrap>{centimes(sum, locale)}</NoWrap>),
      entry.refundedAt === null ? '' : <NoWrap>{day(entry.refundedAt, locale)}</NoWrap>,
    ],
  }))
  const columns = [
    ...[say('receipt'), say('paidAt'), say('user'), say('priceHt'), say('taxTva'), say('priceTtc')],
    ...[say('stampDutySum'), say('advanceSum'), say('total'), say('refundedSum')],
  ]
  return <Table columns={columns} safeRows={rows} figuresFrom={4} />
}

/** In the order of the columns. */
function sumsOf(entry: Line): readonly number[] {
  const { ht, tva, ttc, stampDuty, advance } = entry
  return [ht, tva, ttc, stampDuty, advance, sumPaid(entry) + advance]
}
