// Everything about one user at one instant, for the platform and the user: the plan, what is used, where that is more
// than the plan allows, and what the next payment would buy.
import { overLimits, type QuotaWindowAt, usageAt } from '../core/limit.js'
import { isPayable } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import { renewalAt } from '../core/quote.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { type RefreshDeps, refreshOpen } from '../payments/status.js'
import type { LoadUserWithUsage } from './usage.sql.js'

export interface OverviewDeps extends RefreshDeps {
  readonly catalogue: Catalogue
  readonly loadUserWithUsage: LoadUserWithUsage
  readonly quotaWindowAt: QuotaWindowAt
}

export type Overview = Awaited<ReturnType<typeof readOverview>>

/** All of it is read at the instant `now`. */
export async function readOverview(deps: OverviewDeps, userId: string, requestId?: string) {
  const { loadUserWithUsage, clock, rules, catalogue, quotaWindowAt } = deps
  const { limits } = catalogue
  let loaded = await loadUserWithUsage(userId)
  if (await refreshOpen(deps, loaded.open, requestId)) loaded = await loadUserWithUsage(userId)
  const now = clock.now()
  const facts = loaded.user?.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, rules)
  const usage = usageAt(limits, loaded.counts, { now, quotaWindowAt })
  const { open, profile } = loaded
  return {
    userId,
    profile,
    facts,
    subscription,
    usage,
    limits,
    /** When the counters of a day, and of a month, count from zero again. */
    resetsAt: { day: quotaWindowAt('day', now).endsAt, month: quotaWindowAt('month', now).endsAt },
    overLimits: overLimits(limits, usage, subscription.plan.limits),
    /** Null when there is nothing to buy. */
    renewal: renewalAt(facts, catalogue, now, rules),
    /** The checkout that can be paid now. */
    pendingPayment: open && isPayable(open, now) ? open : null,
    now,
  }
}
