// What an operator can do with the events to the platform: list them, send them again, skip one; and the deletion of old
// ones. All of it moves a user's pointer; none of it writes or changes an event.
import type { Static } from 'typebox'
import { type AuditDeps, type By, recordAct } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { DAY, timestampOrNull } from '../core/instant.js'
import { requireRole } from '../core/role.js'
import type { Database, Queryable } from '../database/database.js'
import { inBatches } from '../runtime/async.js'
import type { Clock } from '../runtime/clock.js'
import { pruneOutbox } from './deliver-events.sql.js'
import {
  countWaitingEvents,
  type EventEndpoint,
  enableEndpoint,
  findWrittenEvent,
  listEvents,
  loadEventEndpoint,
  restartWaiting,
  rewindToEvent,
  skipToAfterEvent,
} from './event-history.sql.js'
import type { EventsSchema, ResentSchema, RestartedSchema } from './schemas.js'

export interface ManageEventsDeps extends AuditDeps {
  readonly database: Database
}

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

function viewEndpoint({ failingSince, disabledAt, disabledBecause }: EventEndpoint) {
  return {
    state: disabledAt ? ('disabled' as const) : failingSince ? ('failing' as const) : ('working' as const),
    failing_since: timestampOrNull(failingSince),
    disabled_at: timestampOrNull(disabledAt),
    disabled_because: disabledBecause,
  }
}

/** An event and all later ones of its user go out again, in order. Throws `not_found`. */
export async function resendFrom(
  deps: ManageEventsDeps,
  eventId: string,
  by: By,
): Promise<Static<typeof ResentSchema>> {
  requireRole(by.operator, 'event.resend')
  return deps.database.transaction(async (transaction) => {
    const resent = await rewindToEvent(transaction, eventId, deps.clock.now())
    if (!resent) throw new BillingError('not_found', { extra: { event_id: eventId } })
    const act = { ...by, act: 'event.resend' as const }
    const of = { userId: resent.user_id, after: { event_id: eventId } }
    await recordAct({ ...deps, database: transaction }, act, of)
    return resent
  })
}

const RESTARTED_AT_ONCE = 1_000

/** Switches the address on again and makes all waiting events due. Returns the number of users. */
export async function resendAllWaiting(
  deps: ManageEventsDeps,
  by: By,
): Promise<Static<typeof RestartedSchema>> {
  requireRole(by.operator, 'event.resend_waiting')
  const now = deps.clock.now()
  await deps.database.transaction(async (transaction) => {
    await enableEndpoint(transaction)
    await recordAct({ ...deps, database: transaction }, { ...by, act: 'event.resend_waiting' })
  })
  const restart = (most: number) => restartWaiting(deps.database, now, most)
  return { users: await inBatches(Number.POSITIVE_INFINITY, RESTARTED_AT_ONCE, restart) }
}

/** This event and those before it wait for delivery no more. Throws `not_found` where it did not wait. */
export async function skipEvent(deps: ManageEventsDeps, eventId: string, by: By): Promise<void> {
  requireRole(by.operator, 'event.skip')
  return deps.database.transaction(async (transaction) => {
    const userId = await skipToAfterEvent(transaction, eventId, deps.clock.now())
    if (userId === null) throw new BillingError('not_found', { extra: { waiting_event_id: eventId } })
    const act = { ...by, act: 'event.skip' as const }
    await recordAct({ ...deps, database: transaction }, act, { userId, after: { event_id: eventId } })
  })
}

/** A quarter: as long as a platform may take to notice that it needs events again. Payments are kept elsewhere. */
const KEPT = 90 * DAY

export function pruneEvents(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  limit: number,
): Promise<number> {
  return pruneOutbox(database, clock.now() - KEPT, limit)
}
