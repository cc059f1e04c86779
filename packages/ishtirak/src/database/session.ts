// Both databases share this: queries and transactions on a session, the planner's settings, the meaning of
// errors. Difficult endings (a failed commit, a swallowed error, a late statement) are the same on both.
import { DatabaseError as ServerRefusal } from 'pg-protocol'
import {
  ConstraintViolation,
  type Database,
  DatabaseError,
  DatabaseUnavailable,
  givenUpAfter,
  type Parameter,
  type Row,
  type Statement,
  type Transaction,
} from './database.js'

/** One connection, used by one caller at a time. Its errors are translated already. */
export interface DatabaseSession {
  query(statement: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]>
  /** Runs `begin`, `commit` or `rollback`. Returns the command's tag, such as `COMMIT`. */
  command(sql: string): Promise<string>
  /** Runs many statements without parameters or time limit. Earlier plans may be stale afterwards. */
  script(sql: string): Promise<void>
}

/** The two databases differ in how a piece of work gets its session. */
export abstract class SessionDatabase implements Database {
  abstract readonly kind: Database['kind']
  protected abstract withSession<Result>(
    use: (session: DatabaseSession) => Promise<Result>,
    giveUpAt: number,
  ): Promise<Result>
  abstract close(): Promise<void>

  query(
    statement: Statement,
    parameters: readonly Parameter[] = [],
    giveUpAt = givenUpAfter(),
  ): Promise<readonly Row[]> {
    const ask = () => this.withSession((session) => session.query(statement, parameters), giveUpAt)
    return ask().catch((error: unknown) => (isStalePlan(error) ? ask() : Promise.reject(error)))
  }

  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    giveUpAt = givenUpAfter(),
  ): Promise<Result> {
    return this.withSession((session) => runTransaction(session, work), giveUpAt)
  }

  script(sql: string): Promise<void> {
    return this.transaction((transaction) => transaction.script(sql), Number.POSITIVE_INFINITY)
  }
}

/** A deadlock's victim usually wins the second time. Five times in a row is a design error. */
const mostRuns = 5

/** Work inside a transaction must await nothing else; it would stop the embedded database for ever. */
const idleLimitMs = 30_000

export async function runTransaction<Result>(
  session: DatabaseSession,
  work: (transaction: Transaction) => Promise<Result>,
  options = { idleLimitMs },
): Promise<Result> {
  for (let run = 1; ; run++) {
    try {
      return await runOnce(session, work, options)
    } catch (error) {
      if (run === mostRuns || !isWorthAnotherRun(error)) throw error
    }
  }
}

async function runOnce<Result>(
  session: DatabaseSession,
  work: (transaction: Transaction) => Promise<Result>,
  options: { readonly idleLimitMs: number },
): Promise<Result> {
  await session.command('begin')
  const transaction = new SerialTransaction(session, options.idleLimitMs)
  let result: Result
  try {
    result = await Promise.race([work(transaction), transaction.forgotten])
  } catch (error) {
    await transaction.end()
    // If the rollback fails too, the session is lost. The first error is the one to report.
    await session.command('rollback').catch(() => undefined)
    throw error
  }
  await transaction.end()
  const tag = await session.command('commit')
  // PostgreSQL answers `commit` with ROLLBACK where a statement had failed and the work went on.
  if (tag !== 'COMMIT')
    throw new DatabaseError('25P02', 'a statement of the transaction had failed: rolled back')
  return result
}

/** Statements go one after the other, also when the work starts several at once. */
class SerialTransaction implements Transaction {
  /** Rejects when the work leaves the transaction idle for too long. */
  readonly forgotten: Promise<never>
  #idle: NodeJS.Timeout | undefined
  #running = 0
  #last: Promise<unknown> = Promise.resolve()
  #ended = false

  constructor(
    private readonly session: DatabaseSession,
    idleLimitMs: number,
  ) {
    // 25P04 is transaction_timeout.
    const error = new DatabaseError('25P04', `a transaction was left idle for ${idleLimitMs} ms`)
    this.forgotten = new Promise((_, reject) => {
      this.#idle = setTimeout(() => (this.#running > 0 ? this.#idle?.refresh() : reject(error)), idleLimitMs)
    })
  }

