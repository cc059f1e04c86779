// One run of a named statement, as a query of our own for the driver. The server parses it and describes its
// columns once on a connection; the driver's own query has the columns described with every answer and builds
// its rows from that, which took node 60 µs a statement (pg 8.23, query.js and result.js). It knows nothing
// of pools and errors; postgres.ts does.
//
// A change that is given up must not be carried out later, also when it lies in the receive buffer of a
// server that hangs. So every change carries its deadline, by the server's clock: past it the server refuses
// to begin, and until then it is the statement's time limit.
import type { ClientBase, Connection, QueryConfig, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import type { LearntTime } from '../../runtime/clock.js'
import { CALL_LIMIT_MS, type Row } from '../database.js'
import { type DescribedColumn, type ReadRow, rowReader, withoutColumns } from '../rows.js'
import { LimitedConnection } from './query-limits.js'

type Done = (error: unknown, rows?: readonly Row[]) => void

/** What the driver keeps of a connection, and its types leave out: the statements parsed, by name. */
interface DriverConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
}

const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()])
const DESCRIBE = serialize.describe({ type: 'P' })

interface Known {
  /** By the names of the statements that were described on this connection. */
  readonly readers: Map<string, ReadRow>
  readonly limit: LimitedConnection
}

const knownOfClients = new WeakMap<ClientBase, Known>()

function knownOf(client: ClientBase): Known {
  const known = knownOfClients.get(client)
  if (known) return known
  const made = { readers: new Map<string, ReadRow>(), limit: new LimitedConnection(client) }
  knownOfClients.set(client, made)
  return made
}

/** The driver accepts a time limit for its own queries (pg, client.js), which its types leave out. */
export interface TimedQuery extends QueryConfig {
  readonly query_timeout: number
}

/** A query of the driver's own with the time limit of a call. */
export const inTime = (text: string): TimedQuery => ({ text, query_timeout: CALL_LIMIT_MS })

/** The driver calls these methods (pg 8.23, client.js). */
export class NamedQuery implements Submittable {
  readonly #ahead: readonly Buffer[] | null
  /** The answer to the messages sent ahead comes first, and is ignored. */
  #awaitsFirst: boolean
  readonly #known: Known
  readonly #giveUpAt: number
  readonly #values: (string | null)[]
  readonly #rows: Row[] = []
  #read: ReadRow | undefined
  #failure: unknown

  /** Without a name nothing is cached: it is parsed and described at each run. */
  constructor(
    client: ClientBase,
    readonly name: string,
    readonly text: string,
    values: (string | null)[],
    /** `ahead`: the messages of one statement that goes before this one, in its transaction. */
    limits: { readonly timeoutMs: number; readonly ahead: readonly Buffer[] | null },
    public callback: Done,
  ) {
    this.#giveUpAt = performance.now() + limits.timeoutMs
    this.#ahead = limits.ahead
    this.#awaitsFirst = limits.ahead !== null
    this.#known = knownOf(client)
    this.#values = values
    this.#read = this.#known.readers.get(name)
  }

