// How the service is: what `doctor` says, the last reconciliation, events to the platform, and
// the jobs.

import { pathOfAct, titleOf } from '../acts/act-console.js'
import { MINUTE, SECOND } from '../core/instant.js'
import { mayDo, type Permission } from '../core/role.js'
import { disabledInWords } from '../events/disabled-words.js'
import { resendEvent, resendWaiting } from '../events/event-acts.js'
import { reportEvents } from '../events/manage-events.js'
import type { App } from '../http/app.js'
import { type Labels, readLabels } from '../ledger/labels.js'
import {
  addressOf,
  Facts,
  NoWrap,
  renderConsole,
  sendPage,
  Table,
  Text,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords, failureInWords } from '../pages/console-words.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import type { AllPages } from './all-pages.js'
import { CheckFound, Verdict } from './check-found.js'
import { readHealth } from './health.js'
import { isOfAct, NoticeOf, noticeIn, Trail } from './trail.js'
import { pageOfTrail } from './trail-list.js'

type Health = Awaited<ReturnType<typeof readHealth>>
type Events = Awaited<ReturnType<typeof reportEvents>>

const EVENTS_SHOWN = 20
/** Of the newest acts: the whole trail has a page of its own. */
const ACTS_SHOWN = 5

export function healthRoute(app: App, pages: AllPages): void {
  const hidden = forOperators(pages)
  app.get('/console/health', hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const [health, events, trail, safeCards] = await Promise.all([
      readHealth(pages),
      reportEvents(pages, { userId: null, waiting: true, limit: EVENTS_SHOWN }),
      pageOfTrail(pages, {}, { cursor: null, limit: ACTS_SHOWN }),
      Promise.all(pages.healthCards.map((card) => card(view))),
    ])
    const labels = await readLabels(pages, { users: events.data.map((event) => event.user_id) })
    const notice = noticeIn(request)
    const trailPath = addressOf(pages.base, 'trail')
    const html = renderConsole(pages, {
      ...view,
      title: view.say('health'),
      section: 'health',
      safeContent: (
        <>
          <h1 safe>{view.say('health')}</h1>
          <NoticeOf view={view} acts={trail.items} notice={notice} />
          <Checks {...{ pages, view, health }} />
          {safeCards}
          <Deliveries {...{ pages, view, events, labels, health }} />
          <Jobs {...{ pages, view, health }} />
          <Trail {...{ pages, view }} acts={trail.items} isOpen={isOfAct(notice)} />
          <p class="actions">
            <LinkButton href={trailPath} label={view.say('trailAll')} />
          </p>
        </>
      ),
    })
    return sendPage(pages, reply, html)
  })
}

function Checks({ pages, view, health }: { pages: AllPages; view: View; health: Health }) {
  const { say } = view
  const rows = health.checks.map((check) => ({
    safeCells: [
      <Verdict {...{ view }} verdict={check.verdict} />,
      <Text>{say(`subject_${check.subject}`)}</Text>,
      <CheckFound {...{ pages, view, check }} />,
    ],
  }))
  return (
    <Card id="checks" title={say('checks')}>
      <Table columns={[say('status'), say('subject'), say('found')]} safeRows={rows} />
    </Card>
  )
}

function Deliveries(of: { pages: AllPages; view: View; events: Events; labels: Labels; health: Health }) {
  const { pages, view, events, labels, health } = of
  const { say, locale } = view
  const { number, moment } = pages.formats
  const { waiting, data } = events
  // What became of an address that is no longer set says nothing of now.
  const endpoint = health.checks.some(({ code }) => code === 'events_off') ? null : events.endpoint
  const since = endpoint?.disabled_at ?? endpoint?.failing_since ?? null
  const rows = data.map((event) => ({
    id: event.id,
    safeCells: [
      <Text>{codeInWords(view, 'event', event.type)}</Text>,
      <UserCell {...{ pages, user: labels.user(event.user_id) }} />,
      <NoWrap>{moment(Date.parse(event.created_at), locale)}</NoWrap>,
      <Text>{number(event.attempts, locale)}</Text>,
      <Text>{event.failure === null ? '' : failureInWords(view, event.failure)}</Text>,
      <a href={pathOfAct(pages, resendEvent, event.id)} safe>
        {titleOf(resendEvent, view)}
      </a>,
    ],
  }))
  const columns = [
    say('event'),
    say('user'),
    say('created'),
    say('attempts'),
    say('lastFailure'),
    say('nextAct'),
  ]
  return (
    <Card id="deliveries" title={say('deliveries')}>
      <Facts
        facts={[
          [say('platformAddress'), say(`endpoint_${endpoint?.state ?? 'none'}`)],
          [say('since'), since && moment(Date.parse(since), locale)],
          [say('why'), endpoint?.disabled_because ? disabledInWords(view, endpoint.disabled_because) : null],
          [say('eventsWaiting'), number(waiting.events, locale)],
          [say('usersWaiting'), number(waiting.users, locale)],
        ]}
      />
      {rows.length === 0 ? null : <Table columns={columns} safeRows={rows} />}
      {endpoint === null ? null : (
        <ActLink
          {...{ view }}
          act={resendWaiting}
          href={pathOfAct(pages, resendWaiting, '')}
          label={titleOf(resendWaiting, view)}
        />
      )}
    </Card>
  )
}

/** Where the role may. */
function ActLink(of: { view: View; act: Permission; href: string; label: string }) {
  const { view, act, href, label } = of
  if (!mayDo(view.session.operator, act)) return null
  return (
    <p class="actions">
      <LinkButton {...{ href, label }} />
    </p>
  )
}

function Jobs({ pages, view, health }: { pages: AllPages; view: View; health: Health }) {
  const { say, locale } = view
  const values = (timestamp: string | null) =>
    timestamp === null ? say('never') : pages.formats.moment(Date.parse(timestamp), locale)
  const every = (seconds: number) =>
    seconds * SECOND < MINUTE
      ? say('seconds', { count: pages.formats.number(seconds, locale) })
      : pages.formats.timeLeft(seconds * SECOND, locale)
  const rows = health.jobs.map(({ name, every_seconds: seconds, last_run_at, last_failed_at }) => ({
    safeCells: [
      <Text>{codeInWords(view, 'job', name)}</Text>,
      <Text>{every(seconds)}</Text>,
      <NoWrap>{values(last_run_at)}</NoWrap>,
      <NoWrap>{values(last_failed_at)}</NoWrap>,
    ],
  }))
  return (
    <Card id="jobs" title={say('jobs')}>
      <p class="soft small" safe>
        {say('jobsText')}
      </p>
      <Table columns={[say('job'), say('every'), say('lastRun'), say('lastFailed')]} safeRows={rows} />
    </Card>
  )
}
