// The one address that events go to, as it stands for all processes: whether it works, since when it fails, whether it
// was given up. It knows nothing of single events.
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, instantOrNull, text, textOrNull } from '../database/rows.js'

export interface EventEndpoint {
  readonly url: string
  readonly deliverFrom: Instant
  readonly failingSince: Instant | null
  readonly disabledAt: Instant | null
  readonly disabledBecause: string | null
}

const selectEndpoint = statement('event_endpoint.load', 'select * from event_endpoint')

/** Null: the service never had an address. */
export async function loadEventEndpoint(database: Queryable): Promise<EventEndpoint | null> {
  const [row] = await database.query(selectEndpoint)
  return row ? parseEndpoint(row) : null
}

const introduce = statement(
  'event_endpoint.introduce',
  `insert into event_endpoint (url, deliver_from) values ($1, $2::timestamptz)
       on conflict (one) do update
      set url = excluded.url, failing_since = null, disabled_at = null, disabled_because = null
    where event_endpoint.url <> excluded.url
   returning url`,
)

/** At the start of a process. True: the address is a new one, and starts with a clean slate. */
export async function introduceEndpoint(
  database: Queryable,
  endpoint: { readonly url: string; readonly deliverFrom: Instant },
): Promise<boolean> {
  const rows = await database.query(introduce, [endpoint.url, at(endpoint.deliverFrom)])
  return rows.length === 1
}

const noteFailure = statement(
  'event_endpoint.note_failure',
  `update event_endpoint set failing_since = coalesce(failing_since, $2::timestamptz)
    where url = $1
   returning failing_since`,
)

/** Since when it fails; null where the address has been changed meanwhile. */
export async function noteEndpointFailure(
  database: Queryable,
  url: string,
  now: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(noteFailure, [url, at(now)])
  return row ? instant(row, 'failing_since') : null
}

const noteSuccess = statement(
  'event_endpoint.note_success',
  `with failing as (
     select failing_since from event_endpoint where url = $1 and failing_since is not null for update
   )
   update event_endpoint e set failing_since = null
     from failing where e.url = $1
   returning failing.failing_since`,
)

/** Since when it had failed until now; null where all was well. */
export async function noteEndpointSuccess(database: Queryable, url: string): Promise<Instant | null> {
  const [row] = await database.query(noteSuccess, [url])
  return row ? instant(row, 'failing_since') : null
}

const disable = statement(
  'event_endpoint.disable',
  `update event_endpoint set disabled_at = $2::timestamptz, disabled_because = $3
    where url = $1 and disabled_at is null
   returning url`,
)

/** True for the one process that did it. */
export async function disableEndpoint(
  database: Queryable,
  url: string,
  of: { readonly now: Instant; readonly because: string },
): Promise<boolean> {
  const rows = await database.query(disable, [url, at(of.now), of.because])
  return rows.length === 1
}

const enable = statement(
  'event_endpoint.enable',
  `update event_endpoint set failing_since = null, disabled_at = null, disabled_because = null`,
)

export async function enableEndpoint(database: Queryable): Promise<void> {
  await database.query(enable)
}

function parseEndpoint(row: Row): EventEndpoint {
  return {
    url: text(row, 'url'),
    deliverFrom: instant(row, 'deliver_from'),
    failingSince: instantOrNull(row, 'failing_since'),
    disabledAt: instantOrNull(row, 'disabled_at'),
    disabledBecause: textOrNull(row, 'disabled_because'),
  }
}
