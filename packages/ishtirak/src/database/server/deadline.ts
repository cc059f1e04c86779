// A change that is given up must not be carried out later, also when it lies in the receive buffer of a
// server that hangs. So every change carries its deadline, by the server's clock: past it the server refuses
// to begin, and until then it is the statement's time limit.
import type { ClientBase, QueryConfig } from 'pg'
import type { LearntTime } from '../../runtime/clock.js'
import { CALL_LIMIT_MS } from '../database.js'

/** The driver accepts a time limit for its own queries (pg, client.js), which its types leave out. */
export interface TimedQuery extends QueryConfig {
  readonly query_timeout: number
}

/** A query of the driver's own with the time limit of a call. */
export const inTime = (text: string): TimedQuery => ({ text, query_timeout: CALL_LIMIT_MS })

/** The server gives up this much earlier: its refusal then still arrives, and the connection stays usable. */
const MARGIN_MS = 250

/**
 * Whether there is too little time left to send anything. `giveUpAt` is on the scale of `performance.now()`.
 */
export function isTooLateToSend(giveUpAt: number): boolean {
  return performance.now() >= giveUpAt - MARGIN_MS
}

/** The facts about the other end of a connection. */
export interface OtherEnd {
  /** Milliseconds since 1970 by the server's clock, less the same instant by `performance.now()`. */
  readonly clockOffset: number
  /** A pooler: what is prepared or set on one server connection is missing on the next. */
  readonly isPooler: boolean
}

/**
 * Asks a new connection. The server's time is noted when the answer arrives: the delay makes deadlines
 * earlier, never later.
 */
export async function examineOtherEnd(client: ClientBase, serverTime: LearntTime): Promise<OtherEnd> {
  const { rows } = await client.query(
    inTime('select pg_backend_pid() as id, extract(epoch from clock_timestamp())::float8 * 1000 as now'),
  )
  serverTime.note(rows[0]?.now)
  return {
    clockOffset: rows[0]?.now - performance.now(),
    // A pooler tells its clients an invented process number, a server the number of the process that answers.
    // The driver keeps the number that was given at the start (pg, client.js); its types leave it out.
    isPooler: !('processID' in client) || client.processID !== rows[0]?.id,
  }
}

/**
 * SQL that limits the statements after it to the time left until `deadline`, for the rest of the transaction.
 * The value of a setting is a text. If no time is left it is `-1`, since PostgreSQL refuses a negative limit
 * (22023), and so everything up to the end of the transaction. Zero would mean no limit.
 */
const limitUntil = (deadline: string) =>
  `set_config('statement_timeout',
     coalesce(nullif(floor(${deadline} - extract(epoch from clock_timestamp()) * 1000), 0), -1)::int::text,
     true)`

/** Prepared once on each connection of our own, so that the server does not plan it for each change. */
export const prepareDeadline = `prepare ishtirak_deadline(numeric) as select ${limitUntil('$1::numeric')}`

/**
 * SQL to send ahead of a statement in its transaction: the deadline of a change (`giveUpAt`), and the schema,
 * which a pooler does not keep. Null: there is nothing to send.
 */
export function settingsAhead(
  { clockOffset, isPooler }: OtherEnd,
  schema: string | undefined,
  giveUpAt: number | null,
): string | null {
  const isLimited = giveUpAt !== null && giveUpAt !== Number.POSITIVE_INFINITY
  const deadline = isLimited ? Math.floor(clockOffset + giveUpAt - MARGIN_MS) : 0
  if (!isPooler) return isLimited ? `execute ishtirak_deadline(${deadline})` : null
  const settings = [
    ...(schema === undefined ? [] : [`set_config('search_path', '${schema}', true)`]),
    ...(isLimited ? [limitUntil(`${deadline}`)] : []),
  ]
  return settings.length === 0 ? null : `select ${settings.join(', ')}`
}
