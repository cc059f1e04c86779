// Maps driver errors to three kinds: the database is unavailable, a constraint was violated, a bug. Used by both
// databases. An unknown error is a bug and keeps its code.
import { DatabaseError as ServerRefusal } from 'pg-protocol'
import { ConstraintViolation, DatabaseError, DatabaseUnavailable } from './database.js'

/** Gives the error to throw. Our own errors, and what the caller's work threw, pass through untouched. */
export function translateError(error: unknown): unknown {
  if (error instanceof ServerRefusal) return translateRefusal(error)
  if (error instanceof Error && isConnectionTrouble(error)) {
    return new DatabaseUnavailable(`database unreachable: ${describe(error)}`, { cause: error })
  }
  return error
}

/**
 * PostgreSQL documentation, appendix A, error codes: 08 connection, 28 who are you, 3D000 no such database,
 * 53 out of resources, 55P03 lock not available, 57 operator intervention (57014: statement time-out), 58 system error,
 * 25006 read only (an old primary after a fail-over), 25P03 and 25P04 transaction time-outs.
 */
const unavailable = /^(08|28|3D000|53|55P03|57|58|25006|25P03|25P04)/

function translateRefusal(error: ServerRefusal): Error {
  const code = error.code ?? 'XX000'
  const message = `${error.message} (${code})`
  if (unavailable.test(code) || isTooLate(error)) return new DatabaseUnavailable(message, { cause: error })
  // 23 is integrity constraint violation. A not-null violation has no name of its own: its column stands for it.
  if (code.startsWith('23')) {
    return new ConstraintViolation(error.constraint ?? error.column ?? code, message, { cause: error })
  }
  return new DatabaseError(code, message, { cause: error })
}

/** The deadline that is sent ahead of a change (deadline.ts) had passed: the change was not begun. */
function isTooLate({ code, message }: ServerRefusal): boolean {
  return code === '22023' && message.includes('statement_timeout')
}

/** The driver's own words (pg and pg-pool 8.23) for a connection that failed; these errors carry no code. */
const connectionWords =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|not queryable|after calling end on the pool|does not support SSL|establishing an SSL connection/

function isConnectionTrouble(error: Error): boolean {
  // An AggregateError when a name has several addresses and none answers: each part is a system error.
  if (error instanceof AggregateError)
    return error.errors.some((e) => e instanceof Error && isConnectionTrouble(e))
  return (
    'syscall' in error || ('code' in error && isSystemCode(error.code)) || connectionWords.test(error.message)
  )
}

/** ECONNREFUSED, ETIMEDOUT, EPIPE, ... and TLS's own: system trouble, never SQL. */
function isSystemCode(code: unknown): boolean {
  return (
    typeof code === 'string' &&
    /^(E[A-Z]{3,}|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
  )
}

function describe(error: Error): string {
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** 40001 serialization failure, 40P01 deadlock: the transaction did nothing, and may be run again. */
export function isWorthAnotherRun(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}

/**
 * A migration changed what a prepared plan gives back. The plan belongs to the connection: with a fresh one the same
 * statement works. (PostgreSQL source, plancache.c: "cached plan must not change result type".)
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '0A000' && error.message.includes('cached plan')
}

/** Whether the connection that gave this error is still good for the next statement. */
export function endsConnection(error: unknown): boolean {
  if (isStalePlan(error)) return true
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  if (!(cause instanceof ServerRefusal)) return true
  // A plain ERROR leaves the session alive, FATAL has ended it. 25006: ask for a new connection, to the new primary.
  // Too late: perhaps the server's clock was set; a new connection compares the clocks anew.
  return cause.severity !== 'ERROR' || cause.code === '25006' || isTooLate(cause)
}
