// The page Health: the checks of `doctor`, the last reconciliation, events to the platform, and the jobs.

import { ActButton, pathOfAct, titleOf } from '../acts/act-links.js'
import type { Check } from '../acts/check.js'
import { type AccountKind, INSTRUMENTS } from '../core/account.js'
import { MINUTE, SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { replayEvents, resendEvent, resendWaiting } from '../events/event-acts.js'
import { reportEvents } from '../events/event-list.js'
import { disabledInWords } from '../events/inbox.js'
import type { App } from '../http/app.js'
import { inList } from '../i18n/formats.js'
import { instrumentName, isConsoleKey } from '../i18n/messages.js'
import { type Labels, readLabels } from '../ledger/labels.js'
import { addressOf, consolePage, isOwner, type View } from '../pages/console-frame.js'
import { Facts, Hint, Table, Text, Under } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { codeInWords, failureInWords } from '../pages/console-words.js'
import { Card, LinkButton } from '../pages/parts.js'
import type { AllPages } from './all-pages.js'
import { readHealth } from './health.js'
import { NoticeOf, noticeIn, pageOfTrail, Trail } from './trail.js'

type Health = Awaited<ReturnType<typeof readHealth>>
type Events = Awaited<ReturnType<typeof reportEvents>>

const EVENTS_SHOWN = 20
/** Only the newest acts: the trail has its own page. */
const ACTS_SHOWN = 5

export function healthRoute(app: App, pages: AllPages): void {
  consoleRoute(app, pages, '/console/health', async ({ view, request }) => {
    const [health, events, trail, safeCards] = await Promise.all([
      readHealth(pages),
      reportEvents(pages, { userId: null, waiting: true, limit: EVENTS_SHOWN }),
      pageOfTrail(pages, {}, { cursor: null, limit: ACTS_SHOWN }),
      Promise.all(pages.healthCards.map((card) => card(view))),
    ])
    const labels = await readLabels(pages, { users: events.data.map((event) => event.user_id) })
    const notice = noticeIn(request)
    const trailPath = addressOf(pages.base, 'trail')
    return consolePage(
      { pages, view, title: view.say('health'), section: 'health' },
      <>
        <NoticeOf view={view} acts={trail.items} notice={notice} />
        <Checks {...{ pages, view, health }} />
        {safeCards}
        <Deliveries {...{ pages, view, events, labels, health }} />
        <Jobs {...{ pages, view, health }} />
        <Trail {...{ pages, view }} acts={trail.items} isOpen={notice.isOfAct} />
        <p class="actions">
          <LinkButton href={trailPath} label={view.say('trailAll')} />
        </p>
      </>,
    )
  })
}

const BADGES = { ok: '', warn: 'warn', fail: 'bad' }

function Checks({ pages, view, health }: { pages: AllPages; view: View; health: Health }) {
  const { say } = view
  return (
    <Card id="checks" title={say('checks')}>
      <Table
        {...{ pages, view }}
        rows={health.checks}
        columns={[
          {
            head: 'status',
            safe: ({ verdict }) => (
              <span class={`badge ${BADGES[verdict]}`} safe>
                {say(`verdict_${verdict}`)}
              </span>
            ),
          },
          { head: 'subject', text: ({ subject }) => say(`subject_${subject}`) },
          { head: 'found', safe: (check) => <CheckFound {...{ pages, view, check }} /> },
        ]}
      />
    </Card>
  )
}

const VARIABLE = /[A-Z]{2,}_[A-Z]/

function CheckFound({ pages, view, check }: { pages: AllPages; view: View; check: Check }) {
  const { say, locale } = view
  const { code, data } = check
  const inWords: Readonly<Record<string, (value: string) => string>> = {
    since: view.moment,
    at: view.moment,
    until: (day) => pages.formats.day(pages.wallClock.dayOf(day)?.from ?? 0, locale),
    why: (why) => disabledInWords(view, why),
    amount: (amount) => view.money(Number.parseInt(amount, 10)),
    seconds: (seconds) => view.number(Number(seconds)),
    kinds: (kinds) => kindsInWords(kinds, locale),
  }
  const values = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, inWords[name]?.(value) ?? value]),
  )
  const remedy = `remedy_${code}`
  const text = check.remedy !== '' && isConsoleKey(remedy) ? say(remedy, values) : null
  // Only owners can set a variable of the environment.
  const told = text !== null && VARIABLE.test(text) && !isOwner(view) ? null : text
  return (
    <>
      {data.gateway === undefined ? null : <Text>{`${data.gateway}: `}</Text>}
      <Text>{say(`check_${code}`, values)}</Text>
      <Under>{told}</Under>
    </>
  )
}

