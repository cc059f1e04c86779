// The last known usage of each limit, to decide for a short time while billing is unreachable. Operations
// that are allowed meanwhile are counted here, so that an outage does not lift the limits. Per process.
import type { Allowance, ConsumeRequest } from './api.js'

interface CountPlace {
  readonly userId: string
  readonly limit: string
  /** Empty unless the limit counts projects or the like separately. */
  readonly scopeId: string
}

interface Known {
  readonly answer: Allowance
  readonly knownAt: number
  /** The amounts allowed since, by operation, so that a retry counts once. */
  readonly allowedSince: Map<string, number>
}

/** About 300 bytes each. The entry with the oldest update is dropped first. */
const KNOWN_MAX = 10_000

export function rememberLimits(options: { readonly rememberLimitsMs: number; readonly now: () => number }) {
  const { rememberLimitsMs, now } = options
  const known = new Map<string, Known>()

  const isCurrent = ({ answer, knownAt }: Known): boolean =>
    now() - knownAt <= rememberLimitsMs && (answer.resets_at === null || now() < Date.parse(answer.resets_at))

  return {
    keep: (place: CountPlace, answer: Allowance): void => {
      const key = keyOf(place)
      // Deleted first, because a map iterates in the order of insertion.
      known.delete(key)
      const [oldest] = known.keys()
      if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest)
      known.set(key, { answer, knownAt: now(), allowedSince: new Map() })
    },
    /** Null if the usage is unknown, too old, or of a day or month that is over. */
    consume: (place: CountPlace, request: ConsumeRequest) => {
      const found = known.get(keyOf(place))
      return found && isCurrent(found) ? decide(found, request) : null
    },
  }
}

function decide({ answer, allowedSince }: Known, { operation_id: id, amount = 1 }: ConsumeRequest) {
  const before = [...allowedSince.values()].reduce((sum, each) => sum + each, answer.used)
  const allowed = allowedSince.has(id) || before + amount <= answer.limit
  const used = allowed && !allowedSince.has(id) ? before + amount : before
  if (allowed) allowedSince.set(id, amount)
  return {
    allowed,
    limit: answer.limit,
    used,
    remaining: Math.max(0, answer.limit - used),
    resets_at: answer.resets_at,
    reason: allowed ? null : used > answer.limit ? ('over_limit' as const) : ('limit_reached' as const),
    source: 'remembered' as const,
  }
}

function keyOf({ userId, limit, scopeId }: CountPlace): string {
  return JSON.stringify([userId, limit, scopeId])
}
