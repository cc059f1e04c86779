// Everything about one user at one instant, for the platform and the user: the plan, the usage, where that is
// above the plan, and what the next payment would buy.

import { type RefreshDeps, refreshOpen } from '../checkout/status.js'
import { overLimits, type QuotaWindowAt, usageAt } from '../core/limit.js'
import { isPayable } from '../core/payment.js'
import { renewalAt } from '../core/quote.js'
import { NEVER_PAID, renewed, statusAt } from '../core/subscription.js'
import { bookRenewals } from '../ledger/change-user.js'
import type { CommonParts } from '../ledger/parts.js'
import type { LoadTimeList } from '../ledger/time-list.sql.js'
import type { LoadUserWithUsage } from './usage.sql.js'

export interface OverviewDeps extends RefreshDeps, Pick<CommonParts, 'catalogue'> {
  readonly loadUserWithUsage: LoadUserWithUsage
  readonly loadTimeList: LoadTimeList
  readonly quotaWindowAt: QuotaWindowAt
}

export type Overview = ReturnType<typeof overviewOf>
type LoadedUser = Awaited<ReturnType<LoadUserWithUsage>>

export async function readOverview(deps: OverviewDeps, userId: string, requestId?: string) {
  const load = () => deps.loadUserWithUsage(userId)
  return overviewOf(deps, userId, await loadRefreshed(deps, userId, load, requestId))
}

/** The overview with all time of the user, in order. */
export async function readOverviewWithTime(deps: OverviewDeps, userId: string, requestId: string) {
  const load = async () => {
    const [loaded, timeList] = await Promise.all([deps.loadUserWithUsage(userId), deps.loadTimeList(userId)])
    return { ...loaded, timeList }
  }
  const loaded = await loadRefreshed(deps, userId, load, requestId)
  return { overview: overviewOf(deps, userId, loaded), timeList: loaded.timeList }
}

/** Loads again if the lookup of the open checkout booked it, or if a due renewal was stored. */
async function loadRefreshed<Loaded extends LoadedUser>(
  deps: OverviewDeps,
  userId: string,
  load: () => Promise<Loaded>,
  requestId: string | undefined,
): Promise<Loaded> {
  let loaded = await load()
  if (await refreshOpen(deps, loaded.open, requestId)) loaded = await load()
  const { user } = loaded
  return user && (await bookRenewals(deps, { userId, user }, deps.clock.now())) ? load() : loaded
}

/** The whole overview at the instant `now`. */
function overviewOf(deps: OverviewDeps, userId: string, loaded: LoadedUser) {
  const { clock, rules, catalogue, quotaWindowAt } = deps
  const { limits } = catalogue
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
    /** Null: nothing can be bought. */
    renewal: renewalAt(facts, catalogue, now, rules),
    /** The checkout that can be paid now. */
    pendingPayment: open && isPayable(open, now) ? open : null,
    now,
  }
}
