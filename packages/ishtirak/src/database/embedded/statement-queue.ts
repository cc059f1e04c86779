// One at a time, in order of arrival: the embedded database has a single connection. A long queue is worked in slices, between
// which the process serves its sockets. It is bounded in number and in time, and refuses new work once it is closing.
import { DatabaseUnavailable, givenUpAfter } from '../database.js'

/** Slices of 4 ms: 3,000 calls at once then delayed the event loop by 7 ms rather than 524 ms (measured). */
const sliceMs = 4

/** About half a second of statements. Calls that share a statement wait elsewhere, and count here as one. */
const waitingMax = 5_000

export class StatementQueue {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #sliceStart = 0
  #isClosing = false

  /** Runs `work` when all before it is done; never, when that takes until `giveUpAt`. */
  run<Result>(work: () => Promise<Result>, giveUpAt = givenUpAfter()): Promise<Result> {
    if (this.#isClosing) return Promise.reject(new DatabaseUnavailable('the database is closed'))
    if (this.#waiting >= waitingMax)
      return Promise.reject(new DatabaseUnavailable(`${waitingMax} calls are waiting`))
    if (this.#waiting === 0) this.#sliceStart = performance.now()
    this.#waiting += 1
    const result = this.#last.then(() => {
      if (performance.now() >= giveUpAt) throw new DatabaseUnavailable('given up before its turn came')
      return work()
    })
    const leave = () => {
      this.#waiting -= 1
    }
    this.#last = result.then(leave, leave)
    return result
  }

  /** To be awaited between any two statements: lets the event loop turn when the slice is used up. */
  nextSlice(): Promise<void> | undefined {
    if (performance.now() - this.#sliceStart < sliceMs) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#sliceStart = performance.now()
        resolve()
      })
    })
  }

  /** Refuses new work, and resolves when what was waiting is done. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#last
  }
}
