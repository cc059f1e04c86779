// The events to the platform as operators see them, and the deletion of old ones.
import type { Static } from 'typebox'
import { BillingError } from '../core/error.js'
import { DAY, timestampOrNull } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { pruneOutbox } from './deliver-events.sql.js'
import {
  countWaitingEvents,
  type EventEndpoint,
  findWrittenEvent,
  listEvents,
  loadEventEndpoint,
} from './event-history.sql.js'
import type { EventsSchema } from './schemas.js'

interface EventsQuery {
  readonly userId: string | null
  /** Only those that the platform has not confirmed, oldest first. */
  readonly waiting: boolean
  readonly limit: number
}

export async function reportEvents(
  { database }: { readonly database: Queryable },
  query: EventsQuery,
): Promise<Static<typeof EventsSchema>> {
  const [endpoint, waiting, data] = await Promise.all([
    loadEventEndpoint(database),
    countWaitingEvents(database),
    listEvents(database, query),
  ])
  return { endpoint: endpoint && viewEndpoint(endpoint), waiting, data }
}

/** Throws `not_found`. */
export async function showEvent({ database }: { readonly database: Queryable }, eventId: string) {
  const event = await findWrittenEvent(database, eventId)
  if (!event) throw new BillingError('not_found', { extra: { event_id: eventId } })
  return event
}

export function stateOf({ failingSince, disabledAt }: EventEndpoint) {
  return disabledAt ? ('disabled' as const) : failingSince ? ('failing' as const) : ('working' as const)
}

function viewEndpoint(endpoint: EventEndpoint) {
  return {
    state: stateOf(endpoint),
    failing_since: timestampOrNull(endpoint.failingSince),
    disabled_at: timestampOrNull(endpoint.disabledAt),
    disabled_because: endpoint.disabledBecause,
  }
}

/** A quarter, for a platform to notice that it needs events again. Payments are kept elsewhere. */
const KEPT = 90 * DAY

export function pruneEvents(
  { database, clock }: Pick<CommonParts, 'database' | 'clock'>,
  limit: number,
): Promise<number> {
  return pruneOutbox(database, clock.now() - KEPT, limit)
}
