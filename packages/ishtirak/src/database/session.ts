// What a session is on both databases: the planner's settings, and begin, work, commit. The difficult endings (a failed
// commit, a swallowed error, a transaction used after its end) end alike on both.
import { DatabaseError, type Parameter, type Row, type Statement, type Transaction } from './database.js'
import { isWorthAnotherRun } from './database-errors.js'

/** One connection, used by one caller at a time. Its errors are translated already. */
export interface DatabaseSession {
  query(statement: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]>
  /** Runs `begin`, `commit`, `rollback`. Gives the command's tag, as `COMMIT`. */
  command(sql: string): Promise<string>
  /** Runs many statements without parameters, with no time limit; plans made before may be stale after it. */
  script(sql: string): Promise<void>
}

/** A deadlock's victim wins the second time as a rule; five times in a row is a design error that should be seen. */
const mostRuns = 5

/** Work inside a transaction may await nothing else; it would stop the embedded database for ever. */
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
  const transaction = new OpenTransaction(session, options.idleLimitMs)
  let result: Result
  try {
    result = await Promise.race([work(transaction), transaction.forgotten])
  } catch (error) {
    await transaction.end()
    // Where even the rollback fails, the session is lost and its owner drops it; the first error is the one to report.
    await session.command('rollback').catch(() => undefined)
    throw error
  }
  await transaction.end()
  const tag = await session.command('commit')
  // PostgreSQL answers `commit` with ROLLBACK when a statement had failed and the work went on as if nothing was.
  if (tag !== 'COMMIT')
    throw new DatabaseError('25P02', 'a statement of the transaction had failed: rolled back')
  return result
}

/** Statements go one after the other, also when the work starts several at once. */
class OpenTransaction implements Transaction {
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
    return this.#inTurn(() => this.session.script(sql))
  }

  /** Refuses what comes now, and waits for what was started and not awaited: its outcome was reported to its caller. */
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
 * Every statement of ours looks up rows by a key. The planner keeps a named statement's plan, does not know how many keys will
 * come, and would rather read a table whole (test/plans/plans.system.test.ts). With these the only way left is one index look-up after
 * the other; where no index can serve, a table is still read. It plans once: for arrays it believes that planning anew for each
 * length pays, and spends as much on that as on the work (consuming for one user: 0.7 of 1.4 ms).
 */
export const plannerSettings = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
] as const
