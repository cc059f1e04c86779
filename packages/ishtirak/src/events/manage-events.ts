// What a person may do with the events to the platform: look at them, send them again, stop waiting for one, and forget
// the old ones. All of it moves a user's pointer; none of it writes or changes an event.
import { BillingError } from '../core/error.js'
import { DAY } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { By } from '../operator/payments.js'
import { recordAct } from '../payments/audit.sql.js'
import type { Parts } from '../payments/parts.js'
import { pruneOutbox } from './deliver-events.sql.js'
import { type EventEndpoint, enableEndpoint, loadEventEndpoint } from './event-endpoint.sql.js'
import {
  countWaitingEvents,
  listEvents,
  restartWaiting,
  rewindToEvent,
  skipToAfterEvent,
  type WrittenEvent,
} from './event-history.sql.js'

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

export interface ResentEvents {
  readonly userId: string
  readonly events: number
}

export async function reportEvents({ database }: Parts, query: EventsQuery): Promise<EventsReport> {
  const [endpoint, waiting, events] = await Promise.all([
    loadEventEndpoint(database),
    countWaitingEvents(database),
    listEvents(database, query),
  ])
  return { endpoint, waiting, events }
}

/** An event and all later ones of its user go out again, in order. Throws `not_found`. */
export function resendFrom(parts: Parts, eventId: string, by: By): Promise<ResentEvents> {
  return parts.database.transaction(async (transaction) => {
    const resent = await rewindToEvent(transaction, eventId, parts.clock.now())
    if (!resent) throw new BillingError('not_found', { extra: { event_id: eventId } })
    await record(parts, transaction, { act: 'event.resend', by, eventId, userId: resent.userId })
    return resent
  })
}

const RESTARTED_AT_ONCE = 1_000

/** Switches the address on again and begins anew with everybody who waits. Gives how many users. */
export async function resendAllWaiting(parts: Parts, by: By): Promise<{ readonly users: number }> {
  const now = parts.clock.now()
  await parts.database.transaction(async (transaction) => {
    await enableEndpoint(transaction)
    await record(parts, transaction, { act: 'event.resend_waiting', by, eventId: null, userId: '' })
  })
  for (let users = 0; ; ) {
    const restarted = await restartWaiting(parts.database, now, RESTARTED_AT_ONCE)
    users += restarted
    if (restarted < RESTARTED_AT_ONCE) return { users }
  }
}

/** Nobody waits any more for this event and those before it. Throws `not_found` where nobody did. */
export function skipEvent(parts: Parts, eventId: string, by: By): Promise<void> {
  return parts.database.transaction(async (transaction) => {
    const userId = await skipToAfterEvent(transaction, eventId, parts.clock.now())
    if (userId === null) throw new BillingError('not_found', { extra: { waiting_event_id: eventId } })
    await record(parts, transaction, { act: 'event.skip', by, eventId, userId })
  })
}

function record(
  parts: Parts,
  transaction: Queryable,
  of: { readonly act: string; readonly by: By; readonly eventId: string | null; readonly userId: string },
): Promise<void> {
  const now = parts.clock.now()
  return recordAct(transaction, {
    id: parts.ids.next('act', now),
    actor: of.by.operator,
    act: of.act,
    reason: of.by.reason,
    userId: of.userId,
    paymentId: null,
    before: {},
    after: of.eventId === null ? {} : { event_id: of.eventId },
    now,
  })
}

/** A quarter: as long as a platform may take to notice that it has to be told again. Payments are kept elsewhere. */
const KEPT = 90 * DAY

export function pruneEvents({ database, clock }: Parts, limit: number): Promise<number> {
  return pruneOutbox(database, clock.now() - KEPT, limit)
}
