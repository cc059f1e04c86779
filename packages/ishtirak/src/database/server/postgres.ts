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
import { encodeParameter, type ReadRow } from '../rows.js'
import {
  type DatabaseSession,
  endsConnection,
  plannerSettings,
  SessionDatabase,
  translateError,
} from '../session.js'
import {
  examineOtherEnd,
  inTime,
  isTooLateToSend,
  type OtherEnd,
  prepareDeadline,
  settingsAhead,
  type TimedQuery,
} from './deadline.js'
import { NamedQuery } from './named-query.js'

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
  /** The readers of the statements that were described on it, by name. */
  readonly readers: Map<string, ReadRow>
}

class Postgres extends SessionDatabase {
  readonly kind = 'postgres'
  readonly serverTime = new LearntTime()
  readonly #pool: pg.Pool
  readonly #connections = new WeakMap<pg.ClientBase, KnownConnection>()
  readonly #named: boolean
  readonly #schema: string | undefined
  #underWay = 0
  #isClosing = false
  #onIdle = () => {}

  constructor(options: PostgresOptions) {
    super()
    const { connectionString, named } = readUrl(options.url)
    this.#named = named
    this.#schema = options.schema
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
        this.#connections.set(client, { ...otherEnd, readers: new Map() })
      },
    })
    const lost = options.onConnectionLost ?? (() => {})
    // Without a listener an error event ends the process: the pool's for idle connections, the client's for
    // those in use (whose statement fails as well, and reports it to its caller).
    this.#pool.on('error', lost)
    this.#pool.on('connect', (client) => void client.on('error', () => {}))
  }

  /** Without this, the pool would never answer calls that still wait for a connection. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    if (this.#underWay > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    await this.#pool.end()
  }

  protected async withSession<Result>(
    use: (session: DatabaseSession) => Promise<Result>,
    giveUpAt: number,
  ): Promise<Result> {
    if (this.#isClosing) throw new DatabaseUnavailable('the database is closed')
    if (this.#pool.waitingCount >= waitingMax)
      throw new DatabaseUnavailable(`${waitingMax} calls wait for a connection`)
    this.#underWay += 1
    try {
      const client = await this.#connection(giveUpAt)
      // The pool hands out only connections whose `onConnect` has ended.
      const known = this.#connections.get(client) as KnownConnection
      const session = new PooledSession(client, known, { named: this.#named, schema: this.#schema, giveUpAt })
      try {
        return await use(session)
      } finally {
        client.release(session.isLost)
      }
    } finally {
      if (--this.#underWay === 0) this.#onIdle()
    }
  }

  /** A free or new connection. If it comes too late it is returned unused, and nothing is sent. */
  async #connection(giveUpAt: number): Promise<pg.PoolClient> {
    const isFree = this.#pool.idleCount > this.#pool.waitingCount || giveUpAt === Number.POSITIVE_INFINITY
    const connecting = this.#pool.connect()
    let timer: NodeJS.Timeout | undefined
    const late = () =>
      new Promise<never>((_, reject) => {
        const tooLate = () => reject(new DatabaseUnavailable('no connection became free in time'))
        timer = setTimeout(tooLate, giveUpAt - performance.now())
      })
    try {
      return await (isFree ? connecting : Promise.race([connecting, late()]))
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => undefined,
      )
      throw translateError(error)
    } finally {
      clearTimeout(timer)
    }
  }
}

class PooledSession implements DatabaseSession {
  /** True: the connection must not go back to the pool. */
  isLost = false

  constructor(
    private readonly client: pg.PoolClient,
    private readonly known: KnownConnection,
    private readonly of: { named: boolean; schema: string | undefined; giveUpAt: number },
  ) {}

  async query(
    { name, text, isChange }: Statement,
    parameters: readonly Parameter[],
  ): Promise<readonly Row[]> {
    this.#refuseWhenLate()
    const { named, giveUpAt } = this.of
    const ahead = this.#ahead(isChange ? giveUpAt : null)
    const values = parameters.map(encodeParameter)
    const run = { name: named ? name : '', text, values, ahead, giveUpAt, readers: this.known.readers }
    return this.#ask(
      () =>
        new Promise((resolve, reject) => {
          const done = (error: unknown, rows: readonly Row[] = []) => (error ? reject(error) : resolve(rows))
          this.client.query(new NamedQuery(run, done))
        }),
    )
  }

  async command(sql: string): Promise<string> {
    if (sql !== 'rollback') this.#refuseWhenLate()
    const timeLeftMs = Math.max(1, Math.ceil(this.of.giveUpAt - performance.now()))
    const query_timeout = Math.min(scriptTimeoutMs, timeLeftMs)
    const command: TimedQuery = { text: this.#withSettings(sql), query_timeout }
    // If a commit was refused, the transaction is still open.
    if (sql === 'commit') this.isLost = true
    // For several commands the driver returns a list, which its types leave out.
    const answers = [await this.#ask(() => this.client.query(command))].flat()
    if (sql === 'commit') this.isLost = false
    return answers.at(-1)?.command ?? ''
  }

  async script(sql: string): Promise<void> {
    const script: TimedQuery = { text: sql, query_timeout: scriptTimeoutMs }
    await this.#ask(() => this.client.query(script))
  }

  #withSettings(command: string): string {
    const { giveUpAt } = this.of
    const isUnlimited = command === 'begin' && giveUpAt === Number.POSITIVE_INFINITY
    const parts = [
      command === 'commit' ? this.#ahead(giveUpAt) : null,
      command,
      isUnlimited ? 'set local statement_timeout = 0' : null,
      command === 'begin' ? this.#ahead(null) : null,
    ]
    return parts.filter((part) => part !== null).join('; ')
  }

  /** `giveUpAt`: the deadline of a change; null for what changes nothing. */
  #ahead(giveUpAt: number | null): string | null {
    return settingsAhead(this.known, this.of.schema, giveUpAt)
  }

  #refuseWhenLate(): void {
    if (isTooLateToSend(this.of.giveUpAt)) throw new DatabaseUnavailable('given up before it was sent')
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
 * Settings go as statements, since PgBouncer refuses them as start parameters. UTC decides what a day is in
 * SQL; a pooler follows the zone. The rest would fall on the next client of its server connection, so there
 * the role has it (deploy/pooler.sql), and the schema goes with each statement.
 */
async function prepareSession(
  client: pg.ClientBase,
  schema: string | undefined,
  serverTime: LearntTime,
): Promise<OtherEnd> {
  await client.query(inTime(`set time zone 'UTC'`))
  const otherEnd = await examineOtherEnd(client, serverTime)
  if (otherEnd.isPooler) return otherEnd
  await client.query(
    inTime(`${schema === undefined ? '' : `set search_path = "${schema}";`}
     ${prepareDeadline};
     set statement_timeout = ${CALL_LIMIT_MS};
     set idle_in_transaction_session_timeout = ${idleTransactionTimeoutMs};
     ${plannerSettings.map((setting) => `set ${setting}`).join(';')}`),
  )
  return otherEnd
}

function readUrl(text: string): { connectionString: string; named: boolean } {
  const url = new URL(text)
  const named = url.searchParams.get('statements') !== 'unnamed'
  url.searchParams.delete('statements')
  return { connectionString: url.href, named }
}
