// A user's balance, its standing order, and its entries in pages. What the balance has bought by now is
// booked first, so that amount and entries agree.
import { BillingError } from '../core/error.js'
import { NEVER_PAID, type SubscriptionFacts } from '../core/subscription.js'
import { type BalanceEntry, entriesOfUser } from '../ledger/balance-entries.sql.js'
import { type BalanceQuery, type UserBalanceView, viewBalance } from '../ledger/balance-schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'

interface ReadBalance {
  readonly facts: SubscriptionFacts
  readonly entries: readonly BalanceEntry[]
  /** Null: this is the last page. */
  readonly nextCursor: string | null
}

/** Throws `invalid_cursor`. */
async function readBalance(
  deps: ChangeDeps,
  userId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Promise<ReadBalance> {
  const before = cursor === null ? null : decodeCursor(cursor)
  const facts = await readBooked(deps, userId)
  // One more than asked for shows whether there is another page, without a count.
  const found = await entriesOfUser(deps.database, userId, { before, limit: limit + 1 })
  const entries = found.slice(0, limit)
  const last = found.length > limit ? entries.at(-1) : undefined
  return { facts, entries, nextCursor: last ? encodeCursor(last) : null }
}

/** Books first what the balance has bought by now. */
export async function readBooked(deps: ChangeDeps, userId: string): Promise<SubscriptionFacts> {
  return (await findCurrentUser(deps, userId))?.subscription ?? NEVER_PAID
}

/** The form of the API. Throws `invalid_cursor`. */
export async function showBalance(
  deps: ChangeDeps,
  userId: string,
  query: BalanceQuery,
): Promise<UserBalanceView> {
  const { limit = 20, cursor = null } = query
  const { facts, entries, nextCursor } = await readBalance(deps, userId, { limit, cursor })
  return viewBalance(facts, { entries, nextCursor }, deps.clock.now())
}

function encodeCursor({ sequence }: BalanceEntry): string {
  return Buffer.from(`b${sequence}`).toString('base64url')
}

/** A cursor is opaque to callers, so anything that was not made here is refused. */
function decodeCursor(cursor: string): number {
  const [, sequence] = /^b(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (sequence === undefined) throw new BillingError('invalid_cursor')
  return Number(sequence)
}
