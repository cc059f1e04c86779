// Events to the platform as a capability: announcements, delivery, acts, readings and inbox entries.
import type { Capability } from '../acts/capability.js'
import { HOUR, SECOND } from '../core/instant.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { announceTime } from './announce-time.js'
import { addSandboxCommands } from './cli-sandbox.js'
import { type DeliveryDeps, deliverEvents, drainDeliveries } from './deliver-events.js'
import { pruneOutbox } from './deliver-events.sql.js'
import { EVENT_ACTS, type EventActDeps } from './event-acts.js'
import { eventFeed, type FeedDeps, KEPT } from './event-feed.js'
import { eventList } from './event-list.js'
import { EVENTS_INBOX } from './inbox.js'
import { type ReminderDeps, reminderMails } from './reminder-mail.js'
import { type EventConfig, eventSettings } from './settings.js'

/** A single process announces half a million users, whose time ends on one day, within three hours. */
const ANNOUNCED_A_ROUND = 1_500

/** 240,000 a day, which is more than are written. */
const PRUNED_A_ROUND = 10_000

type EventDeps = ChangeDeps & DeliveryDeps & EventActDeps & FeedDeps & ReminderDeps

export const events: Capability<EventDeps, EventConfig> = {
  name: 'events',
  settings: eventSettings,
  acts: EVENT_ACTS,
  readings: eventList.readings,
  platformReadings: [eventFeed],
  commandGroups: { events: 'Look at what is sent to the platform, and whether it arrives' },
  commands: addSandboxCommands,
  inbox: EVENTS_INBOX,
  events: ['subscription.expiring', 'subscription.past_due', 'subscription.expired'],
  mails: reminderMails,
  jobs: (deps) => [
    {
      name: 'announce-time',
      stage: 'announce',
      everyMs: 30 * SECOND,
      run: () => announceTime(deps, ANNOUNCED_A_ROUND),
    },
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
