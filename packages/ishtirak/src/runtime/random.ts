// Random numbers that spread load, and ids that sort by time. An id is a prefix that says what it names, and
// a ULID (https://github.com/ulid/spec) of a given instant. Each has its own 80 random bits: within one
// millisecond ids have no order, and no id can be computed from another.
import { randomBytes } from 'node:crypto'
import { CODE_LENGTH, codeFrom } from '../core/code.js'
import type { Instant } from '../core/instant.js'

/** At least 0 and below 1. Must not be used for secrets. */
export type Random = () => number

export const systemRandom: Random = () => Math.random()

export function randomCode(): string {
  return codeFrom(randomBytes(CODE_LENGTH))
}

export type Ids = ReturnType<typeof createIds>

/** Crockford's alphabet, without i, l, o and u; lower case as in Chargily's own ids. */
const SYMBOLS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
/** 16 digits of 5 bits. */
const RANDOM_LENGTH = 16
const LATEST: Instant = 2 ** 48 - 1

/** Random bytes are drawn for so many ids at once: a system call costs more than the rest of an id. */
const DRAWN_IDS = 64

/** `random` returns that many bytes. The simulation passes its own, so that it can repeat a run. */
export function createIds(random: (size: number) => Uint8Array = randomBytes) {
  let drawn: Uint8Array = new Uint8Array(0)
  let used = 0
  const randomPart = () => {
    if (used === drawn.length) {
      drawn = random(DRAWN_IDS * RANDOM_LENGTH)
      used = 0
    }
    let text = ''
    for (const end = used + RANDOM_LENGTH; used < end; used++) text += SYMBOLS.charAt((drawn[used] ?? 0) & 31)
    return text
  }
  return {
    /** `pay_` and 26 characters. `at` is in milliseconds, at most in the year 10889 (48 bits). */
    next: (prefix: string, at: Instant) => {
      if (!Number.isInteger(at) || at < 0 || at > LATEST)
        throw new RangeError('an id needs an instant of 48 bits')
      return `${prefix}_${timePart(at)}${randomPart()}`
    },
  }
}

function timePart(at: Instant): string {
  let text = ''
  for (let place = TIME_LENGTH - 1; place >= 0; place--)
    text += SYMBOLS.charAt(Math.floor(at / 32 ** place) % 32)
  return text
}
