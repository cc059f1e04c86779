// The job that writes down what balances have bought. No access waits for it: what was bought is computed.
import type { CommonParts } from '../ledger/parts.js'
import { findUsersToRenew } from './due-renewals.sql.js'

export type DueRenewalsDeps = Pick<CommonParts, 'database' | 'clock' | 'bookRenewals'>

/** Of up to `limit` users, those that were due first. Gives of how many. */
export async function bookDueRenewals(deps: DueRenewalsDeps, limit: number): Promise<number> {
  const { database, clock, bookRenewals } = deps
  const now = clock.now()
  const due = await findUsersToRenew(database, now, limit)
  let count = 0
  for (const { userId, user } of due) count += (await bookRenewals(userId, user, now)) ? 1 : 0
  return count
}
