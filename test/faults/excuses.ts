// Which requests may fail while something is broken, and those that failed without such an excuse.
import type { SendOutcome } from './webhook-client.js'

export interface Answer {
  readonly userId: string
  readonly what: string
  readonly outcome: SendOutcome
  /** What it said. */
  readonly text: string
  /** When it was asked, of `performance.now`. */
  readonly began: number
}

export interface Excuse {
  /** Of what is broken. */
  readonly name: string
  /** Whose requests may fail. */
  readonly touches: (userId: string) => boolean
  /** How. */
  readonly refusals: readonly SendOutcome[]
}

interface Excused extends Excuse {
  until: number
  failed: number
  /** The longest time from a request that failed to its acknowledgement. */
  longestMs: number
}

export class Excuses {
  answered = 0
  readonly #unexcused = new Map<string, number>()
  readonly #all: Excused[] = []
  /** What failed and is asked again: since when. */
  readonly #waiting = new Map<string, number>()

  /** From now on until its `until` is set. */
  begin(excuse: Excuse): Excused {
    const excused = { ...excuse, until: Number.POSITIVE_INFINITY, failed: 0, longestMs: 0 }
    this.#all.push(excused)
    return excused
  }

  hear(answer: Answer): void {
    const { userId, what, outcome, text: said, began } = answer
    const waiting = `${userId} ${what}`
    const since = this.#waiting.get(waiting)
    if (isAcknowledged(outcome)) {
      this.answered += 1
      const waited = since === undefined ? undefined : this.#at(userId, since)
      if (since !== undefined && waited)
        waited.longestMs = Math.max(waited.longestMs, performance.now() - since)
      this.#waiting.delete(waiting)
      return
    }
    this.#waiting.set(waiting, since ?? began)
    const excused = this.#at(userId, began)
    if (excused?.refusals.includes(outcome)) {
      excused.failed += 1
      return
    }
    const by = excused ? `a user touched by '${excused.name}'` : 'a user whom nothing touches'
    const text = `${outcome} ${codeIn(said)} for ${by}: ${what}`
    this.#unexcused.set(text, (this.#unexcused.get(text) ?? 0) + 1)
  }

  get unexcused(): readonly string[] {
    return [...this.#unexcused].map(([text, times]) => `${times} × ${text}`)
  }

  #at(userId: string, began: number): Excused | undefined {
    return this.#all.findLast(({ until, touches }) => until > began && touches(userId))
  }
}

/** Of a problem. */
function codeIn(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? 'without a code'
}

export function isAcknowledged(outcome: SendOutcome): boolean {
  return outcome !== 'none' && outcome < 300
}
