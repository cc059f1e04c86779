// A PostgreSQL server, through a pool of connections. Statements are prepared once per connection under their
// name. It refuses to crash the process when an idle connection dies, and to reuse a connection that failed.
import pg from 'pg'
import { LearntTime } from '../../runtime/clock.js'
import {
  CALL_LIMIT_MS,
  type Database,
  DatabaseUnavailable,
  type Parameter,
  type Row,
  type Statement,
} from '../database.js'
import { NamedQuery, type Readers } from '../named-query.js'
import {
  begin,
  type DatabaseSession,
  endsConnection,
  plannerSettings,
  rollback,
  SessionDatabase,
  translateError,
  type Use,
  withRetries,
} from '../session.js'
import { MARGIN_MS, type OtherEnd, prepareLimit, settingsAhead } from './deadline.js'

export interface PostgresOptions {
  /** `postgres://…`; `?statements=unnamed` prepares nothing: for PgBouncer's transaction mode before 1.21. */
  readonly url: string
  /** 10 by default: one process saturates with 8 to 16 connections, 24 were slower (measured). */
  readonly maxConnections?: number
  /** The schema that every statement goes to; by default that of the role, `public` as a rule. */
  readonly schema?: string
  /** Called for connections that died while idle. The pool has replaced them already. */
  readonly onConnectionLost?: (error: Error) => void
}

/** The most calls that may wait for a connection: ten connections do as many in a second or less. */
const waitingMax = 2_000
/** Ends the transaction of a process that vanished. A live process ends it sooner (session.ts). */
const idleTransactionTimeoutMs = 60_000
/** A migration may rewrite a table, or wait for another process that does. */
const scriptTimeoutMs = 3_600_000

/** Opens a pool. The first statement connects, and throws `DatabaseUnavailable` if it cannot. */
export function openPostgres(options: PostgresOptions): Database {
  return new Postgres(options)
}

interface KnownConnection extends OtherEnd {
  readonly isNamed: boolean
  readonly readers: Readers
}

class Postgres extends SessionDatabase {
  readonly kind = 'postgres'
  readonly serverTime = new LearntTime()
  readonly #pool: pg.Pool
  readonly #connections = new WeakMap<pg.ClientBase, KnownConnection>()
  #underWay = 0
  #isClosing = false
  #onIdle = () => {}

  constructor(options: PostgresOptions) {
    super()
    const { connectionString, isNamed } = readUrl(options.url)
    this.#pool = new pg.Pool({
      connectionString,
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: CALL_LIMIT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      // An hour: connections drift back to all servers behind a load balancer or after a fail-over.
      maxLifetimeSeconds: 3_600,
      fallback_application_name: 'ishtirak',
      onConnect: async (client) => {
        const otherEnd = await prepareSession(client, options.schema, this.serverTime)
        this.#connections.set(client, { ...otherEnd, isNamed, readers: new Map() })
      },
    })
    // Without a listener an error event ends the process: the pool's for idle connections, the client's for
    // those in use (whose statement fails as well, and reports it to its caller).
    this.#pool.on('error', (error) => options.onConnectionLost?.(error))
    this.#pool.on('connect', (client) => void client.on('error', () => {}))
  }

  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    // The pool would never answer calls that still wait for a connection.
    if (this.#underWay > 0) await idle
    await this.#pool.end()
  }

  protected async withSession<Result>(use: Use<Result>, giveUpAt: number): Promise<Result> {
    if (this.#isClosing) throw new DatabaseUnavailable('the database is closed')
    if (this.#pool.waitingCount >= waitingMax)
      throw new DatabaseUnavailable(`${waitingMax} calls wait for a connection`)
    this.#underWay += 1
    try {
      return await withRetries(() => this.#onConnection(use, giveUpAt))
    } finally {
      if (--this.#underWay === 0) this.#onIdle()
    }
  }

  async #onConnection<Result>(use: Use<Result>, giveUpAt: number): Promise<Result> {
    const client = await this.#connection(giveUpAt)
    // The pool hands out only connections whose `onConnect` has ended.
    const known = this.#connections.get(client) as KnownConnection
    const session = new PooledSession(client, known, giveUpAt)
    inUse.add(session)
    try {
      return await use(session)
    } finally {
      inUse.delete(session)
      // A transaction that could not be ended in time is still open.
      client.release(session.isLost || client.getTransactionStatus() !== 'I')
    }
  }

  /** A free or new connection. If it comes too late it is returned unused, and nothing is sent. */
  #connection(giveUpAt: number): Promise<pg.PoolClient> {
    const isFree = this.#pool.idleCount > this.#pool.waitingCount || giveUpAt === Number.POSITIVE_INFINITY
    return new Promise((resolve, reject) => {
      let isLate = false
      const giveUp = () => {
        isLate = true
        reject(new DatabaseUnavailable('no connection became free in time'))
      }
      const timer = isFree ? undefined : setTimeout(giveUp, giveUpAt - performance.now())
      this.#pool.connect((error, client) => {
        clearTimeout(timer)
        if (client === undefined) reject(translateError(error))
        else if (isLate) client.release()
        else resolve(client)
      })
    })
  }
}

