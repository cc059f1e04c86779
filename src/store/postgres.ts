// A PostgreSQL server, through a pool of connections. Statements are prepared once per connection under their name.
// It refuses to crash the process when an idle connection dies, and to reuse a connection that failed.
import pg from 'pg'
import {
  type Database,
  DatabaseError,
  DatabaseUnavailable,
  type Parameter,
  type Row,
  type Statement,
  type Transaction,
} from './database.js'
import { endsConnection, isStalePlan, translateError } from './database-errors.js'
import { NamedQuery } from './named-query.js'
import { plannerSettings } from './planner.js'
import { runTransaction, type Session } from './transaction.js'
import { encodeParameter } from './values.js'

export interface PostgresOptions {
  /** `postgres://…`; `?statements=unnamed` prepares nothing: for PgBouncer in transaction mode before 1.21. */
  readonly url: string
  /** 10 by default: one process saturates with 8 to 16 connections, 24 were slower (measured). */
  readonly maxConnections?: number
  /** Told of connections that died while idle. The pool has replaced them already. */
  readonly onConnectionLost?: (error: Error) => void
}

/** A request waits this long for a connection, new or free; then it answers 503, which sheds load. */
const connectionTimeoutMs = 5_000
/** Our statements take milliseconds; the server ends what takes this long, and its locks with it. */
const statementTimeoutMs = 15_000
/** For a process that vanished inside a transaction; one that lives ends it sooner itself (see transaction.ts). */
const idleTransactionTimeoutMs = 60_000
/** For a server that vanished without a word: longer than the server's own limit, which gives the better error. */
const answerTimeoutMs = statementTimeoutMs + 5_000
/** Migrations may rewrite a table, or wait for another process that does. */
const scriptTimeoutMs = 3_600_000

/** Opens a pool. No connection is made yet: the first statement does, and throws `DatabaseUnavailable` if it cannot. */
export function openPostgres(options: PostgresOptions): Database {
  return new Postgres(options)
}

class Postgres implements Database {
  readonly kind = 'postgres'
  readonly #pool: pg.Pool
  readonly #named: boolean
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosing = false

  constructor(options: PostgresOptions) {
    const { connectionString, named } = readUrl(options.url)
    this.#named = named
    this.#pool = new pg.Pool({
      connectionString,
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: connectionTimeoutMs,
      query_timeout: answerTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // An hour: connections drift back to all servers behind a load balancer or after a fail-over.
      maxLifetimeSeconds: 3_600,
      fallback_application_name: 'ishtirak',
      onConnect: prepareSession,
    })
    const lost = options.onConnectionLost ?? (() => {})
    // Without a listener an error event ends the process: the pool's for idle connections, the client's for those in
    // use (whose statement fails as well, and tells its caller).
    this.#pool.on('error', lost)
    this.#pool.on('connect', (client) => void client.on('error', () => {}))
  }

  async query(statement: Statement, parameters: readonly Parameter[] = []): Promise<readonly Row[]> {
    try {
      return await this.#session((session) => session.query(statement, parameters))
    } catch (error) {
      if (!isStalePlan(error)) throw error
      return await this.#session((session) => session.query(statement, parameters))
    }
  }

  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#session((session) => runTransaction(session, work))
  }

  script(sql: string): Promise<void> {
    return this.transaction((transaction) => transaction.script(sql))
  }

  /** The pool alone would leave those without an answer who still wait for a connection. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    await Promise.allSettled(this.#underWay)
    await this.#pool.end()
  }

  #session<Result>(use: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#isClosing) return Promise.reject(new DatabaseUnavailable('the database is closed'))
    const result = this.#onConnection(use)
    this.#underWay.add(result)
    const leave = () => this.#underWay.delete(result)
    result.then(leave, leave)
    return result
  }

  async #onConnection<Result>(use: (session: Session) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw translateError(error)
    })
    const session = new PooledSession(client, this.#named)
    try {
      return await use(session)
    } finally {
      client.release(session.isLost)
    }
  }
}

/** The driver takes a time limit for each query (pg, client.js), which its types leave out. */
interface ScriptConfig extends pg.QueryConfig {
  readonly query_timeout: number
}

class PooledSession implements Session {
  /** True: the connection must not go back to the pool. */
  isLost = false

  constructor(
    private readonly client: pg.PoolClient,
    private readonly named: boolean,
  ) {}

  query({ name, text }: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#ask(
      () =>
        new Promise((resolve, reject) => {
          const done = (error: unknown, rows: readonly Row[] = []) => (error ? reject(error) : resolve(rows))
          const values = parameters.map(encodeParameter)
          this.client.query(new NamedQuery(this.client, this.named ? name : '', text, values, done))
        }),
    )
  }

  async command(sql: string): Promise<string> {
    const { command } = await this.#ask(() => this.client.query(sql))
    return command
  }

  async script(sql: string): Promise<void> {
    // The protocol ends a text at its first NUL: half a script would run, silently.
    if (sql.includes('\0')) throw new DatabaseError('22021', 'NUL character in a script')
    const script: ScriptConfig = {
      text: `set local statement_timeout = 0; ${sql}`,
      query_timeout: scriptTimeoutMs,
    }
    await this.#ask(() => this.client.query(script))
  }

  async #ask<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch (error) {
      const translated = translateError(error)
      this.isLost ||= endsConnection(translated)
      throw translated
    }
  }
}

/**
 * Settings go as statements, since PgBouncer refuses them as start parameters. UTC decides what a day is in SQL; a pooler
 * follows the zone from one server connection to the next. It does not follow the rest: behind a pooler that would fall on
 * whoever gets the server connection next, so there the role has it (docs/operations.md) or nobody.
 * Told to the pool as a promise: a connection is used only after it.
 */
async function prepareSession(client: pg.ClientBase): Promise<void> {
  await client.query(`set time zone 'UTC'`)
  if (await isPooled(client)) return
  await client.query(
    `set statement_timeout = ${statementTimeoutMs};
     set idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs};
     ${plannerSettings.map((setting) => `set ${setting}`).join(';')}`,
  )
}

/** A pooler tells its clients a process number of its own making; a server tells the number of the process that answers. */
async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as id')
  // The driver keeps the number that was told at the start (pg, client.js: `processID`); its types leave it out.
  return !('processID' in client) || client.processID !== rows[0]?.id
}

function readUrl(text: string): { connectionString: string; named: boolean } {
  const url = new URL(text)
  const named = url.searchParams.get('statements') !== 'unnamed'
  url.searchParams.delete('statements')
  return { connectionString: url.href, named }
}
