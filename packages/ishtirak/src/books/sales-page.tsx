// The journal of sales of a month in the console, or a part of it, as the declaration leads to it.
import type { ListPage } from '../acts/list-page.js'
import { mayDo } from '../core/role.js'
import { addressOf, withQuery } from '../pages/console-frame.js'
import { type Column, Notices, Under, UserCell } from '../pages/console-parts.js'
import { LinkButton } from '../pages/parts.js'
import { type BooksPages, EXPORT, fileAddress } from './exports.js'
import type { Line } from './lines.sql.js'
import { sums } from './month-page.js'
import { spanOf } from './months.js'
import { buyerOf, documentOf, type SalesFilter, saleList, totalOfSale } from './sales.js'

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
  {
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
  },
  ...sums<Line>((line) => line, 'priceHt', 'taxTva', 'priceTtc', 'stampDutySum', 'advanceSum'),
  { head: 'total', figure: (line, { centimes }) => centimes(totalOfSale(line)) },
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
  head: ({ pages, view, params: { month = '' }, typed }) => {
    const { say } = view
    const name = view.month(spanOf(pages, month).from)
    const path = addressOf(pages.base, 'months', month)
    const isPart = Object.keys(typed).length > 0
    const may = mayDo(view.session.operator, EXPORT)
    return {
      title: say('salesOf', { month: name }),
      above: (
        <>
          <Notices of={[isPart ? say('salesPart') : null]} />
          <p safe>{say('salesText')}</p>
        </>
      ),
      links: (
        <>
          {isPart ? <LinkButton href={`${path}/sales`} label={say('salesAll')} /> : null}
          {may ? (
            <LinkButton href={fileAddress(pages.base, 'sales', month, 'excel')} label={say('salesFile')} />
          ) : null}
          {may ? <LinkButton href={`${path}/declaration`} label={say('declaration')} /> : null}
          <LinkButton href={path} label={say('backToMonth', { month: name })} />
        </>
      ),
    }
  },
}
