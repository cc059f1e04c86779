// Everything that handles secrets: compares them in constant time, makes them, digests them.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Compares digests, so that the time reveals neither the first difference nor the length. */
export function constantTimeEquals(one: string, other: string): boolean {
  return secretMatcher(one)(other)
}

/** For a secret that is compared again and again: only the given text is digested each time. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = sha256(secret)
  return (given) => timingSafeEqual(expected, sha256(given))
}

/** URL-safe text of `size` random bytes; 32 bytes are beyond any guessing. */
export function randomToken(size = 32): string {
  return randomBytes(size).toString('base64url')
}

/** The stored form of a random token: it finds the row but opens nothing. 32 random bytes need no salt. */
export function digestOf(token: string): string {
  return sha256(token).toString('base64url')
}

/** A number of 44 bits, for the version that a form carries. */
export function shortNumberOf(text: string): number {
  return Number.parseInt(sha256(text).toString('hex').slice(0, 11), 16)
}

/** For short or printed secrets: without the key, the rows do not reveal whether a guess is right. */
export function keyedDigest(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
