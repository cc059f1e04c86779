// The page Health: the checks of `doctor`, the last reconciliation, events to the platform, and the jobs.

import { ActButton, pathOfAct, titleOf } from '../acts/act-links.js'
import { MINUTE, SECOND } from '../core/instant.js'
import { replayEvents, resendEvent, resendWaiting } from '../events/event-acts.js'
import { reportEvents } from '../events/event-list.js'
import { disabledInWords } from '../events/inbox.js'
import type { App } from '../http/app.js'
import { type Labels, readLabels } from '../ledger/labels.js'
import { addressOf, consolePage, Facts, Hint, type View } from '../pages/console-frame.js'
import { consoleRoute } from '../pages/console-view.js'
import { codeInWords, failureInWords } from '../pages/console-words.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { Table } from '../pages/table.js'
import type { AllPages } from './all-pages.js'
import { CheckFound } from './check-found.js'
import { readHealth } from './health.js'
import { NoticeOf, noticeIn, Trail } from './trail.js'
import { pageOfTrail } from './trail-list.js'

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
