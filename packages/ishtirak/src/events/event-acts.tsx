// What operators do with the events to the platform: send them again, skip one, send all that waits. Each
// moves a user's pointer; none writes or changes an event.
import type { Static } from 'typebox'
import { type ActDeps, act, actTexts } from '../acts/act.js'
import { pathOfAct } from '../acts/act-console.js'
import { recordAct } from '../acts/audit.sql.js'
import type { InWords } from '../acts/form.js'
import type { Preview } from '../acts/preview.js'
import { OptionalWhySchema, WhySchema } from '../acts/reason.js'
import { onNothing, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { plainName } from '../core/name.js'
import type { Database, Queryable } from '../database/database.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { codeInWords, failureInWords } from '../pages/console-words.js'
import { inBatches } from '../runtime/async.js'
import {
  countWaitingEvents,
  enableEndpoint,
  loadEventEndpoint,
  restartWaiting,
  rewindToEvent,
  skipToAfterEvent,
} from './event-history.sql.js'
import { showEvent, stateOf } from './manage-events.js'
import { EventParamsSchema, ResentSchema, RestartedSchema, SkippedSchema } from './schemas.js'
import { eventsWords } from './words.js'

export interface EventActDeps extends ActDeps {
  readonly database: Database
}

type WrittenEvent = Awaited<ReturnType<typeof showEvent>>

/** The page of its user has the trail of it. */
const EVENT: Subject<{ readonly database: Queryable }> = {
  name: 'event',
  path: '/events/:event_id',
  params: EventParamsSchema,
  command: { group: 'events', argument: 'event' },
  about: async (deps, id) => ({ userId: (await showEvent(deps, id)).user_id }),
  page: (_id, { userId }) => addressOf('', 'users', userId),
}

/** All that wait; the page of health has the trail of it. */
const EVENTS = onNothing('events', '/events', 'events', '/console/health')

type Resent = Static<typeof ResentSchema>

export const resendEvent = act<EventActDeps>().does({
  name: 'event.resend',
  roles: ['support'],
  on: EVENT,
  operationId: 'resendEvent',
  summary: 'Deliver an event and all later ones of its user again, in order',
  input: OptionalWhySchema,
  answer: ResentSchema,
  texts: actTexts(eventsWords, 'resend_event'),
  run: ({ database, ...deps }, { id, by }): Promise<Resent> =>
    database.transaction(async (transaction) => {
      const resent = await rewindToEvent(transaction, id, deps.clock.now())
      if (!resent) throw new BillingError('not_found', { extra: { event_id: id } })
      const { user_id: userId, events } = resent
      const done = { userId, after: { event_id: id, events } }
      await recordAct({ ...deps, database: transaction }, { ...by, act: 'event.resend' }, done)
      return resent
    }),
  show: async (deps, { id }, outcome, earlier) =>
    earlier ? { user_id: (await showEvent(deps, id)).user_id, events: earlier.after.events } : outcome,
  preview: async (deps, { id }) => moved(await showEvent(deps, id), 'waiting'),
  form: {
    inWords: (pages, view, preview) => {
      const isOffered = preview.detail.state === 'waiting'
      const skip = { href: pathOfAct(pages, skipEvent, preview.detail.id), text: view.say('act_skip_event') }
      return eventInWords(pages, view, preview, isOffered ? skip : null)
    },
  },
})

const skipEvent = act<EventActDeps>().does({
  name: 'event.skip',
  roles: [],
  on: EVENT,
  operationId: 'skipEvent',
  summary: 'Wait no longer for this event and those before it of its user',
  description: 'For an event that its receiver will never take: the later ones of its user can go on.',
  input: WhySchema,
  answer: SkippedSchema,
  texts: actTexts(eventsWords, 'skip_event'),
  run: ({ database, ...deps }, { id, by }) =>
    database.transaction(async (transaction) => {
      const userId = await skipToAfterEvent(transaction, id, deps.clock.now())
      if (userId === null) throw doesNotWait(id)
      const done = { userId, after: { event_id: id } }
      await recordAct({ ...deps, database: transaction }, { ...by, act: 'event.skip' }, done)
    }),
  show: async () => ({ skipped: true }),
  preview: async (deps, { id }) => {
    const event = await showEvent(deps, id)
    if (event.state !== 'waiting') throw doesNotWait(id)
    return moved(event, 'set_aside')
  },
  form: { inWords: (pages, view, preview) => eventInWords(pages, view, preview, null) },
})

const RESTARTED_AT_ONCE = 1_000

export const resendWaiting = act<EventActDeps>().does({
  name: 'event.resend_waiting',
  roles: [],
  on: EVENTS,
  operationId: 'resendWaitingEvents',
  summary: 'Switch the address on again, and retry all that waits',
  input: OptionalWhySchema,
  answer: RestartedSchema,
  texts: actTexts(eventsWords, 'resend_waiting'),
  run: async ({ database, ...deps }, { by }) => {
    const now = deps.clock.now()
    const restart = (most: number) => restartWaiting(database, now, most)
    const users = await inBatches(Number.POSITIVE_INFINITY, RESTARTED_AT_ONCE, restart)
    // Last: what ended half way is done when it is sent again.
    await database.transaction(async (transaction) => {
      await enableEndpoint(transaction)
      await recordAct({ ...deps, database: transaction }, { ...by, act: 'event.resend_waiting' })
    })
    return { users }
  },
  show: async ({ database }, _call, outcome) =>
    outcome ?? { users: (await countWaitingEvents(database)).users },
  preview: async ({ database }) => {
    const endpoint = await loadEventEndpoint(database)
    const before = `endpoint_${endpoint ? stateOf(endpoint) : 'none'}`
    const changes = [
      { what: 'platformAddress', before, after: endpoint ? 'endpoint_working' : before },
      { what: 'eventsWaiting', before: 'asItIs', after: 'dueNow' },
    ]
    return { version: 0, changes, detail: null }
  },
})

export const EVENT_ACTS = [resendEvent, skipEvent, resendWaiting]

/** There are no facts of a user whose version is compared. */
function moved(event: WrittenEvent, after: WrittenEvent['state']): Preview<WrittenEvent> {
  const change = { what: 'event', before: `state_${event.state}`, after: `state_${after}` }
  return { version: 0, changes: [change], detail: event }
}

function doesNotWait(id: string): BillingError {
  return new BillingError('not_found', { extra: { waiting_event_id: id } })
}

type Link = { readonly href: string; readonly text: string }

/** `next`: what may be wanted instead. */
function eventInWords(
  pages: ConsolePages,
  view: View,
  { detail: event }: Preview<WrittenEvent>,
  next: Link | null,
): InWords {
  const { say, locale } = view
  const { base, formats } = pages
  const user = { href: addressOf(base, 'users', event.user_id), text: plainName(event.user_id) }
  return {
    facts: [
      [say('event'), codeInWords(view, 'event', event.type)],
      [say('user'), user],
      [say('created'), formats.moment(Date.parse(event.created_at), locale)],
      [say('attempts'), formats.number(event.attempts, locale)],
      [say('lastFailure'), event.failure && failureInWords(view, event.failure)],
    ],
    ...(next && {
      safeMore: (
        <p>
          <a href={next.href} safe>
            {next.text}
          </a>
        </p>
      ),
    }),
  }
}
