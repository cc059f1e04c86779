// Operators move the pointers of users to send events again or skip one. No event is written or changed.
import { Type } from 'typebox'
import { type ActDeps, act, change, OptionalWhySchema, reason, WhySchema } from '../acts/act.js'
import { recordAct } from '../acts/audit.sql.js'
import { dayOrInstantSchema, readInstant } from '../acts/day.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import { BillingError, wrongField } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { plainName } from '../core/name.js'
import type { Database, Queryable } from '../database/database.js'
import { object, request } from '../http/schemas.js'
import { readLabels } from '../ledger/labels.js'
import type { CommonParts } from '../ledger/parts.js'
import { UserIdSchema } from '../ledger/schemas.js'
import { addressOf } from '../pages/console-frame.js'
import { retryAll } from './deliver-events.js'
import {
  countDelivered,
  countWaitingEvents,
  enableEndpoint,
  loadEventEndpoint,
  replayDelivered,
  rewindToEvent,
  showEvent,
  skipToAfterEvent,
} from './event-history.sql.js'
import { EventCountsSchema } from './event-list.js'

export interface EventActDeps extends ActDeps, Pick<CommonParts, 'wallClock'> {
  readonly database: Database
}

type WrittenEvent = Awaited<ReturnType<typeof showEvent>>

/** An act on an event is in the trail of its user. */
const EVENT: Subject<{ readonly database: Queryable }> = {
  name: 'event',
  path: '/events/:event_id',
  params: Type.Object({ event_id: Type.String({ maxLength: 100 }) }),
  command: { group: 'events', argument: 'event' },
  about: async (deps, id) => {
    const { user_id: userId } = await showEvent(deps.database, id)
    const { name, email } = (await readLabels(deps, { users: [userId] })).user(userId)
    return { userId, label: () => plainName(name ?? email ?? userId) }
  },
  page: (_id, { userId }) => addressOf('', 'users', userId),
}

/** An act on all events is in the trail on the page of health. */
const EVENTS = onNothing('events', '/events', 'events', '/console/health')

/** A replay for one user is in that user's trail. */
const DELIVERED: typeof EVENTS = {
  ...EVENTS,
  about: async (_deps, _id, { user = NO_USER }: { readonly user?: string } = {}) => ({ userId: user }),
}

export const resendEvent = act<EventActDeps>()({
  name: 'event.resend',
  roles: ['support'],
  on: EVENT,
  operationId: 'resendEvent',
  summary: 'Deliver an event and all later ones of its user again, in order',
  description: 'The platform gets each of them with the same id and the same content as before.',
  input: OptionalWhySchema,
  bulk: true,
  answer: {
    schema: object('Resent', { user_id: Type.String(), events: Type.Integer() }),
    read: async (deps, { id }, outcome, earlier) =>
      earlier
        ? { user_id: (await showEvent(deps.database, id)).user_id, events: earlier.after.events }
        : outcome,
  },
  plan: async ({ database, ...deps }, { id, by }) => {
    const event = await showEvent(database, id)
    const { user_id } = event
    return {
      version: 0,
      changes: changesOf(event, 'waiting'),
      save: () =>
        database.transaction(async (transaction) => {
          const events = await rewindToEvent(transaction, id, deps.clock.now())
          const done = { userId: user_id, after: { event_id: id, events } }
          await recordAct({ ...deps, database: transaction }, by, done)
          return { user_id, events }
        }),
    }
  },
})

const skipEvent = act<EventActDeps>()({
  name: 'event.skip',
  roles: [],
  on: EVENT,
  operationId: 'skipEvent',
  summary: 'Skip an event and the earlier ones of its user that wait',
  description:
    'Skips an event that its receiver will never accept, so that the user’s later events are sent.',
  input: WhySchema,
  bulk: true,
  answer: {
    schema: object('Skipped', { skipped: Type.Literal(true) }),
    read: async () => ({ skipped: true }),
  },
  plan: async ({ database, ...deps }, { id, by }) => {
    const event = await showEvent(database, id)
    const waitsNot = () => new BillingError('not_found', { extra: { waiting_event_id: id } })
    if (event.state !== 'waiting') throw waitsNot()
    return {
      version: 0,
      changes: changesOf(event, 'set_aside'),
      save: () =>
        database.transaction(async (transaction) => {
          if (!(await skipToAfterEvent(transaction, id, deps.clock.now()))) throw waitsNot()
          const done = { userId: event.user_id, after: { event_id: id } }
          await recordAct({ ...deps, database: transaction }, by, done)
        }),
    }
  },
})

