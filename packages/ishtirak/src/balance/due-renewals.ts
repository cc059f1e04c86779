// The job that writes down what balances have bought. No access waits for it: what was bought is computed.
import { countEach } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUsersToRenew } from './due-renewals.sql.js'

export type DueRenewalsDeps = Pick<CommonParts, 'database' | 'clock' | 'bookRenewals'>

/**
 * Of up to `limit` users, those that were due first. Gives of how many. One whose renewal cannot be booked
 * holds up no other: the first failure is thrown at the end.
 */
export async function bookDueRenewals(deps: DueRenewalsDeps, limit: number): Promise<number> {
  const { database, clock, bookRenewals } = deps
  const now = clock.now()
  const due = await findUsersToRenew(database, now, limit)
  return countEach(due, ({ userId, user }) => bookRenewals(userId, user, now))
}
