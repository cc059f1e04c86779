// Everything about one user at one instant, for the platform and the user: the plan, what is used, where that is more
// than the plan allows, and what the next payment would buy.
import type { Instant } from '../core/instant.js'
import { type OverLimit, overLimits, type Usage, usageAt } from '../core/limit.js'
import { isPayable, type Payment } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import { type Renewal, renewalAt } from '../core/upgrade.js'
import { type RefreshDeps, refreshOpen } from '../payments/status.js'
import type { UserProfile } from '../payments/users.sql.js'
import { loadUserWithUsage } from './usage.sql.js'

export interface OverviewDeps extends RefreshDeps {
  readonly catalogue: Catalogue
  /** The end of the calendar day, in the quota's time zone, that an instant lies in. */
  readonly quotaDayEndsAt: (instant: Instant) => Instant
}

export interface Overview {
  readonly userId: string
  readonly profile: UserProfile
  readonly subscription: Subscription
  readonly usage: Usage
  /** When the daily limits count from zero again. */
  readonly resetsAt: Instant
  readonly overLimits: readonly OverLimit[]
  /** Null when there is nothing to buy. */
  readonly renewal: Renewal | null
  /** The checkout that can be paid at this instant. */
  readonly pendingPayment: Payment | null
  /** The instant that all of it was read at. */
  readonly now: Instant
}

export async function readOverview(
  deps: OverviewDeps,
  userId: string,
  requestId?: string,
): Promise<Overview> {
  const { database, clock, rules, catalogue, quotaDayEndsAt } = deps
  let loaded = await loadUserWithUsage(database, userId)
  if (await refreshOpen(deps, loaded.open, requestId)) loaded = await loadUserWithUsage(database, userId)
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
    resetsAt: quotaDayEndsAt(now),
    overLimits: overLimits(usage, subscription.plan.limits),
    renewal: renewalAt(facts, catalogue, now, rules),
    pendingPayment: open && isPayable(open, now) ? open : null,
    now,
  }
}
