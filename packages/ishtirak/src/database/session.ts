// What both databases share: queries and transactions, the planner's settings, the meaning of errors.
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
  /** Runs many statements without parameters or time limit. Earlier plans may be stale afterwards. */
  script(sql: string): Promise<void>
}

export type Use<Result> = (session: DatabaseSession) => Promise<Result>
type Work<Result> = (transaction: Transaction) => Promise<Result>

/** The two databases differ in how a piece of work gets its session, at each of its runs (`withRetries`). */
export abstract class SessionDatabase implements Database {
  abstract readonly kind: Database['kind']
  protected abstract withSession<Result>(use: Use<Result>, giveUpAt: number): Promise<Result>
  abstract close(): Promise<void>

  query(statement: Statement, parameters: readonly Parameter[] = [], giveUpAt = givenUpAfter()) {
    return this.withSession((session) => session.query(statement, parameters), giveUpAt)
  }

  transaction<Result>(work: Work<Result>, giveUpAt = givenUpAfter()): Promise<Result> {
    const limitMs = giveUpAt === Number.POSITIVE_INFINITY ? LONGEST_TIMER_MS : LONGEST_MS
    return this.withSession((session) => runTransaction(session, work, limitMs), giveUpAt)
  }

  script(sql: string): Promise<void> {
    return this.transaction((transaction) => transaction.script(sql), Number.POSITIVE_INFINITY)
  }
}

/** Work must await nothing but its queries: it would stop the embedded database for ever. */
const LONGEST_MS = 30_000
/** 25 days, for a backup. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A deadlock's victim usually wins the second time. Five times in a row is a design error. */
const MOST_RUNS = 5

/** Does it again after a failure that left nothing. All runs are one call, which `close` waits for. */
export async function withRetries<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let runs = 1; ; runs++) {
    try {
      return await run()
    } catch (error) {
      if (runs === MOST_RUNS || !isWorthAnotherRun(error)) throw error
    }
  }
}

const command = (text: string, isChange: boolean): Statement => ({ name: text, text, isChange })
export const begin = command('begin', false)
/** With the deadline of a change: the server refuses a commit that comes too late. */
const commit = command('commit', true)
export const rollback = command('rollback', false)

export async function runTransaction<Result>(
  session: DatabaseSession,
  work: Work<Result>,
  limitMs: number,
): Promise<Result> {
  await session.query(begin, [])
  let [hasFailed, hasEnded] = [false, false]
  let last: Promise<unknown> = Promise.resolve()
  /** One query after the other, also when the work starts several at once. */
  const inTurn = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    // 25P01 is no_active_sql_transaction.
    if (hasEnded) return Promise.reject(new DatabaseError('25P01', 'the transaction has ended'))
    const answer = last.then(ask)
    last = answer.catch(() => {
      hasFailed = true
    })
    return answer
  }
  const transaction: Transaction = {
    query: (statement, parameters = []) => inTurn(() => session.query(statement, parameters)),
    script: (sql) => inTurn(() => session.script(sql)),
  }
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    // 25P04 is transaction_timeout.
    const error = new DatabaseError('25P04', `a transaction took longer than ${limitMs} ms`)
    timer = setTimeout(reject, limitMs, error)
  })
  try {
    const result = await Promise.race([work(transaction), tooLong])
    hasEnded = true
    await last
    // PostgreSQL would answer the commit of a failed transaction with ROLLBACK, and no error.
    if (hasFailed) throw new DatabaseError('25P02', 'a query of the transaction had failed')
    await session.query(commit, [])
    return result
  } catch (error) {
    hasEnded = true
    await last
    // If the rollback fails too, the session is lost. The first error is the one to report.
    await session.query(rollback, []).catch(() => undefined)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Every query looks up rows by a key, but the plan of a named one does not know how many keys will come. With
 * these it is planned once, and by an index wherever one can serve (test/plans/plans.system.test.ts). Before
 * PostgreSQL 18, `jit` compiles the read of a table of one row at each run, in a second or more.
 */
export const plannerSettings = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'max_parallel_workers_per_gather=0',
]

/** The driver's messages about a connection that was not made, has ended or does not answer (pg 8.23). */
const aboutConnection =
  /^(Connection term|Client (has|was) |Query read timeout|timeout ex|Received unexp|SASL|The.* SSL conn)/

/**
 * Returns the error to throw for one of the driver's. Failures of sockets and of TLS have a code, also the
 * `AggregateError` of several addresses. Any other error is a bug, and stays as it is.
 */
export function translateError(error: unknown): unknown {
  if (error instanceof ServerRefusal) return translateRefusal(error)
  if (!(error instanceof Error) || !/^(Aggregate)?Error$/.test(error.name)) return error
  const { code, message }: NodeJS.ErrnoException = error
  if (code === undefined && !aboutConnection.test(message)) return error
  // The message is empty if a name has several addresses and none answers.
  return new DatabaseUnavailable(`database unreachable: ${message || code}`, { cause: error })
}

/**
 * SQLSTATE: 08 connection, 28 authorization, 3D000 no such database, 53 out of resources, 55P03 lock not
 * available, 57 operator intervention (57014: statement time-out), 58 system error, 25006 read only (an old
 * primary after a fail-over), 25P03 and 25P04 transaction time-outs.
 */
const unavailable = /^(08|28|3D000|53|55P03|57|58|25006|25P03|25P04)/

function translateRefusal(error: ServerRefusal): Error {
  const { code = 'XX000', constraint, column } = error
  const message = `${error.message} (${code})`
  // 22023: the deadline that is sent ahead of a change (deadline.ts) had passed: the change was not begun.
  const isTooLate = code === '22023' && message.includes('statement_timeout')
  if (isTooLate || unavailable.test(code)) return new DatabaseUnavailable(message, { cause: error })
  // 23 is integrity constraint violation. A not-null violation has no name: its column stands for it.
  if (code.startsWith('23'))
    return new ConstraintViolation(constraint ?? column ?? code, message, { cause: error })
  return new DatabaseError(code, message, { cause: error })
}

/** 40001 serialization failure, 40P01 deadlock: nothing was done, and it may be done again. */
const isWorthAnotherRun = (error: unknown) =>
  isStalePlan(error) || (error instanceof DatabaseError && /^(40001|40P01)$/.test(error.code))

/** A migration changed the columns of a plan. A fresh connection works (plancache.c). */
const isStalePlan = (error: unknown) =>
  error instanceof DatabaseError && error.code === '0A000' && error.message.includes('cached plan')

/**
 * Whether a connection must be closed after this error. It outlives a refusal and a statement's time-out.
 * After any other error it may have ended, lead to an old primary, or have compared the clocks before the
 * server's was set.
 */
export function endsConnection(error: unknown): boolean {
  if (error instanceof DatabaseError || error instanceof ConstraintViolation) return isStalePlan(error)
  return !(error instanceof DatabaseUnavailable && Object(error.cause).code === '57014')
}
