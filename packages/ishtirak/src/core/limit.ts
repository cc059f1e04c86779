// Limits as the platform meets them: what is counted how, and how far above the plan a user is. The counting
// itself is one statement (limits/operations.sql.ts): only the database sees all processes.
import { type Instant, timestampOrNull } from './instant.js'
import type { Translated } from './locale.js'

export type LimitWindow = 'day' | 'month'

export interface LimitDefinition {
  /** It stands in addresses and in the database. */
  readonly name: string
  /** A counter starts at zero each day or month of QUOTA_TIMEZONE. Null: a gauge goes up and down. */
  readonly window: LimitWindow | null
  /** What a gauge is counted for, each by itself, such as `project`; null: for the user. */
  readonly per: string | null
  /** Its name, as users read it. */
  readonly words: Translated
  /** What stands behind a figure; null: nothing. `megabytes` are shown as gigabytes where that is exact. */
  readonly unit: 'megabytes' | Translated | null
  /** What users call one of what it is counted for; null where that is a project, or nothing. */
  readonly perWords: Translated | null
}

/** How much a plan allows, by the name of the limit. */
export type PlanLimits = Readonly<Record<string, number>>

/** The maximum amount of one operation: bounds the damage of a wrong call. */
export const OPERATION_AMOUNT_MAX = 1_000_000
/** The most that can be reported: a million terabytes in megabytes, and exact in every JSON reader. */
export const USED_MAX = 1_000_000_000_000

/** Throws where the plan lacks the limit: plans in effect have all (`planInEffect`). */
export function maximumOf(limits: PlanLimits, { name }: LimitDefinition): number {
  const maximum = limits[name]
  if (maximum === undefined) throw new Error(`a plan lacks the limit ${name}`)
  return maximum
}

/** The field in which calls name what the limit is counted for; null: none may. */
export function scopeField({ per }: LimitDefinition): 'project_id' | 'scope_id' | null {
  if (per === null) return null
  return per === 'project' ? 'project_id' : 'scope_id'
}

/** Whether any counter of the catalogue counts a month. */
export function countsByMonth(limits: readonly LimitDefinition[]): boolean {
  return limits.some(({ window }) => window === 'month')
}

/** `day`, `month`, `gauge`, `gauge/project`. A count of something else is zero: the catalogue has changed. */
export function countsAs({ window, per }: Pick<LimitDefinition, 'window' | 'per'>): string {
  return window ?? (per === null ? 'gauge' : `gauge/${per}`)
}

/** The day or month in the quota's time zone that an instant lies in. */
interface QuotaWindow {
  readonly endsAt: Instant
}
export type QuotaWindowAt = (window: LimitWindow, instant: Instant) => QuotaWindow

/** The answer to "may this user…?", as the API writes it. No is an answer too, so a denial is no error. */
export function describeAllowance(of: {
  readonly allowed: boolean
  /** How much the plan in effect allows. */
  readonly limit: number
  /** After this operation. */
  readonly used: number
  /** When a counter counts from zero again; null for gauges. */
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
  /** Empty unless the limit is counted for each of something. */
  readonly scopeId: string
  readonly used: number
  readonly resetsAt: Instant | null
  /** Of the catalogue that it was made under. */
  readonly countsAs: string
}

/** What is in use, by limit; of a limit that is counted for each of something by its id as well. */
export type Usage = Readonly<Record<string, number | Readonly<Record<string, number>>>>

export function usageAt(
  limits: readonly LimitDefinition[],
  counts: readonly UsageCount[],
  at: { readonly now: Instant; readonly quotaWindowAt: QuotaWindowAt },
): Usage {
  const usedOf = (limit: LimitDefinition) => {
    const own = counts.filter((count) => count.limit === limit.name && isCurrent(count, limit, at))
    if (limit.per === null) return own[0]?.used ?? 0
    // Entries, not assignments: a project may be called `__proto__`.
    return Object.fromEntries(own.map(({ scopeId, used }) => [scopeId, used]))
  }
  return Object.fromEntries(limits.map((limit) => [limit.name, usedOf(limit)]))
}

/** As the statements see it. A later window counts: two processes do not see midnight at one instant. */
function isCurrent(
  count: UsageCount,
  limit: LimitDefinition,
  { now, quotaWindowAt }: Parameters<typeof usageAt>[2],
): boolean {
  const { resetsAt } = count
  if (count.countsAs !== countsAs(limit)) return false
  // What counts as a gauge has no end, and all else has one.
  if (limit.window === null || resetsAt === null) return true
  return resetsAt >= quotaWindowAt(limit.window, now).endsAt
}

export interface OverLimit {
  readonly limit: LimitDefinition
  /** Only where the limit is counted for each of something. */
  readonly scopeId: string | null
  readonly used: number
  readonly max: number
}

/** Where a user has more than the plan in effect allows. Nothing is taken; creating is refused. */
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

/** What is in use of one limit: one figure, or one for each of what it is counted for. */
export function usesOf(
  usage: Usage,
  { name }: LimitDefinition,
): readonly Pick<OverLimit, 'scopeId' | 'used'>[] {
  const used = usage[name] ?? 0
  if (typeof used === 'number') return [{ scopeId: null, used }]
  return Object.entries(used).map(([scopeId, used]) => ({ scopeId, used }))
}
