// A change that is given up must not be carried out later, also when it lies in the receive buffer of a
// server that hangs. So every change carries its deadline, by the server's clock: past it the server refuses
// to begin, and until then it is the statement's time limit.
import { serialize } from 'pg-protocol'

/** The server gives up this much earlier: its refusal then still arrives, and the connection stays usable. */
export const MARGIN_MS = 250

export interface OtherEnd {
  /** Milliseconds since 1970 by the server's clock, less the same instant by `performance.now()`. */
  readonly clockOffset: number
  /** A pooler: what is prepared or set on one server connection is missing on the next. */
  readonly isPooler: boolean
  readonly schema: string | undefined
}

/**
 * Limits the rest of the transaction to the time left until $1. If none is left the limit is -1, which
 * PostgreSQL refuses (22023), and so everything up to the end of the transaction: 0 would mean no limit. It
 * returns no row, as no setting is null.
 */
const setLimit = `select where set_config('statement_timeout',
  coalesce(nullif(floor($1::numeric - extract(epoch from clock_timestamp()) * 1000), 0), -1)::int::text,
  true) is null`

/** Planned once on a connection of our own: a change then takes 119 µs instead of 149. */
export const prepareLimit = `prepare ishtirak_limit(numeric) as ${setLimit}`

const setLimitAndSchema = `${setLimit} or set_config('search_path',
  coalesce($2, current_setting('search_path')), true) is null`

/** The messages that set the deadline, and on a pooler the schema, ahead of a query in its transaction. */
export function settingsAhead({ clockOffset, isPooler, schema }: OtherEnd, giveUpAt: number): Buffer[] {
  // Eleven days are as good as no limit, and less than PostgreSQL's longest.
  const limited = Math.min(giveUpAt, performance.now() + 1e9)
  const deadline = `${Math.floor(clockOffset + limited - MARGIN_MS)}`
  const run = isPooler
    ? [serialize.parse({ text: setLimitAndSchema }), serialize.bind({ values: [deadline, schema ?? null] })]
    : [serialize.bind({ statement: 'ishtirak_limit', values: [deadline] })]
  return [...run, serialize.execute()]
}
