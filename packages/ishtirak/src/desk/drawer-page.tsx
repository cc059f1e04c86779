// A day of the drawer in the console: what must be there, what was counted, by person, and each slip.
import { verbOf } from '../acts/act.js'
import { actsOffered, titleOf } from '../acts/act-console.js'
import { DAY } from '../core/instant.js'
import type { App } from '../http/app.js'
import { instrumentName } from '../i18n/messages.js'
import type { AllPages } from '../overview/all-pages.js'
import { NoticeOf, noticeIn, Trail, type TrailNotice } from '../overview/trail.js'
import { addressOf, renderConsole, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
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

function CountedBy({ view, drawer: { count } }: Shown) {
  const { say, moment } = view
  if (!count) return null
  const { countedBy, countedAt, confirmedBy, confirmedAt } = count
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
  const money = (centimes: number | null) => (centimes === null ? null : signed(centimes, view))
  return (
    <>
      <Table
        {...{ pages, view }}
        rows={byMethod(drawer)}
        columns={[
          { head: 'method', text: ({ method }) => instrumentName(method, locale), isName: true },
          { head: 'drawerSlips', figure: ({ slips }) => String(slips) },
          { head: 'drawerTaken', figure: ({ taken }) => money(taken) },
          { head: 'stampDuty', figure: ({ duty }) => money(duty) },
          { head: 'drawerReturned', figure: ({ returned }) => money(returned) },
          { head: 'drawerPaidOut', figure: ({ paidOut }) => money(paidOut) },
          { head: 'drawerExpected', figure: ({ expected }) => money(expected) },
          { head: 'drawerWasCounted', figure: ({ counted }) => money(counted?.counted ?? null) },
          { head: 'drawerDifference', figure: ({ counted }) => money(counted?.difference ?? null) },
          { head: 'drawerAfter', figure: ({ after }) => money(after) },
        ]}
      />
      <p class="soft small" safe>
        {say('drawerExplained')}
      </p>
    </>
  )
}

function signed(centimes: number, view: View): string {
  const amount = view.centimes(Math.abs(centimes))
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
  return (
    <Card id="people" title={say('drawerPeople')}>
      <Table
        {...{ pages, view }}
        rows={byPerson(drawer)}
        columns={[
          { head: 'who', text: ({ operator }) => operator, isName: true },
          { head: 'drawerSlips', figure: ({ slips }) => String(slips) },
          { head: { words: instrumentName('cash', locale) }, figure: ({ cash }) => signed(cash, view) },
          { head: { words: instrumentName('cheque', locale) }, figure: ({ cheque }) => signed(cheque, view) },
        ]}
        empty={say('drawerEmpty')}
      />
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
  const columns: readonly Column<(typeof entries)[number]>[] = [
    { head: 'when', nowrap: ({ at }) => view.moment(at) },
    { head: 'drawerKind', text: ({ kind }) => say(KINDS[kind]) },
    { head: 'method', text: ({ method }) => instrumentName(method, locale) },
    {
      head: 'deskReference',
      link: ({ paymentId: id, reference }) =>
        id === null ? null : { href: addressOf(pages.base, 'payments', id), text: reference ?? id },
    },
    { head: 'user', user: ({ userId }) => ({ userId }) },
    { head: 'who', text: ({ operator }) => operator },
    { head: 'amount', nowrap: ({ price, duty }) => signed(price + duty, view) },
  ]
  return (
    <>
      {parts.map(({ id, title, of }) =>
        of.length === 0 ? null : (
          <Card id={id} title={title}>
            <Table {...{ pages, view, columns }} rows={of} />
          </Card>
        ),
      )}
    </>
  )
}
