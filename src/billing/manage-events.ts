// What a person may do with the events to the platform: look at them, send them again, stop waiting for one, and forget
// the old ones. All of it moves a user's pointer; none of it writes or changes an event.
import { DAY } from '../domain/instant.js'
import { type EventEndpoint, enableEndpoint, loadEventEndpoint } from '../store/event-endpoint.js'
import {
  countWaitingEvents,
  listEvents,
  restartWaiting,
  rewindToEvent,
  skipToAfterEvent,
  type WrittenEvent,
} from '../store/event-history.js'
import { pruneOutbox } from '../store/outbox.js'
import type { Parts } from './parts.js'

export interface EventsQuery {
  readonly userId: string | null
  /** Only those that the platform has not confirmed, oldest first. */
  readonly waiting: boolean
  readonly limit: number
}

export interface EventsReport {
  readonly endpoint: EventEndpoint | null
  readonly waiting: { readonly users: number; readonly events: number }
  readonly events: readonly WrittenEvent[]
}

/** All that these acts need: the command line has no more of the service at hand. */
export type EventParts = Pick<Parts, 'database' | 'clock'>

export async function reportEvents({ database }: EventParts, query: EventsQuery): Promise<EventsReport> {
  const [endpoint, waiting, events] = await Promise.all([
    loadEventEndpoint(database),
    countWaitingEvents(database),
    listEvents(database, query),
  ])
  return { endpoint, waiting, events }
}

/** An event and all later ones of its user go out again, in order. Gives how many; 0: there is no such event. */
export function resendFrom({ database, clock }: EventParts, eventId: string): Promise<number> {
  return rewindToEvent(database, eventId, clock.now())
}

const RESTARTED_AT_ONCE = 1_000

/** Switches the address on again and begins anew with everybody who waits. Gives how many users. */
export async function resendAllWaiting({ database, clock }: EventParts): Promise<number> {
  const now = clock.now()
  await enableEndpoint(database)
  for (let users = 0; ; ) {
    const restarted = await restartWaiting(database, now, RESTARTED_AT_ONCE)
    users += restarted
    if (restarted < RESTARTED_AT_ONCE) return users
  }
}

/** Nobody waits any more for this event and those before it. False: there is none, or nobody did. */
export function skipEvent({ database, clock }: EventParts, eventId: string): Promise<boolean> {
  return skipToAfterEvent(database, eventId, clock.now())
}

/** A quarter: as long as a platform may take to notice that it has to be told again. Payments are kept elsewhere. */
const KEPT = 90 * DAY

export function pruneEvents({ database, clock }: EventParts, limit: number): Promise<number> {
  return pruneOutbox(database, clock.now() - KEPT, limit)
}
