// The lists of a month in the console: its receipts in the order they were paid, and the journal of its sales
// or a part of it, as the declaration leads to it.
import type { ListPage } from '../acts/list-page.js'
import { BillingError } from '../core/error.js'
import { receiptNumber } from '../core/receipt.js'
import { addressOf, Notices, Under, type View, withQuery } from '../pages/console-frame.js'
import { LinkButton } from '../pages/portal-frame.js'
import type { Column } from '../pages/table.js'
import { UserCell } from '../pages/user-cell.js'
import type { BooksPages } from './exports.js'
import type { Line } from './lines.sql.js'
import { receiptList, saleList } from './readings.js'
import { buyerOf, documentOf, totalOfSale } from './sales.js'
import type { SalesFilter } from './sales-schemas.js'
import { sums } from './sum-columns.js'

/** The month of an address, with its name. Throws `not_found` if it is none. */
function monthIn({ wallClock }: BooksPages, view: View, { month = '' }: Readonly<Record<string, string>>) {
  const span = wallClock.monthOf(month)
  if (!span) throw new BillingError('not_found')
  return { month, name: view.month(span.from) }
}

const SALE_SUMS: readonly Column<Line>[] = [
  ...sums<Line>((line) => line, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum', 'advanceSum'),
  { head: 'total', figure: (line, { centimes }) => centimes(totalOfSale(line)) },
]

const CUSTOMER: Column<Line> = {
  head: 'saleCustomer',
  safe: (line, _, pages) => {
    const { name, details } = buyerOf(line)
    return (
      <>
        <UserCell {...{ pages, user: { userId: line.user_id, name: details?.name ?? name } }} />
        <Under>{details?.nif ? `NIF ${details.nif}` : null}</Under>
      </>
    )
  },
}

export const journalPage: ListPage<BooksPages, Line> = {
  path: 'months/:month/receipts',
  title: 'journal',
  section: 'month',
  list: receiptList,
  fields: {},
  shown: 40,
  empty: 'noReceipts',
  columns: [
    {
      head: 'receipt',
      safe: ({ payment_id, series, number }, _, { base }) => (
        <a href={addressOf(base, 'payments', payment_id)} class="nowrap">
          <bdi safe>{receiptNumber(series, number)}</bdi>
        </a>
      ),
    },
    { head: 'paidAt', nowrap: ({ paid_at }, { day }) => day(paid_at) },
    CUSTOMER,
    ...SALE_SUMS,
    { head: 'refundedSum', nowrap: ({ refunded_at }, { day }) => day(refunded_at) },
  ],
  head: ({ pages, view, params }) => {
    const { month, name } = monthIn(pages, view, params)
    return {
      title: view.say('journalOf', { month: name }),
      ways: (
        <LinkButton
          href={addressOf(pages.base, 'months', month)}
          label={view.say('backToMonth', { month: name })}
        />
      ),
    }
  },
}

export function salesPath(base: string, month: string, filter: SalesFilter): string {
  return withQuery(`${addressOf(base, 'months', month)}/sales`, { ...filter })
}

const SALES_COLUMNS: readonly Column<Line>[] = [
  {
    head: 'saleDocument',
    safe: (line, { say }, { base }) => {
      const { number, about } = documentOf(line)
      return (
        <>
          <a href={addressOf(base, 'payments', line.payment_id)} class="nowrap">
            <bdi safe>{number ?? say('refundOf', { receipt: about ?? '' })}</bdi>
          </a>
          <Under>{number === null || about === null ? null : say('saleAbout', { number: about })}</Under>
        </>
      )
    },
  },
  { head: 'day', nowrap: ({ at }, { day }) => day(at) },
  CUSTOMER,
  ...SALE_SUMS,
]

export const salesPage: ListPage<BooksPages, Line> = {
  path: 'months/:month/sales',
  title: 'sales',
  section: 'month',
  list: saleList,
  fields: {},
  shown: 40,
  empty: 'noSales',
  columns: SALES_COLUMNS,
  head: ({ pages: { base }, pages, view: { say }, view, params, typed }) => {
    const { month, name } = monthIn(pages, view, params)
    const isPart = Object.keys(typed).length > 0
    const path = addressOf(base, 'months', month)
    return {
      title: say('salesOf', { month: name }),
      above: (
        <>
          <Notices of={[isPart ? say('salesPart') : null]} />
          <p safe>{say('salesText')}</p>
        </>
      ),
      ways: (
        <>
          {isPart ? <LinkButton href={salesPath(base, month, {})} label={say('salesAll')} /> : null}
          <LinkButton href={`${path}/sales/file?format=excel`} label={say('salesFile')} />
          <LinkButton href={`${path}/declaration`} label={say('declaration')} />
          <LinkButton href={path} label={say('backToMonth', { month: name })} />
        </>
      ),
    }
  },
}
