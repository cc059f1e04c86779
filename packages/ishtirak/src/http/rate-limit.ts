// How often one caller may call: one look-up in a map, in this process only. It keeps a broken loop from hurting others;
// it is no defence against a flood from many addresses, which belongs before this process.
import type { FastifyReply } from 'fastify'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { Clock } from '../runtime/clock.js'

/** Counts one call of `key` and sets the header fields; throws `rate_limited` when it is one too many. */
export type RateLimit = (key: string, reply: FastifyReply) => void

/** Counts one call of `key`, and leaves the rest to whoever asked. */
export type CountCall = (key: string) => CallCount

export interface CallCount {
  readonly isOver: boolean
  /** Until the window ends, rounded up. */
  readonly secondsLeft: number
  /** The fields RateLimit-Policy and RateLimit. */
  readonly policy: string
  readonly left: string
}

export interface RateLimitOptions {
  readonly clock: Clock
  /** Calls in each window; the specification says 300 a minute. */
  readonly quota?: number
  readonly windowMs?: number
  /** About 150 bytes each: 100,000 are 15 MB, and more callers than one process serves in a minute. */
  readonly keysMax?: number
}

interface Window {
  calls: number
  readonly endsAt: Instant
}

export function limitBy(countCall: CountCall): RateLimit {
  return (key, reply) => {
    const { isOver, secondsLeft, policy, left } = countCall(key)
    reply.header('ratelimit-policy', policy).header('ratelimit', left)
    if (isOver) throw new BillingError('rate_limited', { retryAfterSeconds: secondsLeft })
  }
}

/** A window begins with the first call of its key, so that nobody's quota is renewed in step with everybody's. */
export function createCallCount(options: RateLimitOptions): CountCall {
  const { clock, quota = 300, windowMs = MINUTE, keysMax = 100_000 } = options
  const windows = new BoundedMap<string, Window>(keysMax)
  // draft-ietf-httpapi-ratelimit-headers-08: q is the quota, w the window in seconds, r what remains, t until when.
  const policy = `"default";q=${quota};w=${Math.ceil(windowMs / SECOND)}`
  return (key) => {
    const now = clock.now()
    const window = windowAt(windows, key, now, windowMs)
    window.calls += 1
    const remaining = Math.max(0, quota - window.calls)
    const secondsLeft = Math.ceil((window.endsAt - now) / SECOND)
    const left = `"default";r=${remaining};t=${secondsLeft}`
    return { isOver: window.calls > quota, secondsLeft, policy, left }
  }
}

function windowAt(windows: BoundedMap<string, Window>, key: string, now: Instant, windowMs: number): Window {
  const known = windows.get(key)
  // One that ends later than any that begins now began while the clock was ahead.
  if (known && known.endsAt > now && known.endsAt <= now + windowMs) return known
  const fresh = { calls: 0, endsAt: now + windowMs }
  windows.set(key, fresh)
  return fresh
}
