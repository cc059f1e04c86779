// Everything about one user at one instant, for the platform and for himself: what he is on, what he uses, where that is
// more than his plan allows, and what the next payment would buy.
import type { Instant } from '../core/instant.js'
import { type OverLimit, overLimits, type Usage, usageAt } from '../core/limit.js'
import { isPayable, type Payment } from '../core/payment.js'
import { type Renewal, renewalAt } from '../core/renewal.js'
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import type { Parts } from '../payments/parts.js'
import type { RefreshOpen } from '../payments/refresh-open.js'
import { loadUserWithUsage, type ProfileChange, saveProfile, type UserProfile } from './usage.sql.js'

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
  parts: Parts,
  refreshOpen: RefreshOpen,
  userId: string,
  requestId?: string,
): Promise<Overview> {
  let loaded = await loadUserWithUsage(parts.database, userId)
  if (await refreshOpen(loaded.open, requestId)) loaded = await loadUserWithUsage(parts.database, userId)
  const now = parts.clock.now()
  const { terms, catalogue } = parts
  const facts = loaded.user?.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, terms)
  const usage = usageAt(loaded.counts, now)
  const { open, profile } = loaded
  return {
    userId,
    profile,
    subscription,
    usage,
    resetsAt: parts.quotaDayEndsAt(now),
    overLimits: overLimits(usage, subscription.plan.limits),
    renewal: renewalAt(facts, catalogue, now, terms),
    pendingPayment: open && isPayable(open, now) ? open : null,
    now,
  }
}

/** What the platform tells of a user, for mail and receipts; makes him known where he was not. */
export async function updateProfile(parts: Parts, userId: string, change: ProfileChange): Promise<void> {
  await saveProfile(parts.database, userId, change, parts.clock.now())
}
