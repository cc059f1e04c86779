// The owner of an account enters the buyer's details, or an operator corrects them.
import { auditEntry } from '../acts/audit.sql.js'
import { type BuyerDetails, fieldsOfBuyer } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { ownsAccount } from '../core/person.js'
import { untilFresh } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUser, type KnownUser, rememberUser } from '../ledger/users.sql.js'
import { saveBuyer } from './buyers.sql.js'
import { changedFields, readBuyerDetails, type TypedBuyer } from './read-buyer.js'

export type BuyerDeps = Pick<CommonParts, 'database' | 'clock' | 'ids'>

/** Null: none were given, or the user is unknown. */
export async function readBuyer(
  { database }: Pick<BuyerDeps, 'database'>,
  userId: string,
): Promise<BuyerDetails | null> {
  return (await findUser(database, userId))?.buyer ?? null
}

/** Throws `validation_failed` with each wrong field. */
export function requireBuyer(typed: TypedBuyer): BuyerDetails {
  const read = readBuyerDetails(typed)
  if (read.problems) throw new BillingError('validation_failed', { problems: read.problems })
  return read.details
}

/**
 * Replaces the details, and creates an unknown user. Throws `forbidden` unless the caller is an owner, and
 * `validation_failed`.
 */
export async function setBuyer(deps: BuyerDeps, user: KnownUser, typed: TypedBuyer): Promise<BuyerDetails> {
  if (!ownsAccount(user)) throw new BillingError('forbidden')
  const buyer = requireBuyer(typed)
  const { userId, personId } = user
  const { database, clock, ids } = deps
  await untilFresh('the details of a buyer', async () => {
    const now = clock.now()
    const loaded = await findUser(database, userId)
    if (!loaded) {
      await rememberUser(database, user, now)
      return 'stale'
    }
    if (changedFields(loaded.buyer, buyer).length === 0) return 'unchanged'
    const by = { operator: { name: personId ?? userId }, act: 'user.buyer', reason: null }
    const audit = auditEntry(ids, by, { ...describeBuyerChange(loaded.buyer, buyer), now })
    return saveBuyer(database, { userId, version: loaded.version, buyer, audit }, now)
  })
  return buyer
}

/** The changed fields, for the trail. */
export function describeBuyerChange(before: BuyerDetails | null, after: BuyerDetails) {
  const changed = changedFields(before, after)
  const [old, now] = [before && fieldsOfBuyer(before), fieldsOfBuyer(after)]
  return {
    before: Object.fromEntries(changed.map((field) => [field, old?.[field] ?? null])),
    after: Object.fromEntries(changed.map((field) => [field, now[field]])),
  }
}
