// The job that stores what balances have bought. Access does not wait for it, because it is computed.
import { countEach } from '../database/database.js'
import { bookRenewals, type ChangeDeps } from '../ledger/change-user.js'
import { findUsersToRenew } from './due-renewals.sql.js'

/**
 * Books the renewals of at most `limit` users, the longest due first, and returns for how many it did. A
 * failure of one user does not stop the others: the first failure is thrown at the end.
 */
export async function bookDueRenewals(deps: ChangeDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const due = await findUsersToRenew(deps.database, now, limit)
  return countEach(due, (one) => bookRenewals(deps, one, now))
}