  query(statement: Statement, parameters: readonly Parameter[] = []): Promise<readonly Row[]> {
    return this.#inTurn(() => this.session.query(statement, parameters))
  }

  script(sql: string): Promise<void> {
    return this.#inTurn(() => {
      // The protocol ends a text at its first NUL: half a script would run, silently.
      if (sql.includes('\0')) throw new DatabaseError('22021', 'NUL character in a script')
      return this.session.script(sql)
    })
  }

  /** Refuses new statements, and waits for those that were started. Their caller has the outcome. */
  async end(): Promise<void> {
    this.#ended = true
    clearTimeout(this.#idle)
    await this.#last.catch(() => undefined)
  }

  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    // 25P01 is no_active_sql_transaction.
    if (this.#ended) return Promise.reject(new DatabaseError('25P01', 'the transaction has ended'))
    this.#running += 1
    const result = this.#last.then(step, step).finally(() => {
      this.#running -= 1
      if (!this.#ended) this.#idle?.refresh()
    })
    this.#last = result
    return result
  }
}

/**
 * Every statement looks up rows by a key. The planner keeps a named statement's plan without knowing how many
 * keys will come, and would rather read a table whole (test/plans/plans.system.test.ts): with these it goes
 * through an index wherever one can serve, and plans once. `jit`: a table of one row is read whole at a cost
 * for which servers before 18 compile the statement at each run, in a second or more.
 */
export const plannerSettings = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'max_parallel_workers_per_gather=0',
] as const

/** Errors of ours pass through: what we have thrown ourselves, and bugs. */
const OURS = [DatabaseUnavailable, DatabaseError, TypeError, RangeError, SyntaxError]

/** Returns the error to throw for one of the driver's: if it is no refusal, the connection is lost. */
export function translateError(error: unknown): unknown {
  if (error instanceof ServerRefusal) return translateRefusal(error)
  if (!(error instanceof Error) || OURS.some((ours) => error instanceof ours)) return error
  // The message is empty if a name has several addresses and none answers.
  const words = error.message || ('code' in error ? error.code : error.name)
  return new DatabaseUnavailable(`database unreachable: ${words}`, { cause: error })
}

/**
 * PostgreSQL documentation, appendix A, error codes: 08 connection, 28 who are you, 3D000 no such database,
 * 53 out of resources, 55P03 lock not available, 57 operator intervention (57014: statement time-out), 58
 * system error, 25006 read only (an old primary after a fail-over), 25P03 and 25P04 transaction time-outs.
 */
const unavailable = /^(08|28|3D000|53|55P03|57|58|25006|25P03|25P04)/

function translateRefusal(error: ServerRefusal): Error {
  const code = error.code ?? 'XX000'
  const message = `${error.message} (${code})`
  if (unavailable.test(code) || isTooLate(error)) return new DatabaseUnavailable(message, { cause: error })
  // 23 is integrity constraint violation. A not-null violation has no name: its column stands for it.
  if (code.startsWith('23')) {
    return new ConstraintViolation(error.constraint ?? error.column ?? code, message, { cause: error })
  }
  return new DatabaseError(code, message, { cause: error })
}

/** The deadline sent ahead of a change (named-query.ts) had passed, so the change was not begun. */
function isTooLate({ code, message }: ServerRefusal): boolean {
  return code === '22023' && message.includes('statement_timeout')
}

/** 40001 serialization failure, 40P01 deadlock: the transaction did nothing and may run again. */
function isWorthAnotherRun(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}

/** A migration changed the columns of a plan. A fresh connection works (plancache.c). */
function isStalePlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '0A000' && error.message.includes('cached plan')
}

/** Whether a connection must be closed after this error. */
export function endsConnection(error: unknown): boolean {
  if (isStalePlan(error)) return true
  if (!(error instanceof DatabaseUnavailable)) return false
  const { cause } = error
  if (!(cause instanceof ServerRefusal)) return true
  // A plain ERROR leaves the session alive, FATAL has ended it. 25006: ask for a new connection, to the new
  // primary. Too late: perhaps the server's clock was set; a new connection compares the clocks again.
  return cause.severity !== 'ERROR' || cause.code === '25006' || isTooLate(cause)
}
