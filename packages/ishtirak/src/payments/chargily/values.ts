// How Chargily writes single values, and how they are read: tolerant of its dialects, strict about money.
// What cannot be read is null, "it does not say"; nothing in here throws, whatever it is given.
import type { Instant } from '../../core/instant.js'
import { SECOND } from '../../core/instant.js'

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON value in these bytes, or undefined: malformed UTF-8 is refused, not repaired. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    // Both throw for one reason only: this is not JSON. The caller decides what that means.
    return undefined
  }
}

/** No control characters (PostgreSQL stores no NUL) and no half surrogates; 255 is more than any id or word they send. */
const SHORT_TEXT = /^[^\p{Cc}\p{Cs}]{1,255}$/u

export function readText(value: unknown): string | null {
  return typeof value === 'string' && SHORT_TEXT.test(value) ? value : null
}

/**
 * Whole dinars. The WooCommerce plugin sends totals as strings, so `"2000"` is 2000;
 * `"2000.5"`, `"1e3"` and `-1` are no price.
 */
export function readAmount(value: unknown): number | null {
  const amount = typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value) ? Number(value) : value
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0 ? amount : null
}

/** Booleans come as `false`, as `0` and, in the documented event, as the string `"false"`, which is truthy. */
export function readFlag(value: unknown): boolean | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  if (value === false || value === 0 || value === 'false' || value === '0') return false
  return null
}

/** The end of the year 9999 in seconds. Milliseconds sent by mistake lie beyond it. */
const LAST_SECOND = 253_402_300_799

/** Unix seconds (Chargily API reference, every object). */
export function readInstant(value: unknown): Instant | null {
  const seconds = readAmount(value)
  return seconds !== null && seconds > 0 && seconds <= LAST_SECOND ? seconds * SECOND : null
}
