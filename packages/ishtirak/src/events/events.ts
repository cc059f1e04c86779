// Events to the platform as a capability: announcing, delivery, acts, readings and the inbox.
import type { Capability } from '../acts/capability.js'
import { list } from '../acts/list.js'
import { HOUR, SECOND } from '../core/instant.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { announceTime } from './announce-time.js'
import { addListenCommand } from './cli-listen.js'
import { addTriggerCommand } from './cli-trigger.js'
import { type DeliveryDeps, deliverEvents, drainDeliveries } from './deliver-events.js'
import { pruneOutbox } from './deliver-events.sql.js'
import { EVENT_ACTS, type EventActDeps } from './event-acts.js'
import { eventFeed, type FeedDeps, KEPT } from './event-feed.js'
import { EVENTS_WAITING } from './inbox.js'
import { reportEvents } from './manage-events.js'
import { type ReminderDeps, reminderMails } from './reminder-mail.js'
import { EventsBeside, EventsFilterSchema, WrittenEventSchema } from './schemas.js'
import { type EventConfig, eventSettings } from './settings.js'
import './words.js'

/** Half a million users whose month ends on one day are announced within three hours by a single process. */
const ANNOUNCED_A_ROUND = 1_500

/** 240,000 a day: more than are written. */
const PRUNED_A_ROUND = 10_000

const eventList = list<EventActDeps>()({
  path: '/events',
  operationId: 'listEvents',
  summary: 'Events to the platform, newest first, and whether its address works',
  filter: EventsFilterSchema,
  item: WrittenEventSchema,
  title: 'Events',
  isWhole: true,
  beside: EventsBeside,
  command: {
    ...{ usage: 'events list', rows: 'events' },
    columns: ['id', 'created_at', 'user_id', 'sequence', 'type', 'state', 'attempts', 'failure', 'due_at'],
  },
  read: async (deps, { user_id: userId = null, state }, { limit }) => {
    const of = { userId, waiting: state === 'waiting', limit }
    const { data: items, ...beside } = await reportEvents(deps, of)
    return { items, nextCursor: null, beside }
  },
})

type EventDeps = ChangeDeps & DeliveryDeps & EventActDeps & FeedDeps & ReminderDeps

export const events: Capability<EventDeps, EventConfig> = {
  name: 'events',
  settings: eventSettings,
  acts: EVENT_ACTS,
  readings: eventList.readings,
  platformReadings: [eventFeed],
  commandGroups: { events: 'Look at what is sent to the platform, and whether it arrives' },
  commands: (program, host, types) => {
    addTriggerCommand(program, host, types)
    addListenCommand(program, host)
  },
  inbox: EVENTS_WAITING,
  events: ['subscription.expiring', 'subscription.past_due', 'subscription.expired'],
  mails: reminderMails,
  jobs: (deps) => [
    // Before paid time ends (7, 3 and 1 days), when it ends, and when grace is over.
    {
      name: 'announce-time',
      stage: 'announce',
      everyMs: 30 * SECOND,
      run: () => announceTime(deps, ANNOUNCED_A_ROUND),
    },
    // Every event reaches the platform, in order for each user.
    {
      name: 'deliver-events',
      stage: 'announce',
      everyMs: SECOND,
      run: () => deliverEvents(deps),
      drain: () => drainDeliveries(deps),
    },
    {
      name: 'prune-events',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => pruneOutbox(deps.database, deps.clock.now() - KEPT, PRUNED_A_ROUND),
    },
  ],
}
