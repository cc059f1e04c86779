// A user's balance, its standing order, and its entries in pages. What the balance has bought by now is
// booked first, so that amount and entries agree.
import { pageCursor } from '../acts/paging.js'
import { NEVER_PAID } from '../core/subscription.js'
import { type BalanceEntry, entriesOfUser } from '../ledger/balance-entries.sql.js'
import { type BalanceQuery, viewBalance } from '../ledger/balance-schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'

/** The column `sequence` holds no greater number. */
const LAST_SEQUENCE = 2_147_483_647

const cursors = pageCursor<Pick<BalanceEntry, 'sequence'>>(
  ({ sequence }) => [sequence],
  ([sequence]) => (typeof sequence === 'number' && sequence <= LAST_SEQUENCE ? { sequence } : null),
)

/** The form of the API. Throws `invalid_cursor`. */
export async function showBalance(deps: ChangeDeps, userId: string, { limit = 20, cursor }: BalanceQuery) {
  const before = cursor === undefined ? null : cursors.decode(cursor).sequence
  const facts = (await findCurrentUser(deps, userId))?.subscription ?? NEVER_PAID
  const found = await entriesOfUser(deps.database, userId, { before, limit: limit + 1 })
  const { items: entries, nextCursor } = cursors.pageOf(found, limit)
  return viewBalance(facts, { entries, nextCursor }, deps.clock.now())
}
