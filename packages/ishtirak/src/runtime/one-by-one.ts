// Work that holds the main thread, one piece after another. The event loop turns in between, so that whatever else is asked
// meanwhile waits for one piece at most.
import { setImmediate } from 'node:timers/promises'

export interface OneByOne {
  /** How many pieces are waiting or under way. */
  readonly waiting: number
  run<Result>(work: () => Result): Promise<Result>
}

export function oneByOne(): OneByOne {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    get waiting() {
      return waiting
    },
    run: (work) => {
      waiting += 1
      const turn = last
        .then(() => setImmediate())
        .then(work)
        .finally(() => {
          waiting -= 1
        })
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
