// Limits as the platform meets them: what is counted how, and how far above the plan a user stands. The counting itself
// is one statement (limits/operations.sql.ts), because only the database sees all processes at once.
import { HOUR, type Instant, timestampOrNull } from './instant.js'
import { LIMIT_NAMES, type LimitName, type PlanLimits } from './plan.js'

/** `day`: counts from zero each calendar day. `gauge`: goes up and down. `project`: a gauge for each project. */
export type LimitKind = 'day' | 'gauge' | 'project'

export const LIMIT_KINDS: Readonly<Record<LimitName, LimitKind>> = {
  projects: 'gauge',
  domains_per_project: 'project',
  deploys_per_day: 'day',
  storage_mb: 'gauge',
}

/** The maximum amount of one operation: bounds the damage of a wrong call. */
export const AMOUNT_MAX = 1_000_000
/** The most that can be reported: a million terabytes in megabytes, and exact in every JSON reader. */
export const USED_MAX = 1_000_000_000_000

export function isLimitName(name: string): name is LimitName {
  return LIMIT_NAMES.some((known) => known === name)
}

/** The answer to "may this user…?", as the API writes it. No is an answer too, so a denial is no error. */
export function describeAllowance(of: {
  readonly allowed: boolean
  /** How much the plan in effect allows. */
  readonly limit: number
  /** After this operation. */
  readonly used: number
  /** When a daily limit counts from zero again; null for gauges. */
  readonly resetsAt: Instant | null
}) {
  const { allowed, limit, used, resetsAt } = of
  // `over_limit`: the plan has shrunk below what is in use.
  const denial = used > limit ? ('over_limit' as const) : ('limit_reached' as const)
  return {
    allowed,
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resets_at: timestampOrNull(resetsAt),
    reason: allowed ? null : denial,
  }
}

/** One count as it is stored. */
export interface UsageCount {
  readonly limit: LimitName
  /** Empty unless the limit is per project. */
  readonly projectId: string
  readonly used: number
  readonly resetsAt: Instant | null
}

/** What is in use, by limit. */
export type Usage = ReturnType<typeof usageAt>

export function usageAt(counts: readonly UsageCount[], now: Instant) {
  // Further ahead than a day and the next: written while the clock was wrong.
  const current = counts.filter(
    ({ resetsAt }) => resetsAt === null || (now < resetsAt && resetsAt <= now + 50 * HOUR),
  )
  const usedOf = (name: LimitName) => current.find(({ limit }) => limit === name)?.used ?? 0
  const domains = current.filter(({ limit }) => limit === 'domains_per_project')
  return {
    projects: usedOf('projects'),
    // Entries, not assignments: a project may be called `__proto__`.
    domains_per_project: Object.fromEntries(domains.map(({ projectId, used }) => [projectId, used])),
    deploys_per_day: usedOf('deploys_per_day'),
    storage_mb: usedOf('storage_mb'),
  }
}

export interface OverLimit {
  readonly limit: LimitName
  /** Only where the limit is per project. */
  readonly projectId: string | null
  readonly used: number
  readonly max: number
}

/** Where a user has more than the plan in effect allows. Nothing is taken away; creating is refused meanwhile. */
export function overLimits(usage: Usage, limits: PlanLimits): readonly OverLimit[] {
  return LIMIT_NAMES.flatMap((limit) => {
    const max = limits[limit]
    const uses =
      limit === 'domains_per_project' ? Object.entries(usage[limit]) : [[null, usage[limit]] as const]
    return uses.flatMap(([projectId, used]) => (used > max ? [{ limit, projectId, used, max }] : []))
  })
}
