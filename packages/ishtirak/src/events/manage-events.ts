// The events to the platform, and their address, as operators see them.
import { timestampOrNull } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import { countWaitingEvents, type EventEndpoint, listEvents, loadEventEndpoint } from './event-history.sql.js'

export async function reportEvents(
  { database }: { readonly database: Queryable },
  query: Parameters<typeof listEvents>[1],
) {
  const [endpoint, waiting, data] = await Promise.all([
    loadEventEndpoint(database),
    countWaitingEvents(database),
    listEvents(database, query),
  ])
  const shown = endpoint && {
    state: stateOf(endpoint),
    failing_since: timestampOrNull(endpoint.failingSince),
    disabled_at: timestampOrNull(endpoint.disabledAt),
    disabled_because: endpoint.disabledBecause,
  }
  return { endpoint: shown, waiting, data }
}

export function stateOf({ failingSince, disabledAt }: EventEndpoint) {
  return disabledAt ? ('disabled' as const) : failingSince ? ('failing' as const) : ('working' as const)
}
