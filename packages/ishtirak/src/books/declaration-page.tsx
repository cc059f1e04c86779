// The declaration of a month, to print on A4: each figure leads to its documents.
import { addressOf, consolePage, type View } from '../pages/console-frame.js'
import { Facts, Hint, Notices, NoWrap, Table, Text, Under } from '../pages/console-parts.js'
import { Card, LinkButton } from '../pages/parts.js'
import type { Declaration, TaxedTurnover } from './declaration.js'
import { type BooksPages, fileAddress } from './exports.js'
import { OwedToUsers } from './month-page.js'
import { salesPath } from './sales-page.js'

export function declarationPage(pages: BooksPages, view: View, of: Declaration): string {
  const { say, locale } = view
  const month = view.month(of.from)
  const monthPath = addressOf(pages.base, 'months', of.month)
  const closed = of.closed
    ? say('closedOn', { day: view.moment(of.closed.at), name: of.closed.by })
    : say('declarationOpen')
  const { name, address, rc, autoEntrepreneurCard, nif, nis, ai } = pages.seller.identity
  return consolePage(
    { pages, view, title: say('declarationOf', { month }), section: 'month' },
    <>
      <p class="actions">
        <LinkButton href={`${monthPath}/sales`} label={say('sales')} />
        <LinkButton href={fileAddress(pages.base, 'sales', of.month, 'excel')} label={say('salesFile')} />
        <LinkButton href={monthPath} label={say('backToMonth', { month })} />
      </p>
      <Notices of={[of.live ? null : say('playMoney'), closed]} />
      <Card id="declarant" title={say('declarant')}>
        {/* The names of the numbers are French in every language, as on the documents. */}
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
      <TurnoverCard {...{ pages, view, of }} />
      <OwedToUsers
        view={view}
        owed={of.advances}
        topUps={salesPath(pages.base, of.month, { tax: 'advance', side: 'sales' })}
      />
      <Hint>{say('declarationText')}</Hint>
    </>,
  )
}

function TurnoverCard({ pages, view, of }: { pages: BooksPages; view: View; of: Declaration }) {
  const { say, locale } = view
  const rows: readonly (Declaration['total'] & Partial<TaxedTurnover>)[] = [...of.turnover, of.total]
  const linked = (line: (typeof rows)[number], side: 'sales' | 'credits') => {
    const sum = <NoWrap>{view.centimes(line[side].ht)}</NoWrap>
    const filter = { ...(line.tax && { tax: line.tax }), side }
    return line[side].count === 0 ? sum : <a href={salesPath(pages.base, of.month, filter)}>{sum}</a>
  }
  /** If there is no tax, the name says why, in the words of the receipts, and until when. */
  const nameOf = ({ taxed, exempt_until: until }: (typeof rows)[number]) => {
    if (!taxed) return <b safe>{say('total')}</b>
    if (taxed.kind === 'vat') return <Text>{say('taxedAt', { rate: String(taxed.ratePercent) })}</Text>
    return (
      <>
        <Text>{say(taxed.kind === 'exempt' ? 'exemptTurnover' : 'notLiableTurnover')}</Text>
        <Under>{taxed.mention[locale]}</Under>
        <Under>{until ? say('exemptUntil', { day: view.day(until) }) : null}</Under>
      </>
    )
  }
  return (
    <Card id="turnover" title={say('turnover')}>
      <Table
        {...{ pages, view, rows }}
        columns={[
          { head: 'turnover', safe: nameOf, isName: true },
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
