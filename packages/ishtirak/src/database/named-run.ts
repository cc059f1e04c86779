// One run of a named query in PostgreSQL's wire protocol, on either database. A connection parses the query
// and describes its columns once; rows are read at the end, so that a value that we refuse fails its query
// alone.
import { serialize } from 'pg-protocol'
import type { Parameter, Row } from './database.js'
import { type DescribedColumn, encodeParameter, type ReadRow, rowReader, withoutColumns } from './rows.js'

/** How to read the rows of the queries that a connection has described, by name. */
export type Readers = Map<string, ReadRow>

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()])

export class NamedRun {
  readonly #encoded: (string | null)[]
  readonly #rows: (readonly (string | null)[])[] = []
  #read: ReadRow

  constructor(
    /** Without a name nothing is kept: the query is parsed and described at each run. */
    protected readonly queryName: string,
    readonly text: string,
    parameters: readonly Parameter[],
    private readonly readers: Readers,
  ) {
    this.#encoded = parameters.map(encodeParameter)
    this.#read = readers.get(queryName) ?? withoutColumns
  }

  messages(isParsed: boolean): Buffer[] {
    const { queryName: name, text } = this
    return [
      ...(isParsed ? [] : [serialize.parse({ name, text })]),
      serialize.bind({ statement: name, values: this.#encoded }),
      ...(this.readers.has(name) ? [] : [DESCRIBE]),
      EXECUTE_AND_SYNC,
    ]
  }

  handleRowDescription({ fields }: { readonly fields: readonly DescribedColumn[] }): void {
    this.#read = rowReader(fields)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(fields)
  }

  /** At the end of an answer without error. Throws if a value cannot be represented. */
  rows(): Row[] {
    if (this.queryName !== '') this.readers.set(this.queryName, this.#read)
    return this.#rows.map(this.#read)
  }
}