const CHECK_EVERY_MS = 100
/** One timer checks the deadlines of all. After a query is given up, a late answer changes nothing. */
const inUse = new Set<PooledSession>()
setInterval(() => {
  const now = performance.now()
  for (const { giveUpAt, fail } of inUse) if (now >= giveUpAt) fail(new Error('Query read timeout'))
}, CHECK_EVERY_MS).unref()

class PooledSession implements DatabaseSession {
  /** True: the connection must not go back to the pool. */
  isLost = false
  /** Rejects the query that is under way. */
  fail: (error: unknown) => void = () => {}

  constructor(
    private readonly client: pg.PoolClient,
    private readonly known: KnownConnection,
    readonly giveUpAt: number,
  ) {}

  async query(statement: Statement, parameters: readonly Parameter[]): Promise<Row[]> {
    const { client, giveUpAt, known } = this
    if (performance.now() >= giveUpAt - MARGIN_MS)
      throw new DatabaseUnavailable('given up before it was sent')
    const { isNamed, isPooler, schema, readers } = known
    const isUnlimited = statement === begin && giveUpAt === Number.POSITIVE_INFINITY
    // A transaction that has failed accepts nothing ahead of its rollback.
    const isPlain = isUnlimited || statement === rollback
    const hasAhead = statement.isChange || (isPooler && schema !== undefined && !isPlain)
    const ahead = hasAhead ? settingsAhead(known, giveUpAt) : []
    const named = isNamed ? statement : { name: '', text: statement.text }
    const answered = new Promise<NamedQuery>((resolve, reject) => {
      this.fail = reject
      const query = new NamedQuery(named, parameters, readers, ahead, () => resolve(query), reject)
      client.query(query)
    })
    const rows = (await this.#translated(answered)).rows()
    // No query, after which a transaction could not choose its isolation level (backup.sql.ts).
    if (isUnlimited) await this.script(`set local statement_timeout = 0; ${setSchema(schema, 'local')}`)
    return rows
  }

  async script(sql: string): Promise<void> {
    await this.#translated(this.client.query(inTime(sql, scriptTimeoutMs)))
  }

  async #translated<Answer>(answered: Promise<Answer>): Promise<Answer> {
    try {
      return await answered
    } catch (error) {
      const translated = translateError(error)
      this.isLost ||= endsConnection(translated)
      throw translated
    }
  }
}

const setSchema = (schema: string | undefined, scope: 'local' | 'session') =>
  schema === undefined ? '' : `set ${scope} search_path = "${schema}";`

/** A query of the driver's own. The driver accepts a time limit for it, which its types leave out. */
const inTime = (text: string, query_timeout = CALL_LIMIT_MS) => ({ text, query_timeout })

/**
 * Settings go as statements, since PgBouncer refuses them as start parameters. UTC decides what a day is in
 * SQL; a pooler follows the zone. The rest would fall on the next client of its server connection, so there
 * the role has it (deploy/pooler.sql), and the schema goes with each query.
 */
async function prepareSession(
  client: pg.ClientBase,
  schema: string | undefined,
  serverTime: LearntTime,
): Promise<OtherEnd> {
  await client.query(inTime(`set time zone 'UTC'`))
  const { rows } = await client.query(
    inTime('select pg_backend_pid() as id, extract(epoch from clock_timestamp())::float8 * 1000 as now'),
  )
  // Noted when the answer arrives: the delay makes deadlines earlier, never later.
  serverTime.note(rows[0]?.now)
  const clockOffset = rows[0]?.now - performance.now()
  // A pooler tells its clients an invented process number, a server the number of the process that answers.
  // The driver keeps the number that was given at the start (pg, client.js); its types leave it out.
  const isPooler = !('processID' in client) || client.processID !== rows[0]?.id
  if (!isPooler)
    await client.query(
      inTime(`${setSchema(schema, 'session')}
       ${prepareLimit};
       set statement_timeout = ${CALL_LIMIT_MS};
       set idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs};
       ${plannerSettings.map((setting) => `set ${setting}`).join(';')}`),
    )
  return { clockOffset, isPooler, schema }
}

function readUrl(text: string): { connectionString: string; isNamed: boolean } {
  const url = new URL(text)
  const isNamed = url.searchParams.get('statements') !== 'unnamed'
  url.searchParams.delete('statements')
  return { connectionString: url.href, isNamed }
}
