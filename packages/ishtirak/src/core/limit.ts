// Limits: how usage is counted, and how far above the plan a user is. The counting itself is one query
// (limits/operations.sql.ts), because only the database sees all processes.
import { type Instant, timestampOrNull } from './instant.js'
import type { Translated } from './locale.js'

export type LimitWindow = 'day' | 'month'

export interface LimitDefinition {
  /** The name in addresses and in the database. */
  readonly name: string
  /** A counter starts at zero each day or month of QUOTA_TIMEZONE. Null: a gauge goes up and down. */
  readonly window: LimitWindow | null
  /** What a gauge counts separately, such as `project`; null: one figure for the user. */
  readonly per: string | null
  readonly words: Translated
  /** The unit after a figure; null: none. `megabytes` are shown as gigabytes if that is exact. */
  readonly unit: 'megabytes' | Translated | null
  /** The users' word for one of `per`; null for projects, or if `per` is null. */
  readonly perWords: Translated | null
}

/** How much a plan allows, by the name of the limit. */
export type PlanLimits = Readonly<Record<string, number>>

/** The largest amount of one operation. It bounds the damage of a wrong call. */
export const OPERATION_AMOUNT_MAX = 1_000_000
/** The most usage that can be reported: a million terabytes in megabytes, exact in every JSON reader. */
export const USED_MAX = 1_000_000_000_000

/** Throws if the plan lacks the limit. Plans in effect have all limits (`planInEffect`). */
export function maximumOf(limits: PlanLimits, { name }: LimitDefinition): number {
  const maximum = limits[name]
  if (maximum === undefined) throw new Error(`a plan lacks the limit ${name}`)
  return maximum
}

/** The field in which calls name the counted thing (a project, a scope); null: no such field is allowed. */
export function scopeField({ per }: LimitDefinition): 'project_id' | 'scope_id' | null {
  if (per === null) return null
  return per === 'project' ? 'project_id' : 'scope_id'
}

export function countsByMonth(limits: readonly LimitDefinition[]): boolean {
  return limits.some(({ window }) => window === 'month')
}

/** `day`, `month`, `gauge` or `gauge/project`. If the catalogue changed it, the old count reads as zero. */
export function countsAs({ window, per }: Pick<LimitDefinition, 'window' | 'per'>): string {
  return window ?? (per === null ? 'gauge' : `gauge/${per}`)
}

/** The day or month in the quota's time zone that an instant lies in. */
export type QuotaWindowAt = (window: LimitWindow, instant: Instant) => { readonly endsAt: Instant }

/** The API's answer to "may this user…?". No is a normal answer, not an error. */
export function describeAllowance(of: {
  readonly allowed: boolean
  readonly limit: number
  readonly used: number
  /** When the counter starts again at zero; null for gauges. */
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

export interface UsageCount {
  readonly limit: string
  /** Empty unless the limit has `per`. */
  readonly scopeId: string
  readonly used: number
  readonly resetsAt: Instant | null
  /** `countsAs` of the catalogue under which the row was written. */
  readonly countsAs: string
}

/** The usage by limit. A limit with `per` has the usage of each id. */
export type Usage = Readonly<Record<string, number | Readonly<Record<string, number>>>>

export function usageAt(
  limits: readonly LimitDefinition[],
  counts: readonly UsageCount[],
  at: { readonly now: Instant; readonly quotaWindowAt: QuotaWindowAt },
): Usage {
  const usedOf = (limit: LimitDefinition) => {
    const own = counts.filter((count) => count.limit === limit.name && isCurrent(count, limit, at))
    if (limit.per === null) return own[0]?.used ?? 0
    // Entries instead of assignments: a project may be called `__proto__`.
    return Object.fromEntries(own.map(({ scopeId, used }) => [scopeId, used]))
  }
  return Object.fromEntries(limits.map((limit) => [limit.name, usedOf(limit)]))
}

/** Reads windows as the queries do. A later window is accepted: processes see midnight at other instants. */
function isCurrent(
  count: UsageCount,
  limit: LimitDefinition,
  { now, quotaWindowAt }: Parameters<typeof usageAt>[2],
): boolean {
  const { resetsAt } = count
  if (count.countsAs !== countsAs(limit)) return false
  if (limit.window === null || resetsAt === null) return true
  return resetsAt >= quotaWindowAt(limit.window, now).endsAt
}

export interface OverLimit {
  readonly limit: LimitDefinition
  /** Set if the limit has `per`; null otherwise. */
  readonly scopeId: string | null
  readonly used: number
  readonly max: number
}

/** Where a user has more than the plan in effect allows. Nothing is deleted; creating more is refused. */
export function overLimits(
  limits: readonly LimitDefinition[],
  usage: Usage,
  allowed: PlanLimits,
): readonly OverLimit[] {
  return limits.flatMap((limit) => {
    const max = maximumOf(allowed, limit)
    return usesOf(usage, limit).flatMap((use) => (use.used > max ? [{ limit, ...use, max }] : []))
  })
}

/** The usage of one limit: one figure, or one for each id if it has `per`. */
export function usesOf(
  usage: Usage,
  { name }: LimitDefinition,
): readonly Pick<OverLimit, 'scopeId' | 'used'>[] {
  const used = usage[name] ?? 0
  if (typeof used === 'number') return [{ scopeId: null, used }]
  return Object.entries(used).map(([scopeId, used]) => ({ scopeId, used }))
}
