// A user's balance, its order, and its ledger in pages. What the balance has bought by now is written down
// first, so that amount and ledger agree.
import { BillingError } from '../core/error.js'
import { NEVER_PAID, type SubscriptionFacts } from '../core/subscription.js'
import { type BalanceEntry, entriesOfUser } from '../ledger/balance-entries.sql.js'
import { type BalanceQuery, type UserBalanceView, viewBalance } from '../ledger/balance-schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'

interface ReadBalance {
  readonly facts: SubscriptionFacts
  readonly entries: readonly BalanceEntry[]
  /** Null: there is no further page. */
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
  // One more than asked for: whether there is a further page costs no count.
  const found = await entriesOfUser(deps.database, userId, { before, limit: limit + 1 })
  const entries = found.slice(0, limit)
  const last = found.length > limit ? entries.at(-1) : undefined
  return { facts, entries, nextCursor: last ? encodeCursor(last) : null }
}

/** After what the balance has bought by now is written down. */
export async function readBooked(deps: ChangeDeps, userId: string): Promise<SubscriptionFacts> {
  return (await findCurrentUser(deps, userId))?.subscription ?? NEVER_PAID
}

/** As the API writes it. Throws `invalid_cursor`. */
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

/** Opaque to the caller, so anything that was not written here is refused, not guessed at. */
function decodeCursor(cursor: string): number {
  const [, sequence] = /^b(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (sequence === undefined) throw new BillingError('invalid_cursor')
  return Number(sequence)
}
