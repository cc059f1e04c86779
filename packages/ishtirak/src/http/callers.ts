// Identifies and counts callers before anything else is read, so that an unknown caller learns nothing of the
// route. The quota is per process: it stops a broken loop, not a flood.
import { isIPv6 } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { BillingError, type ErrorCode } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { Clock } from '../runtime/clock.js'
import type { ApiKeys, UserIdentity } from './auth.js'

/** Throws the refusal of a caller who is not a user. */
export type IdentifyUser = (request: FastifyRequest) => Promise<UserIdentity>

export type CallerChecks = ReturnType<typeof createCallerChecks>

export function createCallerChecks(parts: {
  readonly identify: IdentifyUser
  readonly clock: Clock
  readonly callsPerMinute: number
}) {
  const limit = { clock: parts.clock, quota: parts.callsPerMinute }
  const limitNetwork = createRateLimit(limit)
  /** Counts a user who is identified otherwise than by a token. Throws `rate_limited`. */
  const limitUser = createRateLimit(limit)
  /** Counts a call without a known caller by its network. Throws `rate_limited`. */
  const limitAnonymous = (request: FastifyRequest, reply: FastifyReply) =>
    limitNetwork(networkOf(request.ip), reply)
  /** Throws the refusal of a token, or `rate_limited`. */
  const identify = async (request: FastifyRequest, reply: FastifyReply) => {
    const user = await parts.identify(request).catch((error: unknown) => {
      limitAnonymous(request, reply)
      throw error
    })
    limitUser(user.userId, reply)
    return user
  }
  return { identify, limitAnonymous, limitUser }
}

export type Callers<Caller> = ReturnType<typeof callersBy<Caller>>

/** Servers of the platform, identified by a key. */
export interface PlatformCallers {
  readonly platforms: Callers<'platform'>
}

/** `identify` throws the refusal of an unknown caller, and of one who calls too often. */
export function callersBy<Caller>(
  identify: (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>,
) {
  // Stored on the request: an entry in a WeakMap cost the garbage collector more.
  const known = Symbol('caller')
  type Known = FastifyRequest & { [known]?: Caller }
  /** The caller of a request that may have been refused before; null: unknown. */
  const find = (request: FastifyRequest): Caller | null => (request as Known)[known] ?? null
  return {
    /** Used as `onRequest` of a route or its plugin. */
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      identify(request, reply).then((caller) => {
        ;(request as Known)[known] = caller
        done()
      }, done)
    },
    find,
    /** The caller of a request that has passed `onRequest`. */
    of: (request: FastifyRequest): Caller => {
      const caller = find(request)
      if (caller === null) throw new BillingError('unauthenticated')
      return caller
    },
  }
}

/** Callers with a key, identified as its holder. Others are counted by their network, then refused. */
export function callersWithKey<Holder>(
  keys: ApiKeys<Holder>,
  limitAnonymous: CallerChecks['limitAnonymous'],
): Callers<Holder> {
  return callersBy(async (request, reply) => {
    try {
      return await keys.verify(request.headers.authorization)
    } catch (error) {
      limitAnonymous(request, reply)
      throw error
    }
  })
}

/** About 150 bytes each, 15 MB in all. One process serves fewer callers in a minute. */
const KEYS_MAX = 100_000

interface LimitOf {
  readonly clock: Clock
  readonly windowMs?: number
  readonly keysMax?: number
}

/** Counts by key. A window begins with the first call of its key, so that not all end at once. */
function createWindows({ clock, windowMs = MINUTE, keysMax = KEYS_MAX }: LimitOf) {
  const windows = new BoundedMap<string, { calls: number; readonly endsAt: Instant }>(keysMax)
  return (key: string) => {
    const now = clock.now()
    const known = windows.get(key)
    const window = known && now < known.endsAt ? known : { calls: 0, endsAt: now + windowMs }
    if (window !== known) windows.set(key, window)
    return { window, secondsLeft: Math.ceil((window.endsAt - now) / SECOND) }
  }
}

/** `quota` is the number of calls in each window. */
export function createRateLimit({ quota = 300, ...of }: LimitOf & { readonly quota?: number }) {
  const windowOf = createWindows(of)
  // draft-ietf-httpapi-ratelimit-headers-08: q quota, w window in seconds, r what remains, t until when.
  const policy = `"default";q=${quota};w=${Math.ceil((of.windowMs ?? MINUTE) / SECOND)}`
  /** Counts one call of `key` and sets the header fields. Throws `rate_limited` if it is one too many. */
  return (key: string, reply: FastifyReply): void => {
    const { window, secondsLeft } = windowOf(key)
    window.calls += 1
    const left = `"default";r=${Math.max(0, quota - window.calls)};t=${secondsLeft}`
    reply.header('ratelimit-policy', policy).header('ratelimit', left)
    if (window.calls > quota) throw new BillingError('rate_limited', { retryAfterSeconds: secondsLeft })
  }
}

/** Counts failures. After `most` of a key in a window, tries are refused until it ends. Per process. */
export function createTryLimit({ most, ...of }: LimitOf & { readonly most: number }) {
  const windowOf = createWindows(of)
  return {
    /** Throws `rate_limited`, or the code that is given. */
    check: (key: string, code: ErrorCode = 'rate_limited'): void => {
      const { window, secondsLeft: retryAfterSeconds } = windowOf(key)
      if (window.calls >= most) throw new BillingError(code, { retryAfterSeconds })
    },
    count: (key: string): void => {
      windowOf(key).window.calls += 1
    },
  }
}

/**
 * The network of an address: an IPv4 address itself, also if it is written as IPv6; for IPv6 the first 64
 * bits, because a customer has at least a /64 and can call from each of its addresses.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const parsed = ipaddr.process(address.replace(/%.*/, ''))
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toNormalizedString().split(':', 4).join(':')}::/64`
}
