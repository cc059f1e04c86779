// One run of a named query in PostgreSQL's wire protocol, on either database. A connection parses the query
// and describes its columns once; rows are read at the end, so that a value that we refuse fails its query
// alone.
import { serialize } from 'pg-protocol'
import type { DataRowMessage, RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import type { Parameter, Row, Statement } from './database.js'
import { encodeParameter, type ReadRow, rowReader } from './rows.js'

/** How to read the rows of each query that a connection has parsed and described, by name. */
export type Readers = Map<string, ReadRow>

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()])

export class NamedRun {
  readonly #encoded: (string | null)[]
  readonly #rows: (readonly (string | null)[])[] = []
  #read: ReadRow = () => ({})

  constructor(
    /** Without a name nothing is kept: the query is parsed and described at each run. */
    private readonly query: Pick<Statement, 'name' | 'text'>,
    parameters: readonly Parameter[],
    private readonly readers: Readers,
  ) {
    this.#encoded = parameters.map(encodeParameter)
  }

  messages(): Buffer[] {
    const { name, text } = this.query
    const bind = serialize.bind({ statement: name, values: this.#encoded })
    const known = this.readers.get(name)
    if (known) {
      this.#read = known
      return [bind, EXECUTE_AND_SYNC]
    }
    // An earlier run may have failed after it was parsed: its name is free again after the close.
    const parse = [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]
    return [...parse, bind, DESCRIBE, EXECUTE_AND_SYNC]
  }

  handleRowDescription({ fields }: RowDescriptionMessage): void {
    this.#read = rowReader(fields)
  }

  handleDataRow({ fields }: DataRowMessage): void {
    this.#rows.push(fields)
  }

  /** At the end of an answer without error. Throws if a value cannot be represented. */
  rows(): Row[] {
    if (this.query.name !== '') this.readers.set(this.query.name, this.#read)
    return this.#rows.map(this.#read)
  }
}
