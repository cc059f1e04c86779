// Ids that sort by time: a prefix that says what it names, and a ULID (https://github.com/ulid/spec) of a given instant.
// Within one millisecond they still rise, so that "newest first" by id is the order of creation in one process.
import { randomBytes } from 'node:crypto'
import type { Instant } from '../domain/instant.js'

export interface Ids {
  /** `pay_` + 26 characters. The instant is the caller's, in milliseconds; at most the year 10889 (48 bits). */
  next(prefix: string, at: Instant): string
}

/** Crockford's alphabet, without i, l, o and u; lower case as in Chargily's own ids. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const RANDOM_LENGTH = 16
const LATEST: Instant = 2 ** 48 - 1

/** `random` gives that many bytes; handed in so that a test can see the last one carry over. */
export function createIds(random: (size: number) => Uint8Array = randomBytes): Ids {
  let lastAt = -1
  let digits: number[] = []
  return {
    next: (prefix, at) => {
      if (!Number.isInteger(at) || at < 0 || at > LATEST)
        throw new RangeError('an id needs an instant of 48 bits')
      digits = at === lastAt ? successor(digits) : drawDigits(random)
      lastAt = at
      return `${prefix}_${timePart(at)}${digits.map((digit) => ALPHABET.charAt(digit)).join('')}`
    },
  }
}

/** 16 digits of 5 bits. The first bit stays 0: that leaves 2^79 successors in each millisecond, so none overflows. */
function drawDigits(random: (size: number) => Uint8Array): number[] {
  return Array.from(random(RANDOM_LENGTH), (byte, index) => byte & (index === 0 ? 15 : 31))
}

function successor(digits: readonly number[]): number[] {
  const next = [...digits]
  for (let index = next.length - 1; index >= 0; index--) {
    const digit = ((next[index] ?? 0) + 1) & 31
    next[index] = digit
    if (digit !== 0) break
  }
  return next
}

function timePart(at: Instant): string {
  let rest = at
  let text = ''
  for (let index = 0; index < TIME_LENGTH; index++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}
