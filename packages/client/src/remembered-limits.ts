// The last known figures of each limit, to decide for a short while when billing is unreachable. What is
// allowed meanwhile is counted here, so that an outage does not lift the limits. In this process only.
import type { Allowance, ConsumeRequest } from './api.js'

interface CountPlace {
  readonly userId: string
  readonly limit: string
  /** Empty unless the limit is counted for each of something. */
  readonly scopeId: string
}

interface Known {
  readonly answer: Allowance
  readonly knownAt: number
  /** Allowed since, by operation: a retry counts once. */
  readonly allowedSince: Map<string, number>
}

/** About 300 bytes each; the one updated longest ago is evicted first. */
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
    /** Null when the figures are unknown, too old, or of a day or month that is over. */
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
