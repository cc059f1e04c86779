// A user's standing order: the term that their balance buys whenever the paid time ends.
import { isDeepStrictEqual } from 'node:util'
import { type StandingOrder, withOrder } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { offerOf, planById } from '../core/plan.js'
import { NEVER_PAID, renewed, type SubscriptionFacts } from '../core/subscription.js'
import { type ChangeDeps, changeUser, type Decided } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUser, type KnownUser, rememberUser } from '../ledger/users.sql.js'

export type OrderDeps = ChangeDeps & Pick<CommonParts, 'catalogue'>

/**
 * Sets an order at the catalogue's price, which the order keeps. It replaces an earlier order, which is how a
 * user agrees to another price. Throws `unknown_plan`, `plan_not_purchasable`, `unknown_term`, and `conflict`
 * if the price is above the shown one.
 */
export async function setOrder(
  deps: OrderDeps,
  user: KnownUser,
  { planId, months, shown }: { planId: string; months: number; shown?: number | undefined },
) {
  const plan = planById(deps.catalogue, planId)
  if (!plan) throw new BillingError('unknown_plan')
  if (plan.price === 0) throw new BillingError('plan_not_purchasable')
  const offer = offerOf(plan, months)
  if (!offer) throw new BillingError('unknown_term')
  requireShown(offer.price.amount, shown)
  return changeOrder(deps, user, { plan: offer.plan, months, price: offer.price.amount, offered: null })
}

export function endOrder(deps: OrderDeps, user: KnownUser) {
  return changeOrder(deps, user, null)
}

async function changeOrder(deps: OrderDeps, user: KnownUser, order: StandingOrder | null) {
  const { userId } = user
  const facts = await changeUser(deps, {
    what: 'a standing order',
    inTurnOf: userId,
    load: async () => ({ userId, user: await findUser(deps.database, userId) }),
    decide: async ({ user: known }, now): Promise<Decided<SubscriptionFacts>> => {
      if (!known && order !== null) {
        await rememberUser(deps.database, user, now)
        return { result: 'stale' }
      }
      if (!known || isDeepStrictEqual(known.subscription.balance?.order ?? null, order))
        return { revision: null, result: known?.subscription ?? NEVER_PAID }
      const subscription = withOrder(known.subscription, order, now)
      return { revision: { subscription, events: ['balance.renewal_changed'] }, result: subscription }
    },
  })
  // This books what is due by now.
  await findCurrentUser(deps, userId)
  // The facts of this change: another call may have ended or changed the order since.
  return renewed(facts, deps.clock.now(), deps.rules)
}

/**
 * The price on a page is the most that its form may spend: the page may be older than a change of price, and
 * a balance pays at once. Whole dinars; `shown` absent: no page showed a price. Throws `conflict`.
 */
export function requireShown(price: number, shown: number | undefined): void {
  if (shown !== undefined && price > shown) throw new BillingError('conflict', { extra: { changed: true } })
}

/** Returns `outdated` if the page showed a lower price. Other errors are thrown. */
export function orOutdated(error: unknown): 'outdated' {
  if (error instanceof BillingError && error.extra.changed === true) return 'outdated'
  throw error
}
