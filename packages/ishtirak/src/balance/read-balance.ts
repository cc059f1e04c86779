// A user's balance, its standing order, and its entries in pages. What the balance has bought by now is
// booked first, so that amount and entries agree.
import { cursorOf } from '../acts/paging.js'
import { NEVER_PAID } from '../core/subscription.js'
import { entriesOfUser } from '../ledger/balance-entries.sql.js'
import { type BalanceQuery, viewBalance } from '../ledger/balance-schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'

const cursors = cursorOf({ sequence: 'number' })

export async function showBalance(deps: ChangeDeps, userId: string, { limit = 20, cursor }: BalanceQuery) {
  const before = cursor === undefined ? null : cursors.decode(cursor).sequence
  const facts = (await findCurrentUser(deps, userId))?.subscription ?? NEVER_PAID
  const found = await entriesOfUser(deps.database, userId, { before, limit: limit + 1 })
  const { items: entries, nextCursor } = cursors.pageOf(found, limit)
  return viewBalance(facts, { entries, nextCursor }, deps.clock.now())
}
