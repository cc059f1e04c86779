// The journal of sales in the console, page by page; or a part of it, as the declaration leads to it.

import { addressOf, NoWrap, Pager, renderConsole, Table, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import type { BooksPages } from './accounts.js'
import type { Line } from './lines.sql.js'
import { buyerOf, documentOf, type readSales, type SalesFilter, totalOfSale } from './sales.js'

interface Shown extends Awaited<ReturnType<typeof readSales>> {
  readonly month: string
  readonly filter: SalesFilter
  readonly cursor: string | null
}

export function salesPage(pages: BooksPages, view: View, shown: Shown): string {
  const { say, locale } = view
  const { month, filter, lines, nextCursor, cursor } = shown
  const monthName = pages.formats.month(shown.from, locale)
  const monthPath = addressOf(pages.base, 'months', month)
  const whole = `${monthPath}/sales`
  const isPart = filter.tax !== null || filter.side !== null
  const first = salesPath(pages.base, month, filter)
  const title = say('salesOf', { month: monthName })
  return renderConsole(pages, {
    ...view,
    title,
    section: 'month',
    languagePath: first,
    safeContent: (
      <>
        <h1 safe>{title}</h1>
        {isPart ? (
          <p class="notice" safe>
            {say('salesPart')}
          </p>
        ) : null}
        <Card id="sales" title={say('sales')}>
          <p safe>{say('salesText')}</p>
          {lines.length === 0 ? <p safe>{say('noSales')}</p> : <Lines {...{ pages, view, lines }} />}
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
      </>
    ),
  })
}

export function salesPath(
  base: string,
  month: string,
  { tax, side }: SalesFilter,
  cursor: string | null = null,
): string {
  const asked = Object.entries({ tax, side, cursor }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  )
  const query = asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`
  return `${addressOf(base, 'months', month)}/sales${query}`
}

function Lines({ pages, view, lines }: { pages: BooksPages; view: View; lines: readonly Line[] }) {
  const { say, locale } = view
  const { centimes, day } = pages.formats
  const rows = lines.map((line) => {
    const { paymentId, at, userId, ht, tva, ttc, stampDuty, advance } = line
    const { number, about } = documentOf(line)
    const buyer = buyerOf(line)
    const { nif = null } = buyer.details ?? {}
    return {
      safeCells: [
        <>
          <a href={addressOf(pages.base, 'payments', paymentId)} class="nowrap">
            <bdi safe>{number ?? say('refundOf', { receipt: about ?? '' })}</bdi>
          </a>
          {number === null || about === null ? null : (
            <span class="soft small line" safe>
              {say('saleAbout', { number: about })}
            </span>
          )}
        </>,
        <NoWrap>{day(at, locale)}</NoWrap>,
        <>
          <UserCell {...{ pages, user: { userId, name: buyer.details?.name ?? buyer.name } }} />
          {nif === null ? null : (
            <span class="soft small line">
              <bdi safe>{`NIF ${nif}`}</bdi>
            </span>
          )}
        </>,
        ...[ht, tva, ttc, stampDuty, advance, totalOfSale(line)].map((sum) => (
          <NoWrap>{centimes(sum, locale)}</NoWrap>
        )),
      ],
    }
  })
  const columns = [
    ...[say('saleDocument'), say('day'), say('saleCustomer'), say('priceHt'), say('taxTva'), say('priceTtc')],
    ...[say('stampDutySum'), say('advanceSum'), say('total')],
  ]
  return <Table columns={columns} safeRows={rows} figuresFrom={4} />
}
