// The time limits of running queries. One timer checks all connections. The driver uses a timer for each
// query and keeps later objects alive: a status left 1,100 bytes in the old generation instead of 90.
import type { ClientBase } from 'pg'

interface LimitedQuery {
  /** Its caller no longer waits. A late answer is ignored. */
  giveUp(): void
}

const CHECK_EVERY_MS = 100

const connections = new Set<LimitedConnection>()
let timer: NodeJS.Timeout | undefined

/** A connection runs one query at a time. */
export class LimitedConnection {
  #query: LimitedQuery | null = null
  #giveUpAt = 0

  constructor(client: ClientBase) {
    connections.add(this)
    timer ??= setInterval(checkAll, CHECK_EVERY_MS).unref()
    client.once('end', () => connections.delete(this))
  }

  /** `giveUpAt` is on the scale of `performance.now()`. */
  begin(query: LimitedQuery, giveUpAt: number): void {
    this.#query = query
    this.#giveUpAt = giveUpAt
  }

  end(): void {
    this.#query = null
  }

  check(now: number): void {
    if (this.#query === null || now < this.#giveUpAt) return
    const query = this.#query
    this.#query = null
    query.giveUp()
  }
}

function checkAll(): void {
  const now = performance.now()
  for (const connection of connections) connection.check(now)
  if (connections.size > 0) return
  clearInterval(timer)
  timer = undefined
}
