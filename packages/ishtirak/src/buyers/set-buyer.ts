// The owner of an account enters the buyer's details.
import { auditEntry } from '../acts/audit.sql.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { ownsAccount } from '../core/person.js'
import { untilFresh } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUser, type KnownUser, rememberUser } from '../ledger/users.sql.js'
import { saveBuyer } from './buyers.sql.js'
import { changedFields, readBuyerDetails, type TypedBuyer } from './read-buyer.js'

export type BuyerDeps = Pick<CommonParts, 'database' | 'clock' | 'ids'>

/** Creates an unknown user. Throws `forbidden` unless the caller is an owner, and `validation_failed`. */
export async function setBuyer(deps: BuyerDeps, user: KnownUser, typed: TypedBuyer): Promise<BuyerDetails> {
  if (!ownsAccount(user)) throw new BillingError('forbidden')
  const buyer = readBuyerDetails(typed)
  const { userId, personId } = user
  const { database, clock, ids } = deps
  await untilFresh('the details of a buyer', async () => {
    const now = clock.now()
    const loaded = await findUser(database, userId)
    if (!loaded) {
      await rememberUser(database, user, now)
      return 'stale'
    }
    const changed = changedFields(loaded.buyer, buyer)
    if (Object.keys(changed.after).length === 0) return 'unchanged'
    const by = { operator: { name: personId ?? userId }, act: 'user.buyer', reason: null }
    const audit = auditEntry(ids, by, { ...changed, now })
    return saveBuyer(database, { userId, version: loaded.version, buyer, audit }, now)
  })
  return buyer
}
