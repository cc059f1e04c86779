// A day of the drawer in the console: what must be there, what was counted, by person, and each slip.
import { verbOf } from '../acts/act.js'
import { actsOffered, titleOf } from '../acts/act-console.js'
import { DAY } from '../core/instant.js'
import type { App } from '../http/app.js'
import { instrumentName } from '../i18n/messages.js'
import type { AllPages } from '../overview/all-pages.js'
import { NoticeOf, noticeIn, Trail, type TrailNotice } from '../overview/trail.js'
import {
  addressOf,
  type ConsolePages,
  NoWrap,
  renderConsole,
  sendPage,
  Table,
  Text,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import { byMethod, byPerson, type DrawerDay, drawerStateOf, entriesAfter, readDrawer } from './drawer.js'
import { DRAWER, type DrawerActDeps } from './drawer-acts.js'

type DrawerPages = AllPages & DrawerActDeps

export function drawerRoutes(app: App, pages: DrawerPages): void {
  const hidden = forOperators(pages)
  const today = () => pages.wallClock.dayAt(pages.clock.now())

  app.get('/console/drawer', hidden, async (request, reply) => {
    const drawer = await readDrawer(pages, today())
    return sendPage(pages, reply, drawerPage(pages, viewOf(pages, request, reply), drawer, noticeIn(request)))
  })

  app.get<{ Params: { day: string } }>('/console/drawer/:day', hidden, async (request, reply) => {
    const drawer = await readDrawer(pages, request.params.day)
    return sendPage(pages, reply, drawerPage(pages, viewOf(pages, request, reply), drawer, noticeIn(request)))
  })
}

const STATES = { open: 'drawerOpen', counted: 'drawerCounted', closed: 'drawerClosed' } as const

function drawerPage(pages: DrawerPages, view: View, drawer: DrawerDay, notice: TrailNotice): string {
  const { say, locale } = view
  const at = pages.wallClock.dayOf(drawer.day)?.from ?? 0
  return renderConsole(pages, {
    ...view,
    title: say('drawer'),
    section: 'counter',
    safeContent: (
      <>
        <h1 safe>{say('drawerOf', { day: pages.formats.day(at, locale) })}</h1>
        <NoticeOf {...{ view, notice }} acts={drawer.audit} />
        <Card id="state" title={say(STATES[drawerStateOf(drawer.count)])}>
          <CountedBy {...{ pages, view, drawer }} />
          <Sums {...{ pages, view, drawer }} />
          <Acts {...{ pages, view, drawer, at }} />
        </Card>
        <People {...{ pages, view, drawer }} />
        <Slips {...{ pages, view, drawer }} />
        <Trail {...{ pages, view }} acts={drawer.audit} isOpen />
      </>
    ),
  })
}

interface Shown {
  readonly pages: DrawerPages
  readonly view: View
  readonly drawer: DrawerDay
}

function CountedBy({ pages, view, drawer: { count } }: Shown) {
  const { say, locale } = view
  if (!count) return null
  const { countedBy, countedAt, confirmedBy, confirmedAt } = count
  const moment = (instant: number) => pages.formats.moment(instant, locale)
  return (
    <>
      <p safe>{say('drawerCountedBy', { name: countedBy, at: moment(countedAt) })}</p>
      {confirmedBy === null || confirmedAt === null ? null : (
        <p safe>{say('drawerConfirmedBy', { name: confirmedBy, at: moment(confirmedAt) })}</p>
      )}
    </>
  )
}

function Sums({ pages, view, drawer }: Shown) {
  const { say, locale } = view
  const money = (centimes: number | null) =>
    centimes === null ? '' : <NoWrap>{signed(pages, centimes, view)}</NoWrap>
  const rows = byMethod(drawer).map((sums) => ({
    safeCells: [
      <Text>{instrumentName(sums.method, locale)}</Text>,
      <Text>{String(sums.slips)}</Text>,
      ...[sums.taken, sums.duty, sums.returned, sums.paidOut, sums.expected].map(money),
      money(sums.counted?.counted ?? null),
      money(sums.counted?.difference ?? null),
      money(sums.after),
    ],
  }))
  const columns = [say('method'), say('drawerSlips'), say('drawerTaken'), say('stampDuty')]
  const out = [say('drawerReturned'), say('drawerPaidOut'), say('drawerExpected')]
  const after = [say('drawerWasCounted'), say('drawerDifference'), say('drawerAfter')]
  return (
    <>
      <Table columns={[...columns, ...out, ...after]} safeRows={rows} figuresFrom={2} named />
      <p class="soft small" safe>
        {say('drawerExplained')}
      </p>
    </>
  )
}

function signed({ formats }: ConsolePages, centimes: number, { locale }: View): string {
  const amount = formats.centimes(Math.abs(centimes), locale)
  return centimes < 0 ? `\u200e−${amount}` : amount
}

function Acts({ pages, view, drawer, at }: Shown & { at: number }) {
  const { say } = view
  const path = addressOf(pages.base, 'drawer', drawer.day)
  // A day has 23 to 25 hours.
  const next = pages.wallClock.dayAt(at + 1.5 * DAY)
  return (
    <p class="actions">
      {actsOffered(pages, view, { subject: DRAWER, file: drawer, deps: pages }).map((act) => (
        <LinkButton href={`${path}/${verbOf(act)}`} label={titleOf(act, view)} />
      ))}
      <LinkButton
        href={addressOf(pages.base, 'drawer', pages.wallClock.dayAt(at - DAY / 2))}
        label={say('drawerBefore')}
      />
      {next > pages.wallClock.dayAt(pages.clock.now()) ? null : (
        <LinkButton href={addressOf(pages.base, 'drawer', next)} label={say('drawerNext')} />
      )}
    </p>
  )
}

function People({ pages, view, drawer }: Shown) {
  const { say, locale } = view
  const rows = byPerson(drawer).map(({ operator, slips, cash, cheque }) => ({
    safeCells: [
      <Text>{operator ?? ''}</Text>,
      <Text>{String(slips)}</Text>,
      ...[cash, cheque].map((sum) => <NoWrap>{signed(pages, sum, view)}</NoWrap>),
    ],
  }))
  const names = [say('who'), say('drawerSlips')]
  const columns = [...names, instrumentName('cash', locale), instrumentName('cheque', locale)]
  return (
    <Card id="people" title={say('drawerPeople')}>
      <Table columns={columns} safeRows={rows} figuresFrom={2} named empty={say('drawerEmpty')} />
    </Card>
  )
}

const KINDS = { taken: 'drawerTaken', returned: 'drawerReturned', paid_out: 'drawerPaidOut' } as const

function Slips({ pages, view, drawer }: Shown) {
  const { entries } = drawer
  const came = entriesAfter(drawer)
  const { say, locale } = view
  const parts = [
    { id: 'slips', title: say('drawerSlips'), of: entries.filter((entry) => !came.has(entry)) },
    { id: 'after', title: say('drawerAfter'), of: [...came] },
  ]
  const columns = ['when', 'drawerKind', 'method', 'deskReference', 'user', 'who', 'amount'] as const
  return (
    <>
      {parts.map(({ id, title, of }) =>
        of.length === 0 ? null : (
          <Card id={id} title={title}>
            <Table
              columns={columns.map((name) => say(name))}
              safeRows={of.map((entry) => ({
                safeCells: [
                  <NoWrap>{pages.formats.moment(entry.at, locale)}</NoWrap>,
                  <Text>{say(KINDS[entry.kind])}</Text>,
                  <Text>{instrumentName(entry.method, locale)}</Text>,
                  entry.paymentId === null ? (
                    ''
                  ) : (
                    <a href={addressOf(pages.base, 'payments', entry.paymentId)}>
                      <bdi safe>{entry.reference ?? entry.paymentId}</bdi>
                    </a>
                  ),
                  <UserCell {...{ pages, user: { userId: entry.userId } }} />,
                  <Text>{entry.operator ?? ''}</Text>,
                  <NoWrap>{signed(pages, entry.price + entry.duty, view)}</NoWrap>,
                ],
              }))}
            />
          </Card>
        ),
      )}
    </>
  )
}
