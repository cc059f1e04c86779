// The jobs of standing orders: one stores what balances have bought, the other compares orders with the
// catalogue. Access does not wait for them, because it is computed.
import { isDeepStrictEqual } from 'node:util'
import { atCatalogue } from '../core/balance.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { offersOf } from '../core/plan.js'
import { countEach } from '../database/database.js'
import { bookRenewals, type ChangeDeps, type Decided, tryChange } from '../ledger/change-user.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { findOtherOrders, findUsersToRenew } from './balance.sql.js'
import type { OrderDeps } from './order.js'

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
