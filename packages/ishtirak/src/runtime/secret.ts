// What has to do with secrets and nothing else: compare them in constant time, make them, digest them.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Compares digests: its time shows neither the place of the first difference nor the length. */
export function constantTimeEquals(one: string, other: string): boolean {
  return secretMatcher(one)(other)
}

/** The same for a secret that is compared again and again: only what is given is digested each time. */
export function secretMatcher(secret: string): (given: string) => boolean {
  const expected = sha256(secret)
  return (given) => timingSafeEqual(expected, sha256(given))
}

/** URL-safe text of `size` random bytes; 32 bytes are beyond any guessing. */
export function randomToken(size = 32): string {
  return randomBytes(size).toString('base64url')
}

/** What is stored of a random token: it finds the row and opens nothing. 32 random bytes need no salt. */
export function digestOf(token: string): string {
  return sha256(token).toString('base64url')
}

/** Of 44 bits, for a version that a form carries. */
export function shortNumberOf(text: string): number {
  return Number.parseInt(sha256(text).toString('hex').slice(0, 11), 16)
}

/** For what is shorter or printed: without the key the rows do not tell whether a guess is right. */
export function keyedDigest(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
