// A named query for the driver. The driver's own query describes the columns with every answer and has a
// timer each: a read of 40 columns took node 77 µs instead of 35, and left 1,100 bytes in the old generation
// instead of 90 (pg 8.23).
import type { Connection, Submittable } from 'pg'
import { NamedRun } from '../named-run.js'

const CHECK_EVERY_MS = 100
/** The queries without an answer. The driver sends some later. One timer checks the deadlines of all. */
const underWay = new Set<NamedQuery>()
setInterval(() => {
  const now = performance.now()
  for (const query of underWay) if (now >= query.giveUpAt) query.handleError(new Error('Query read timeout'))
}, CHECK_EVERY_MS).unref()

/** The driver calls these methods (pg 8.23, client.js). */
export class NamedQuery extends NamedRun implements Submittable {
  constructor(
    run: ConstructorParameters<typeof NamedRun>,
    /** Messages that run a statement without rows before this one, in its transaction. */
    private readonly ahead: readonly Buffer[],
    /** The deadline, by `performance.now()`. */
    readonly giveUpAt: number,
    private readonly resolve: (answered: NamedRun) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super(...run)
    underWay.add(this)
  }

  submit(connection: Connection): void {
    // Sent in one write: each write is a system call and wakes the server.
    connection.stream.write(Buffer.concat([...this.ahead, ...this.messages()]))
  }

  handleCommandComplete(): void {}

  /** Also called when it is given up. Then a late answer of the server changes nothing. */
  handleError(error: unknown): void {
    underWay.delete(this)
    this.reject(error)
  }

  handleReadyForQuery(): void {
    underWay.delete(this)
    this.resolve(this)
  }
}
