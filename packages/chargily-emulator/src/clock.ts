// Time and random numbers. Both can be given from outside, so that a simulation repeats itself to the byte;
// nothing else in this package reads a clock or draws a random number.
import { randomBytes } from 'node:crypto'

export interface EmulatorClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Moves a clock that others share; without it the emulator keeps an offset of its own. */
  advance?(ms: number): void
}

/** Returns `size` random bytes. */
export type RandomBytes = (size: number) => Uint8Array

export const systemRandom: RandomBytes = (size) => randomBytes(size)

/** The given clock or system time, plus the emulator's own offset. */
export class SandboxClock {
  #offsetMs = 0
  readonly #inner: EmulatorClock

  constructor(inner?: EmulatorClock) {
    this.#inner = inner ?? { now: () => Date.now() }
  }

  get offsetMs(): number {
    return this.#offsetMs
  }

  now(): number {
    return this.#inner.now() + this.#offsetMs
  }

  /** Whole seconds since the epoch, the only unit of time in the API. */
  nowSeconds(): number {
    return Math.floor(this.now() / 1000)
  }

  advance(ms: number): void {
    if (this.#inner.advance) this.#inner.advance(ms)
    else this.#offsetMs += ms
  }

  /** After a restart, so that the clock does not fall behind the stored checkouts. */
  restoreOffset(offsetMs: number): void {
    this.#offsetMs = offsetMs
  }
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** A 26-character ULID in lower case whose first 10 characters are the given instant (reference, 1.1). */
export function newUlid(atMs: number, random: RandomBytes): string {
  let time = ''
  for (let rest = atMs, place = 0; place < 10; place++, rest = Math.floor(rest / 32)) {
    time = CROCKFORD.charAt(rest % 32) + time
  }
  // 256 is a multiple of 32, so the remainder is uniform.
  return time + Array.from(random(16), (byte) => CROCKFORD.charAt(byte % 32)).join('')
}
