// What billing last said of each count, to decide on for a short while when it is out of reach. What is let through
// meanwhile is counted here, so that an outage does not open the door wide. In this process only.
import type { Allowance, ConsumeRequest } from './types.js'

export interface CountPlace {
  readonly userId: string
  readonly limit: string
  /** Empty unless the limit is per project. */
  readonly projectId: string
}

interface Known {
  readonly answer: Allowance
  readonly knownAt: number
  /** Let through since, by operation: one that is repeated counts once. */
  readonly letThrough: Map<string, number>
}

/** About 300 bytes each; the count that was heard of longest ago is forgotten first. */
const KNOWN_MAX = 10_000

export function rememberLimits(options: { readonly rememberLimitsMs: number; readonly now: () => number }) {
  const { rememberLimitsMs, now } = options
  const known = new Map<string, Known>()

  const isCurrent = ({ answer, knownAt }: Known): boolean =>
    now() - knownAt <= rememberLimitsMs && (answer.resets_at === null || now() < Date.parse(answer.resets_at))

  return {
    keep: (place: CountPlace, answer: Allowance): void => {
      const key = keyOf(place)
      // Taken out first: a map gives its keys in the order of insertion, the oldest first.
      known.delete(key)
      const [oldest] = known.keys()
      if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest)
      known.set(key, { answer, knownAt: now(), letThrough: new Map() })
    },
    /** Null when nothing is known, or what is known is too old or of a day that is over. */
    consume: (place: CountPlace, request: ConsumeRequest) => {
      const found = known.get(keyOf(place))
      return found && isCurrent(found) ? decide(found, request) : null
    },
  }
}

function decide({ answer, letThrough }: Known, { operation_id: id, amount = 1 }: ConsumeRequest) {
  const before = [...letThrough.values()].reduce((sum, each) => sum + each, answer.used)
  const allowed = letThrough.has(id) || before + amount <= answer.limit
  const used = allowed && !letThrough.has(id) ? before + amount : before
  if (allowed) letThrough.set(id, amount)
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

function keyOf({ userId, limit, projectId }: CountPlace): string {
  return JSON.stringify([userId, limit, projectId])
}
