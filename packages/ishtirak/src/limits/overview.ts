// Everything about one user at one instant, for the platform and the user: the plan, what is used, where that is more
// than the plan allows, and what the next payment would buy.
import type { Instant } from '../core/instant.js'
import { overLimits, usageAt } from '../core/limit.js'
import { isPayable } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import { renewalAt } from '../core/quote.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { type RefreshDeps, refreshOpen } from '../payments/status.js'
import type { LoadUserWithUsage } from './usage.sql.js'

export interface OverviewDeps extends RefreshDeps {
  readonly catalogue: Catalogue
  readonly loadUserWithUsage: LoadUserWithUsage
  /** The end of the calendar day, in the quota's time zone, that an instant lies in. */
  readonly quotaDayEndsAt: (instant: Instant) => Instant
}

export type Overview = Awaited<ReturnType<typeof readOverview>>

/** All of it is read at the instant `now`. */
export async function readOverview(deps: OverviewDeps, userId: string, requestId?: string) {
  const { loadUserWithUsage, clock, rules, catalogue, quotaDayEndsAt } = deps
  let loaded = await loadUserWithUsage(userId)
  if (await refreshOpen(deps, loaded.open, requestId)) loaded = await loadUserWithUsage(userId)
  const now = clock.now()
  const facts = loaded.user?.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, rules)
  const usage = usageAt(loaded.counts, now)
  const { open, profile } = loaded
  return {
    userId,
    profile,
    subscription,
    usage,
    /** When the daily limits count from zero again. */
    resetsAt: quotaDayEndsAt(now),
    overLimits: overLimits(usage, subscription.plan.limits),
    /** Null when there is nothing to buy. */
    renewal: renewalAt(facts, catalogue, now, rules),
    /** The checkout that can be paid now. */
    pendingPayment: open && isPayable(open, now) ? open : null,
    now,
  }
}