export const resendWaiting = act<EventActDeps>()({
  name: 'event.resend_waiting',
  roles: [],
  on: EVENTS,
  operationId: 'resendWaitingEvents',
  summary: 'Switch the address on again, and retry all that waits',
  description:
    'Sends at once to an address that was switched off, or that works again before the next attempt.',
  input: OptionalWhySchema,
  answer: {
    schema: object('Restarted', { users: Type.Integer() }),
    read: async ({ database }, _call, outcome) =>
      outcome ?? { users: (await countWaitingEvents(database)).users },
  },
  plan: async ({ database, ...deps }, { by }) => {
    const endpoint = await loadEventEndpoint(database)
    const before = `endpoint_${endpoint?.state ?? 'none'}`
    return {
      version: 0,
      changes: [
        change.state('platformAddress', before, endpoint ? 'endpoint_working' : before),
        change.state('eventsWaiting', 'asItIs', 'dueNow'),
      ],
      save: async () => {
        const now = deps.clock.now()
        const users = await retryAll(database, { now, later: now, isAfresh: true })
        // Last, so that a request that ended half way can be sent again.
        await database.transaction(async (transaction) => {
          await enableEndpoint(transaction)
          await recordAct({ ...deps, database: transaction }, by)
        })
        return { users }
      },
    }
  },
})

const REPLAYED_AT_ONCE = 1_000

export const replayEvents = act<EventActDeps>()({
  name: 'event.replay',
  roles: [],
  on: DELIVERED,
  operationId: 'replayEvents',
  summary: 'Deliver again what was delivered: of one user, or of all since an instant',
  description:
    'For a platform that has lost what it took. It gets each event with the same id and the same content ' +
    'as before, each user’s in order. An event that was skipped between them is sent too.',
  input: request('Replay', {
    user: Type.Optional(Type.String({ ...UserIdSchema, description: 'Only the events of this user' })),
    since: Type.Optional(dayOrInstantSchema('Only events from here on; without `user` it is required')),
    why: Type.Optional(reason),
  }),
  answer: {
    schema: EventCountsSchema,
    read: async (_deps, _call, outcome, earlier) => outcome ?? earlier?.after,
  },
  fields: async (_pages, { say }) => [
    { name: 'user', label: say('userId'), value: '', type: 'text', isOptional: true },
    { name: 'since', label: say('since'), value: '', type: 'date', isOptional: true },
  ],
  plan: async ({ database, wallClock, ...deps }, { by, input: { user, since } }) => {
    if (user === undefined && since === undefined) throw wrongField('since', 'required')
    const from = since === undefined ? 0 : readInstant(wallClock, 'since', since)
    const wanted = { userId: user ?? null, since: from }
    const { users, events } = await countDelivered(database, wanted)
    return {
      version: 0,
      changes: [change.count('replayedUsers', users), change.count('replayedEvents', events)],
      save: async () => {
        const page = { now: deps.clock.now(), limit: REPLAYED_AT_ONCE }
        const done = { users: 0, events: 0 }
        for (let rest: Instant | null = from; rest !== null; ) {
          const part = await replayDelivered(database, { ...wanted, since: rest }, page)
          done.users += part.users
          done.events += part.events
          rest = part.until
        }
        await recordAct({ ...deps, database }, by, { userId: user ?? NO_USER, after: done })
        return done
      },
    }
  },
})

export const EVENT_ACTS = [resendEvent, skipEvent, resendWaiting, replayEvents]

function changesOf(event: WrittenEvent, after: WrittenEvent['state']) {
  return [
    change.state('event', `event_${event.type}`),
    change.instant('created', Date.parse(event.created_at)),
    change.count('attempts', event.attempts),
    change.failure('lastFailure', event.failure),
    change.state('status', `state_${event.state}`, `state_${after}`),
  ]
}
