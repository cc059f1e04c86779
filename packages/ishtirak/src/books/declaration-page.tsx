// The declaration of a month, to print on A4: each figure leads to its documents.

import {
  addressOf,
  consolePage,
  Facts,
  Hint,
  Notices,
  NoWrap,
  Under,
  type View,
} from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { Table } from '../pages/table.js'
import type { Declaration, TaxedTurnover } from './declaration.js'
import type { BooksPages } from './exports.js'
import { OwedToUsers } from './month-page.js'
import { salesPath } from './sales-page.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly of: Declaration
}

export function declarationPage(pages: BooksPages, view: View, of: Declaration): string {
  const { say } = view
  const month = view.month(of.from)
  const monthPath = addressOf(pages.base, 'months', of.month)
  const title = say('declarationOf', { month })
  const shown = { pages, view, of }
  const closed = of.closed
    ? say('closedOn', { day: view.moment(of.closed.at), name: of.closed.by })
    : say('declarationOpen')
  return consolePage(
    { pages, view, title, section: 'month' },
    <>
      <p class="actions">
        <LinkButton href={`${monthPath}/sales`} label={say('sales')} />
        <LinkButton href={`${monthPath}/sales/file?format=excel`} label={say('salesFile')} />
        <LinkButton href={monthPath} label={say('backToMonth', { month })} />
      </p>
      <Notices of={[of.live ? null : say('playMoney'), closed]} />
      <Declarant {...shown} />
      <TurnoverCard {...shown} />
      <OwedToUsers
        view={view}
        owed={of.advances}
        topUps={salesPath(pages.base, of.month, { tax: 'advance', side: 'sales' })}
      />
      <Hint>{say('declarationText')}</Hint>
    </>,
  )
}

/** The names of the numbers are French in every language, as on the documents. */
function Declarant({ pages, view: { say, locale } }: Shown) {
  const { name, address, rc, autoEntrepreneurCard, nif, nis, ai } = pages.seller.identity
  return (
    <Card id="declarant" title={say('declarant')}>
      <Facts
        facts={[
          [name[locale], address[locale]],
          ['NIF', nif],
          ['NIS', nis],
          ['RC', rc ?? autoEntrepreneurCard],
          ['AI', ai],
        ]}
      />
    </Card>
  )
}

/** `taxed` is null in the row of the total. */
type TurnoverRow = Declaration['total'] & { readonly taxed: TaxedTurnover | null }

function TurnoverCard({ pages, view, of }: Shown) {
  const { say } = view
  const linked = (line: TurnoverRow, side: 'sales' | 'credits') => {
    const { count, ht } = line[side]
    const sum = <NoWrap>{view.centimes(ht)}</NoWrap>
    const filter = { ...(line.taxed && { tax: line.taxed.tax }), side }
    return count === 0 ? sum : <a href={salesPath(pages.base, of.month, filter)}>{sum}</a>
  }
  return (
    <Card id="turnover" title={say('turnover')}>
      <Table<TurnoverRow>
        {...{ pages, view }}
        rows={[...of.turnover.map((taxed) => ({ ...taxed, taxed })), { ...of.total, taxed: null }]}
        columns={[
          {
            head: 'turnover',
            safe: ({ taxed: one }) =>
              one ? <TaxName {...{ pages, view, one }} /> : <b safe>{say('total')}</b>,
            isName: true,
          },
          { head: 'salesHt', safe: (line) => linked(line, 'sales'), isFigure: true },
          { head: 'creditsHt', safe: (line) => linked(line, 'credits') },
          { head: 'netHt', figure: ({ net }) => view.centimes(net.ht) },
          { head: 'vatDue', figure: ({ net }) => view.centimes(net.tva) },
          { head: 'netTtc', figure: ({ net }) => view.centimes(net.ttc) },
        ]}
      />
      <Facts
        facts={[
          [say('lateHt'), of.after_closing.count === 0 ? null : view.centimes(of.after_closing.ht)],
          [say('stampDutyDue'), view.centimes(of.stamp_duty)],
        ]}
      />
    </Card>
  )
}

/** The tax with the text on receipts that says why there is none, and its last day. */
function TaxName({ pages, view, one }: Omit<Shown, 'of'> & { one: TaxedTurnover }) {
  const { taxed: tax, exempt_until: until } = one
  const { say, locale } = view
  if (tax.kind === 'vat') return <span safe>{say('taxedAt', { rate: String(tax.ratePercent) })}</span>
  const day = until && view.day(pages.wallClock.dayOf(until)?.from ?? 0)
  return (
    <>
      <span safe>{say(tax.kind === 'exempt' ? 'exemptTurnover' : 'notLiableTurnover')}</span>
      <Under>{tax.mention[locale]}</Under>
      <Under>{day && say('exemptUntil', { day })}</Under>
    </>
  )
}
