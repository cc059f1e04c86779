// The page of a month: what was paid and refunded, by day and by method; whose time began and ended.

import { type Figures, lessRefunds, sumNet, sumPaid } from '../core/figures.js'
import { mayDo } from '../core/role.js'
import { inParts } from '../i18n/formats.js'
import { instrumentName } from '../i18n/messages.js'
import { addressOf, Facts, NoWrap, renderConsole, Table, Text, type View } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type BooksPages, EXPORT } from './accounts.js'
import { MonthChart } from './month-chart.js'
import type { MonthFigures } from './months.js'

interface Shown {
  readonly pages: BooksPages
  readonly view: View
  readonly figures: MonthFigures
}

export function monthPage(pages: BooksPages, view: View, figures: MonthFigures): string {
  const { say, locale } = view
  const title = pages.formats.month(figures.from, locale)
  const shown = { pages, view, figures }
  const isEmpty = figures.paid.count === 0 && figures.refunded.count === 0
  return renderConsole(pages, {
    ...view,
    title,
    section: 'month',
    languagePath: addressOf(pages.base, 'months', figures.month),
    safeContent: (
      <>
        <h1 safe>{title}</h1>
        <Neighbors {...shown} />
        <Notices {...shown} />
        <Summary {...shown} />
        <OwedToUsers {...shown} />
        {isEmpty ? <p safe>{say('noneInMonth')}</p> : null}
        <Files {...shown} />
        <Users {...shown} />
        {isEmpty ? null : <ByMethod {...shown} />}
        {isEmpty ? null : <ByDay {...shown} />}
      </>
    ),
  })
}

/** The month before, and the one after it where that has begun. */
function Neighbors({ pages, view, figures }: Shown) {
  const { clock, formats, wallClock, base } = pages
  const { say, locale } = view
  const at = (instant: number) => wallClock.wallTime(instant).slice(0, 7)
  const [earlier, later] = [at(figures.from - 1), at(figures.to)]
  const before = wallClock.monthOf(earlier)
  return (
    <p class="actions">
      {before === null ? null : (
        <LinkButton
          href={addressOf(base, 'months', earlier)}
          label={say('earlierMonth', { month: formats.month(before.from, locale) })}
        />
      )}
      {figures.to > clock.now() ? null : (
        <LinkButton
          href={addressOf(base, 'months', later)}
          label={say('laterMonth', { month: formats.month(figures.to, locale) })}
        />
      )}
    </p>
  )
}

function Notices({ pages, view, figures }: Shown) {
  const { say, locale } = view
  const count = (of: number) => pages.formats.number(of, locale)
  const { live, uncounted, paid, owed } = figures
  const sentences = [
    live ? null : say('playMoney'),
    uncounted === 0 ? null : say('uncounted', { count: count(uncounted) }),
    paid.feesUnknown === 0 ? null : say('feesUnknown', { count: count(paid.feesUnknown) }),
    owed && owed.unbooked > 0 ? say('unbooked', { count: count(owed.unbooked) }) : null,
  ]
  return (
    <>
      {sentences.map((text) =>
        text === null ? null : (
          <p class="notice" safe>
            {text}
          </p>
        ),
      )}
    </>
  )
}

function Summary({ pages, view, figures }: Shown) {
  const { say, locale } = view
  const { paid, refunded } = figures
  const money = (sum: number) => pages.formats.centimes(sum, locale)
  const count = (of: number) => pages.formats.number(of, locale)
  const columns = [
    ...[
      say('what'),
      say('paidPayments'),
      say('priceHt'),
      say('taxTva'),
      say('priceTtc'),
      say('stampDutySum'),
    ],
    ...[say('total'), say('discounts')],
  ]
  const row = (name: string, of: string, one: Figures) => ({
    safeCells: [
      <b safe>{name}</b>,
      of,
      ...[one.ht, one.tva, one.ttc, one.stampDuty, sumPaid(one), one.discount].map((sum) => (
        <NoWrap>{money(sum)}</NoWrap>
      )),
    ],
  })
  const rest = lessRefunds(paid, refunded)
  return (
    <Card id="summary" title={say('monthSummary')}>
      <Facts
        facts={[
          [say('paidSum'), money(sumPaid(paid))],
          [say('refundedSum'), money(refunded.ttc)],
          [say('feesSum'), money(paid.fees)],
          [say('netSum'), money(sumNet(rest))],
        ]}
      />
      <Table
        columns={columns}
        figuresFrom={2}
        named
        safeRows={[
          row(say('paidSum'), count(paid.count), paid),
          row(say('refundedSum'), count(refunded.count), refunded),
          row(say('balance'), '', rest),
        ]}
      />
    </Card>
  )
}

