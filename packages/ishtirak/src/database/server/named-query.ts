// One run of a named statement, as a query of our own for the driver. The server parses it and describes its
// columns once on a connection; the driver's own query has the columns described with every answer and builds
// its rows from that, which took node 60 µs a statement (pg 8.23, query.js and result.js). It knows nothing
// of pools and errors; postgres.ts does.
import type { Connection, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import type { Row } from '../database.js'
import { type DescribedColumn, type ReadRow, rowReader, withoutColumns } from '../rows.js'

type Done = (error: unknown, rows?: readonly Row[]) => void

/** What the driver keeps of a connection, and its types leave out: the statements parsed, by name. */
interface DriverConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
}

const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()])
const DESCRIBE = serialize.describe({ type: 'P' })

const CHECK_EVERY_MS = 100
/**
 * The queries under way. One timer checks their time limits. The driver uses a timer for each query and keeps
 * later objects alive: a status left 1,100 bytes in the old generation instead of 90.
 */
const underWay = new Set<NamedQuery>()
setInterval(() => {
  const now = performance.now()
  for (const query of underWay) if (now >= query.giveUpAt) query.giveUp()
}, CHECK_EVERY_MS).unref()

interface Run {
  /** Without a name nothing is cached: the statement is parsed and described at each run. */
  readonly name: string
  readonly text: string
  readonly values: (string | null)[]
  /** A statement that is sent ahead of this one, in its transaction; null: none. Its answer is ignored. */
  readonly ahead: string | null
  /** The deadline, by `performance.now()`. */
  readonly giveUpAt: number
  /** The readers of the statements that were described on this connection, by name. */
  readonly readers: Map<string, ReadRow>
}

/** The driver calls these methods (pg 8.23, client.js). */
export class NamedQuery implements Submittable {
  readonly #run: Run
  readonly #rows: Row[] = []
  #awaitsAhead: boolean
  #read: ReadRow | undefined
  #failure: unknown

  constructor(
    run: Run,
    public callback: Done,
  ) {
    this.#run = run
    this.#awaitsAhead = run.ahead !== null
    this.#read = run.readers.get(run.name)
  }

  get giveUpAt(): number {
    return this.#run.giveUpAt
  }

  /** The driver notes this as parsed when a parse is complete: not that of the statement ahead. */
  get name(): string {
    return this.#awaitsAhead ? '' : this.#run.name
  }

  get text(): string {
    return this.#run.text
  }

  submit(connection: Connection): Error | null {
    const { stream } = connection
    if (!stream.writable) return new Error('Connection terminated')
    const { name, text, values, ahead } = this.#run
    // The connection that the driver hands out is its own, whose types leave this out.
    const isParsed = name !== '' && (connection as DriverConnection).parsedStatements[name] !== undefined
    const messages = [
      ...(ahead === null ? [] : [serialize.parse({ text: ahead }), serialize.bind(), serialize.execute()]),
      ...(isParsed ? [] : [serialize.parse({ name, text })]),
      serialize.bind({ statement: name, values }),
      ...(this.#read ? [] : [DESCRIBE]),
      EXECUTE_AND_SYNC,
    ]
    underWay.add(this)
    // Sent in one write: each write is a system call and wakes the server.
    stream.write(Buffer.concat(messages))
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    this.#keep(rowReader(fields))
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure !== undefined || !this.#read || this.#awaitsAhead) return
    try {
      this.#rows.push(this.#read(fields))
    } catch (error) {
      // A value that we refuse to read fails its statement, not the reading of the answers after it.
      this.#failure = error
    }
  }

  handleCommandComplete(): void {
    if (this.#awaitsAhead) this.#awaitsAhead = false
    else if (!this.#read) this.#keep(withoutColumns)
  }

  handleError(error: unknown): void {
    underWay.delete(this)
    this.callback(this.#failure ?? error)
  }

  handleReadyForQuery(): void {
    underWay.delete(this)
    if (this.#failure !== undefined) this.callback(this.#failure)
    else this.callback(null, this.#rows)
  }

  /** Answers the caller, who no longer waits. A late answer of the server is ignored. */
  giveUp(): void {
    underWay.delete(this)
    const { callback } = this
    this.callback = () => {}
    callback(new Error('Query read timeout'))
  }

  #keep(read: ReadRow): void {
    this.#read = read
    if (this.#run.name !== '') this.#run.readers.set(this.#run.name, read)
  }
}