  submit(connection: Connection): Error | null {
    const { stream } = connection
    if (!stream.writable) return new Error('Connection terminated')
    const { name, text } = this
    // The connection that the driver hands out is its own, whose types leave this out.
    const isParsed = name !== '' && (connection as DriverConnection).parsedStatements[name] !== undefined
    const messages = [serialize.bind({ statement: name, values: this.#values }), EXECUTE_AND_SYNC]
    if (!this.#read) messages.splice(1, 0, DESCRIBE)
    if (!isParsed) messages.unshift(serialize.parse({ name, text }))
    if (this.#ahead) messages.unshift(...this.#ahead)
    this.#known.limit.begin(this, this.#giveUpAt)
    // Sent in one write: each write is a system call and wakes the server.
    stream.write(Buffer.concat(messages))
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    this.#keep(rowReader(fields))
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure !== undefined || !this.#read || this.#awaitsFirst) return
    try {
      this.#rows.push(this.#read(fields))
    } catch (error) {
      // A value that we refuse to read fails its statement, not the reading of the answers after it.
      this.#failure = error
    }
  }

  handleCommandComplete(): void {
    if (this.#awaitsFirst) this.#awaitsFirst = false
    else if (!this.#read) this.#keep(withoutColumns)
  }

  handleError(error: unknown): void {
    this.#known.limit.end()
    this.callback(this.#failure ?? error)
  }

  handleReadyForQuery(): void {
    this.#known.limit.end()
    if (this.#failure !== undefined) this.callback(this.#failure)
    else this.callback(null, this.#rows)
  }

  giveUp(): void {
    const { callback } = this
    this.callback = () => {}
    callback(new Error('Query read timeout'))
  }

  #keep(read: ReadRow): void {
    this.#read = read
    if (this.name !== '') this.#known.readers.set(this.name, read)
  }
}

/** The server gives up this much earlier: its refusal then still arrives, and the connection stays usable. */
const MARGIN_MS = 250

/** Milliseconds since 1970 by the server's clock, less the same instant by `performance.now()`. */
const offsets = new WeakMap<ClientBase, number>()

/**
 * A pooler tells its clients an invented process number, a server the number of the process that answers. The
 * server's time is noted when the answer arrives: the delay makes deadlines earlier, never later.
 */
export async function isPooled(client: ClientBase, serverTime: LearntTime): Promise<boolean> {
  const { rows } = await client.query(
    inTime('select pg_backend_pid() as id, extract(epoch from clock_timestamp())::float8 * 1000 as now'),
  )
  offsets.set(client, rows[0]?.now - performance.now())
  serverTime.note(rows[0]?.now)
  // The driver keeps the number that was given at the start (pg, client.js); its types leave it out.
  return !('processID' in client) || client.processID !== rows[0]?.id
}

/** The deadline by the server's clock; null: no deadline, or the clocks were never compared. */
export function serverDeadline(client: ClientBase, giveUpAt: number): number | null {
  const offset = offsets.get(client)
  return offset === undefined || giveUpAt === Number.POSITIVE_INFINITY
    ? null
    : Math.floor(offset + giveUpAt - MARGIN_MS)
}

/** Whether there is too little time left to send anything. */
export function isTooLateToSend(giveUpAt: number): boolean {
  return performance.now() >= giveUpAt - MARGIN_MS
}

// A negative limit is refused (22023), and so is everything up to the end of the transaction. Zero means no
// limit.
const limitUntil = (deadline: string) =>
  `set_config('statement_timeout',
     coalesce(nullif(floor(${deadline} - extract(epoch from clock_timestamp()) * 1000), 0), -1)::int::text,
     true)`

const NAME = 'ishtirak_deadline'
export const prepareDeadline = `prepare ${NAME}(numeric) as select ${limitUntil('$1::numeric')}`

/** Sent ahead of a change on our own connection: the deadline by the server's clock. */
export function deadlineMessages(serverMs: number): Buffer[] {
  return [serialize.bind({ statement: NAME, values: [String(serverMs)] }), serialize.execute()]
}

/** For a pooler, whose connections have no prepared statement and no schema; null: nothing to send. */
export function pooledMessages(serverMs: number | null, schema: string | undefined): Buffer[] | null {
  const limits = serverMs === null ? [] : [limitUntil(`${serverMs}`)]
  const paths = schema === undefined ? [] : [`set_config('search_path', '${schema}', true)`]
  const settings = [...limits, ...paths]
  if (settings.length === 0) return null
  return [serialize.parse({ text: `select ${settings.join(', ')}` }), serialize.bind(), serialize.execute()]
}

/** The deadline as a command of its own, sent ahead of a commit. */
export const deadlineCommand = (deadline: number) => `select ${limitUntil(String(deadline))};`