/** Where nothing was on a balance, nothing of it is shown. */
function OwedToUsers({ pages, view, figures: { owed } }: Shown) {
  if (!owed) return null
  const { say, locale } = view
  const money = (sum: number) => pages.formats.money(sum, locale)
  const some = (sum: number) => (sum === 0 ? null : money(sum))
  const { cameIn, late } = owed
  const columns = [say('method'), say('paidPayments'), say('amount'), say('stampDutySum'), say('feesSum')]
  return (
    <Card id="owed" title={say('owedTitle')}>
      <Facts
        facts={[
          [say('owedBefore'), money(owed.before)],
          [say('owedTopUps'), some(cameIn.topUps)],
          [say('owedSurplus'), some(cameIn.surplus)],
          [say('owedReturned'), some(cameIn.returned)],
          [say('owedGiven'), some(cameIn.corrected)],
          [say('owedEarned'), some(-owed.earned)],
          [say('owedTaken'), some(-owed.corrected)],
          [say('owedPaidOut'), some(-owed.paidOut)],
          [say('owedAfter'), money(owed.owed)],
        ]}
      />
      {late.count === 0 ? null : (
        <p safe>
          {say('owedLate', { count: pages.formats.number(late.count, locale), amount: money(late.amount) })}
        </p>
      )}
      {owed.byMethod.length === 0 ? null : (
        <Table
          columns={columns}
          figuresFrom={2}
          named
          safeRows={owed.byMethod.map(({ kind, method, instrument, count, amount, stampDuty, fees }) => ({
            safeCells: [
              <Text>
                {inParts(
                  [
                    instrumentName(instrument || method, locale),
                    ...(kind === 'surplus' ? [say('owedSurplus')] : []),
                  ],
                  locale,
                )}
              </Text>,
              pages.formats.number(count, locale),
              <NoWrap>{money(amount)}</NoWrap>,
              ...[stampDuty, fees].map((sum) => <NoWrap>{pages.formats.centimes(sum, locale)}</NoWrap>),
            ],
          }))}
        />
      )}
    </Card>
  )
}

type Both = Pick<MonthFigures, 'paid' | 'refunded'>

function ByDay(shown: Shown) {
  const { pages, view, figures } = shown
  const rows = figures.byDay
    .filter(({ paid, refunded }) => paid.count + refunded.count > 0)
    .map(({ from, ...both }) => ({ name: pages.formats.day(from, view.locale), both }))
  return (
    <Card id="by-day" title={view.say('byDay')}>
      <MonthChart {...shown} />
      <Sums {...shown} first={view.say('day')} rows={rows} />
    </Card>
  )
}

function ByMethod(shown: Shown) {
  const { view, figures } = shown
  const rows = figures.byMethod.map(({ method, instrument, ...both }) => ({
    name: instrumentName(instrument || method, view.locale),
    both,
  }))
  return (
    <Card id="by-method" title={view.say('byMethod')}>
      <Sums {...shown} first={view.say('method')} rows={rows} />
    </Card>
  )
}

function Sums(of: Shown & { first: string; rows: readonly { name: string; both: Both }[] }) {
  const { pages, view, first, rows } = of
  const { say, locale } = view
  const columns = [
    ...[first, say('paidPayments'), say('priceHt'), say('taxTva'), say('priceTtc'), say('stampDutySum')],
    ...[say('refundedSum'), say('feesSum'), say('net')],
  ]
  const safeRows = rows.map(({ name, both }) => {
    const { paid, refunded } = both
    const net = sumNet(lessRefunds(paid, refunded))
    const sums = [paid.ht, paid.tva, paid.ttc, paid.stampDuty, refunded.ttc, paid.fees, net]
    return {
      safeCells: [
        <Text>{name}</Text>,
        pages.formats.number(paid.count, locale),
        ...sums.map((sum) => <NoWrap>{pages.formats.centimes(sum, locale)}</NoWrap>),
      ],
    }
  })
  return <Table columns={columns} safeRows={safeRows} figuresFrom={2} named />
}

function Users({ pages, view, figures }: Shown) {
  const { say, locale } = view
  const { users } = figures
  const count = (of: number) => pages.formats.number(of, locale)
  return (
    <Card id="users" title={say('monthUsers')}>
      <Facts
        facts={[
          [say('usersNew'), count(users.new)],
          [say('usersRenewed'), count(users.renewed)],
          [say('usersLapsed'), count(users.lapsed)],
          // Of the seven days from now: of no month that is over.
          [say('usersEnding'), figures.to > pages.clock.now() ? count(users.ending) : null],
        ]}
      />
    </Card>
  )
}

function Files({ pages, view, figures }: Shown) {
  const { say, session } = view
  const path = addressOf(pages.base, 'months', figures.month)
  const may = mayDo(session.operator, EXPORT)
  return (
    <Card id="files" title={say('monthFiles')}>
      <p class="actions">
        <LinkButton href={`${path}/receipts`} label={say('journal')} />
        {may ? <LinkButton href={`${path}/accounts?format=excel`} label={say('csvExcel')} /> : null}
        {may ? <LinkButton href={`${path}/accounts`} label={say('csvPlain')} /> : null}
        {may && figures.owed ? (
          <LinkButton href={`${path}/advances?format=excel`} label={say('csvAdvances')} />
        ) : null}
      </p>
    </Card>
  )
}
