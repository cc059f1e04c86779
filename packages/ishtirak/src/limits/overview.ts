// Everything about one user at one instant, for the platform and the user.

import { refreshOpen, type StatusDeps } from '../checkout/status.js'
import { overLimits, type QuotaWindowAt, usageAt } from '../core/limit.js'
import { isPayable } from '../core/payment.js'
import { renewalAt } from '../core/quote.js'
import { NEVER_PAID, renewed, statusAt } from '../core/subscription.js'
import { bookRenewals } from '../ledger/change-user.js'
import type { LoadTimeList } from '../ledger/time-list.sql.js'
import type { LoadUserWithUsage } from './usage.sql.js'

export interface OverviewDeps extends StatusDeps {
  readonly loadUserWithUsage: LoadUserWithUsage
  readonly loadTimeList: LoadTimeList
  readonly quotaWindowAt: QuotaWindowAt
}

export type Overview = ReturnType<typeof overviewOf>

/** Loads again if the lookup of the open checkout booked it, or if a due renewal was stored. */
export async function readOverview(deps: OverviewDeps, userId: string, requestId?: string) {
  const load = () => deps.loadUserWithUsage(userId)
  let loaded = await load()
  if (await refreshOpen(deps, loaded.open, requestId)) loaded = await load()
  const { user } = loaded
  if (user && (await bookRenewals(deps, { userId, user }, deps.clock.now()))) loaded = await load()
  return overviewOf(deps, userId, loaded)
}

function overviewOf(deps: OverviewDeps, userId: string, loaded: Awaited<ReturnType<LoadUserWithUsage>>) {
  const { clock, rules, quotaWindowAt } = deps
  const { limits } = rules.catalogue
  const now = clock.now()
  const facts = renewed(loaded.user?.subscription ?? NEVER_PAID, now, rules)
  const subscription = statusAt(facts, now, rules)
  const usage = usageAt(limits, loaded.counts, { now, quotaWindowAt })
  const { open, profile } = loaded
  return {
    userId,
    profile,
    buyer: loaded.user?.buyer ?? null,
    facts,
    subscription,
    usage,
    limits,
    /** When the counters of a day and of a month start again at zero. */
    resetsAt: { day: quotaWindowAt('day', now).endsAt, month: quotaWindowAt('month', now).endsAt },
    overLimits: overLimits(limits, usage, subscription.plan.limits),
    renewal: renewalAt(facts, now, rules),
    pendingPayment: open && isPayable(open, now) ? open : null,
    now,
  }
}
