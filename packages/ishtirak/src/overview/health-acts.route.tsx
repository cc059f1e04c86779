// The acts of the page of health: an event that is sent again or skipped, and all that waits.

import { actRoutes } from '../acts/act.route.js'
import type { By } from '../acts/audit.sql.js'
import { NO_USER } from '../acts/subject.js'
import { plainName } from '../core/name.js'
import type { Act } from '../core/role.js'
import { resendAllWaiting, resendFrom, showEvent, skipEvent } from '../events/manage-events.js'
import type { App } from '../http/app.js'
import { addressOf, Facts, type View } from '../pages/console-frame.js'
import { codeInWords, failureInWords } from '../pages/console-words.js'
import type { AllPages } from './all-pages.js'

interface EventAct {
  readonly act: Act
  readonly isReasonRequired: boolean
  run(pages: AllPages, eventId: string, by: By): Promise<unknown>
}

const EVENT_ACTS = {
  resend: { act: 'event.resend', isReasonRequired: false, run: resendFrom },
  skip: { act: 'event.skip', isReasonRequired: true, run: skipEvent },
} as const satisfies Readonly<Record<string, EventAct>>

type EventActName = keyof typeof EVENT_ACTS

export function healthActRoutes(app: App, pages: AllPages): void {
  for (const name of ['resend', 'skip'] as const) eventActRoutes(app, pages, name)
  resendWaitingRoutes(app, pages)
}

function eventActRoutes(app: App, pages: AllPages, name: EventActName): void {
  const { act, isReasonRequired, run } = EVENT_ACTS[name]
  actRoutes(app, pages, `/console/events/:event_id/${name}`, {
    act,
    isReasonRequired,
    ask: async (view, { event_id: id = '' }) => askOfEvent(pages, view, name, await showEvent(pages, id)),
    about: async ({ event_id: id = '' }) => {
      const { user_id: userId } = await showEvent(pages, id)
      // The page of the user has the trail of it.
      return { userId, path: addressOf(pages.base, 'users', userId) }
    },
    run: ({ event_id: id = '' }, by) => run(pages, id, by),
  })
}

function askOfEvent(
  pages: AllPages,
  view: View,
  name: EventActName,
  event: Awaited<ReturnType<typeof showEvent>>,
) {
  const { say, locale } = view
  const after = name === 'resend' ? 'waiting' : 'set_aside'
  const isOffered = name === 'resend' && event.state === 'waiting'
  return {
    ...askedOnHealth(pages, view, `${name}_event`),
    path: `${addressOf(pages.base, 'events', event.id)}/${name}`,
    changes: [{ name: say('event'), before: say(`state_${event.state}`), after: say(`state_${after}`) }],
    safeMore: (
      <>
        <Facts
          facts={[
            [say('event'), codeInWords(view, 'event', event.type)],
            [
              say('user'),
              { href: addressOf(pages.base, 'users', event.user_id), text: plainName(event.user_id) },
            ],
            [say('created'), pages.formats.moment(Date.parse(event.created_at), locale)],
            [say('attempts'), pages.formats.number(event.attempts, locale)],
            [say('lastFailure'), event.failure && failureInWords(view, event.failure)],
          ]}
        />
        {isOffered ? (
          <p>
            <a href={`${addressOf(pages.base, 'events', event.id)}/skip`} safe>
              {say('act_skip_event')}
            </a>
          </p>
        ) : null}
      </>
    ),
  }
}

/** What all of them have. There are no facts of a user whose version is compared. */
function askedOnHealth({ base }: AllPages, { say }: View, name: `${EventActName}_event` | 'resend_waiting') {
  const backPath = addressOf(base, 'health')
  return { title: say(`act_${name}`), text: say(`text_${name}`), backPath, version: 0 }
}

/** What is done to the service: the page of health has the trail of it. */
const aboutHealth = async ({ base }: AllPages) => ({ userId: NO_USER, path: addressOf(base, 'health') })

const RESEND_WAITING = '/console/health/resend-waiting'

function resendWaitingRoutes(app: App, pages: AllPages): void {
  actRoutes(app, pages, RESEND_WAITING, {
    act: 'event.resend_waiting',
    isReasonRequired: false,
    ask: async (view) => ({
      ...askedOnHealth(pages, view, 'resend_waiting'),
      path: `${pages.base}${RESEND_WAITING}`,
      changes: [
        {
          name: view.say('platformAddress'),
          before: view.say('asItIs'),
          after: view.say('endpoint_working'),
        },
        { name: view.say('eventsWaiting'), before: view.say('asItIs'), after: view.say('dueNow') },
      ],
    }),
    about: () => aboutHealth(pages),
    run: (_params, by) => resendAllWaiting(pages, by),
  })
}
