// How work is shared, queued or cut into batches. Nothing is cached.
import { setImmediate } from 'node:timers/promises'

/** Calls for the same key that arrive while one is under way share its outcome. */
export type SingleFlight<Value> = (key: string, work: () => Promise<Value>) => Promise<Value>

export function singleFlight<Value>(): SingleFlight<Value> {
  const flights = new Map<string, Promise<Value>>()
  return (key, work) => {
    const flight = flights.get(key) ?? work().finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }
}

/** Work of one key runs one piece at a time, in order of arrival. */
export type InTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
    last.set(key, turn)
    const forget = () => {
      if (last.get(key) === turn) last.delete(key)
    }
    turn.then(forget, forget)
    return turn
  }
}

/** For work that blocks the main thread: one piece at a time, and the event loop turns between pieces. */
export function createWorkQueue() {
  let waiting = 0
  const inTurn = createTurns()
  const run = <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    waiting += 1
    return inTurn('', () => setImmediate().then(work)).finally(() => {
      waiting -= 1
    })
  }
  return {
    run,
    /** The number of pieces that wait or run. */
    get waiting() {
      return waiting
    },
  }
}

/** Runs batches of `atOnce`, up to `limit` rows, until one is not full. Returns the number of rows. */
export async function inBatches(
  limit: number,
  atOnce: number,
  work: (most: number) => Promise<number>,
  goesOn: () => boolean = () => true,
): Promise<number> {
  let done = 0
  while (done < limit && goesOn()) {
    const most = Math.min(atOnce, limit - done)
    const count = await work(most)
    done += count
    if (count < most) break
  }
  return done
}