/** `kinds`: the kinds of account, separated by commas. */
function kindsInWords(kinds: string, locale: Locale): string {
  const instruments = new Map(Object.entries(INSTRUMENTS))
  const names = kinds
    .split(', ')
    .map((kind) => instrumentName(instruments.get(kind as AccountKind) ?? kind, locale))
  return inList(names, locale)
}

function Deliveries(of: { pages: AllPages; view: View; events: Events; labels: Labels; health: Health }) {
  const { pages, view, events, labels, health } = of
  const { say, number, moment } = view
  const { waiting, data } = events
  // The state of an address that is no longer set is outdated.
  const endpoint = health.checks.some(({ code }) => code === 'events_off') ? null : events.endpoint
  const since = endpoint?.disabled_at ?? endpoint?.failing_since ?? null
  return (
    <Card id="deliveries" title={say('deliveries')}>
      <Facts
        facts={[
          [say('platformAddress'), say(`endpoint_${endpoint?.state ?? 'none'}`)],
          [say('since'), moment(since)],
          [say('why'), endpoint?.disabled_because ? disabledInWords(view, endpoint.disabled_because) : null],
          [say('eventsWaiting'), number(waiting.events)],
          [say('usersWaiting'), number(waiting.users)],
        ]}
      />
      {data.length === 0 ? null : (
        <Table
          {...{ pages, view }}
          rows={data}
          idOf={({ id }) => id}
          columns={[
            { head: 'event', text: ({ type }) => codeInWords(view, 'event', type) },
            { head: 'user', user: ({ user_id }) => labels.user(user_id) },
            { head: 'created', nowrap: ({ created_at }) => moment(created_at) },
            { head: 'attempts', text: ({ attempts }) => number(attempts) },
            { head: 'lastFailure', text: ({ failure }) => failure && failureInWords(view, failure) },
            {
              head: 'nextAct',
              link: ({ id }) => ({
                href: pathOfAct(pages, resendEvent, id),
                text: titleOf(resendEvent, view),
              }),
            },
          ]}
        />
      )}
      {endpoint === null ? null : (
        <p class="actions">
          <ActButton {...{ pages, view }} act={resendWaiting} />
          <ActButton {...{ pages, view }} act={replayEvents} />
        </p>
      )}
    </Card>
  )
}

function Jobs({ pages, view, health }: { pages: AllPages; view: View; health: Health }) {
  const { say, locale } = view
  const every = (seconds: number) =>
    seconds * SECOND < MINUTE
      ? say('seconds', { count: view.number(seconds) })
      : pages.formats.timeLeft(seconds * SECOND, locale)
  return (
    <Card id="jobs" title={say('jobs')}>
      <Hint>{say('jobsText')}</Hint>
      <Table
        {...{ pages, view }}
        rows={health.jobs}
        columns={[
          { head: 'job', text: ({ name }) => codeInWords(view, 'job', name) },
          { head: 'every', text: ({ every_seconds }) => every(every_seconds) },
          { head: 'lastRun', nowrap: ({ last_run_at: at }) => view.moment(at) ?? say('never') },
          { head: 'lastFailed', nowrap: ({ last_failed_at: at }) => view.moment(at) ?? say('never') },
        ]}
      />
    </Card>
  )
}
