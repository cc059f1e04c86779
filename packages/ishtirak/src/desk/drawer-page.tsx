// The console's report of a day of the drawer: the expected money, the count, and each slip.
import { isUndone } from '../acts/act-console.js'
import { ActButton, actsOffered } from '../acts/act-links.js'
import { DAY } from '../core/instant.js'
import type { App } from '../http/app.js'
import { instrumentName } from '../i18n/messages.js'
import { type Labels, readLabels } from '../ledger/labels.js'
import type { AllPages } from '../overview/all-pages.js'
import { NoticeOf, noticeIn } from '../overview/trail.js'
import { addressOf, consolePage, type View } from '../pages/console-frame.js'
import { type Column, Facts, Hint, Table } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { Card, LinkButton } from '../pages/parts.js'
import { DRAWER, type DrawerDay, type DrawerDeps, readDrawer, STATES } from './drawer.js'

type DrawerPages = AllPages & DrawerDeps

export function drawerRoute(app: App, pages: DrawerPages): void {
  consoleRoute(app, pages, '/console/drawer/:day', async ({ view, request, params }) => {
    const drawer = await readDrawer(pages, params.day)
    const { day, from, state, count, entries } = drawer
    const labels = await readLabels(pages, { users: entries.map(({ user_id }) => user_id) })
    const notice = { ...noticeIn(request), isChanged: isUndone(request) }
    const { say, moment } = view
    const by = (name: string, at: number) => `${name}, ${moment(at)}`
    return consolePage(
      { pages, view, title: say('drawerOf', { day: view.day(from) }), section: 'counter' },
      <>
        <NoticeOf {...{ view, notice }} acts={[]} />
        <Card id="state" title={say(STATES[state])}>
          <Facts
            facts={[
              [say('drawerCountedBy'), count && by(count.counted_by, count.counted_at)],
              [
                say('drawerConfirmedBy'),
                count?.confirmed_by ? by(count.confirmed_by, count.confirmed_at ?? 0) : null,
              ],
            ]}
          />
          <Table {...{ pages, view }} rows={drawer.by_method} columns={SUMS} />
          <Hint>{say('drawerExplained')}</Hint>
          <p class="actions">
            {actsOffered(pages, view, { subject: DRAWER, file: drawer, id: day }).map((one) => (
              <ActButton {...{ pages, view }} {...one} />
            ))}
            <OtherDays {...{ pages, view, from }} />
          </p>
        </Card>
        <Card id="slips" title={say('drawerSlips')}>
          <Table {...{ pages, view }} rows={entries} columns={slips(labels)} empty={say('drawerEmpty')} />
        </Card>
      </>,
    )
  })
}

const SUMS: readonly Column<DrawerDay['by_method'][number]>[] = [
  { head: 'method', text: ({ method }, { locale }) => instrumentName(method, locale), isName: true },
  { head: 'drawerSlips', figure: ({ slips }, { number }) => number(slips) },
  { head: 'drawerTaken', figure: ({ taken }, { centimes }) => centimes(taken) },
  { head: 'stampDuty', figure: ({ stamp_duty }, { centimes }) => centimes(stamp_duty) },
  { head: 'drawerReturned', figure: ({ returned }, { centimes }) => centimes(returned) },
  { head: 'drawerPaidOut', figure: ({ paid_out }, { centimes }) => centimes(paid_out) },
  { head: 'drawerExpected', figure: ({ expected }, { centimes }) => centimes(expected) },
  { head: 'drawerWasCounted', figure: ({ counted }, { centimes }) => centimes(counted?.counted ?? null) },
  { head: 'drawerDifference', figure: ({ counted }, { centimes }) => centimes(counted?.difference ?? null) },
  { head: 'drawerAfter', figure: ({ after_count }, { centimes }) => centimes(after_count) },
]

const KINDS = { taken: 'drawerTaken', returned: 'drawerReturned', paid_out: 'drawerPaidOut' } as const

const slips = (labels: Labels): readonly Column<DrawerDay['entries'][number]>[] => [
  { head: 'when', nowrap: ({ at }, { moment }) => moment(at) },
  { head: 'drawerKind', text: ({ kind }, { say }) => say(KINDS[kind]) },
  { head: 'method', text: ({ method }, { locale }) => instrumentName(method, locale) },
  {
    head: 'deskReference',
    link: ({ payment_id: id, reference }, _, { base }) =>
      id === null ? null : { href: addressOf(base, 'payments', id), text: reference ?? id },
  },
  { head: 'user', user: ({ user_id }) => labels.user(user_id) },
  { head: 'who', text: ({ operator }) => operator },
  { head: 'amount', nowrap: ({ amount }, { centimes }) => centimes(amount) },
]

function OtherDays({ pages, view, from }: { pages: DrawerPages; view: View; from: number }) {
  const { dayAt } = pages.wallClock
  // A day has 23 to 25 hours.
  const [before, next] = [dayAt(from - DAY / 2), dayAt(from + 1.5 * DAY)]
  return (
    <>
      <LinkButton href={addressOf(pages.base, 'drawer', before)} label={view.say('drawerBefore')} />
      {next > dayAt(pages.clock.now()) ? null : (
        <LinkButton href={addressOf(pages.base, 'drawer', next)} label={view.say('drawerNext')} />
      )}
    </>
  )
}
