// A user's standing order: the term that their balance buys whenever the paid time ends. One job stores what
// balances have bought, another compares orders with the catalogue. Access does not wait for them, because it
// is computed.
import { isDeepStrictEqual } from 'node:util'
import { atCatalogue, type StandingOrder, withOrder } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { offerOf, offersOf, planById } from '../core/plan.js'
import { NEVER_PAID, renewed, type SubscriptionFacts } from '../core/subscription.js'
import { countEach } from '../database/database.js'
import { bookRenewals, type ChangeDeps, changeUser, type Decided, tryChange } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUser, type KnownUser, rememberUser, type UserRecord } from '../ledger/users.sql.js'
import { findOtherOrders, findUsersToRenew } from './balance.sql.js'

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
 * Books the renewals of at most `limit` users, the longest due first, and returns for how many it did. A
 * failure of one user does not stop the others: the first failure is thrown at the end.
 */
export async function bookDueRenewals(deps: ChangeDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const due = await findUsersToRenew(deps.database, now, limit)
  return countEach(due, (one) => bookRenewals(deps, one, now))
}

/**
 * Offers a new price beside the agreed one until the user agrees, and ends an order whose plan or term is no
 * longer sold. Checks the orders of at most `limit` users and returns how many it changed.
 */
export async function checkOrders(deps: OrderDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const others = await findOtherOrders(deps.database, deps.catalogue.plans.flatMap(offersOf), limit)
  return countEach(others, (one) => checkOrder(deps, one, now))
}

/** If the facts are stale, the next round does it. */
async function checkOrder(deps: OrderDeps, facts: { userId: string; user: UserRecord }, now: Instant) {
  const tried = await tryChange(deps, facts, { now }, (): Decided<'unchanged' | 'changed'> => {
    const { subscription } = facts.user
    const { balance } = subscription
    const order = balance?.order ? atCatalogue(balance.order, deps.catalogue, now) : null
    if (!balance?.order || isDeepStrictEqual(order, balance.order))
      return { revision: null, result: 'unchanged' }
    const kind = order === null ? 'order_ended' : order.offered ? 'order_offered' : null
    const revision = {
      // `since` stays, so that renewals do not depend on when this job ran.
      subscription: { ...subscription, balance: { ...balance, order } },
      events: ['balance.renewal_changed'] as const,
      ...(kind && { mail: { kind, about: toTimestamp(now) } }),
    }
    return { revision, result: 'changed' }
  })
  return tried === 'changed'
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
