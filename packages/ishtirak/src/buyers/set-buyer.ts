// The owner of an account enters the buyer's details; an operator corrects them.
import { act, change, reason } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { BUYER_FIELDS, type BuyerDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { ownsAccount } from '../core/person.js'
import { untilFresh } from '../database/database.js'
import { request } from '../http/schemas.js'
import { sayFor } from '../i18n/messages.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import type { CommonParts } from '../ledger/parts.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import { findUser, type KnownUser, rememberUser } from '../ledger/users.sql.js'
import { buyerInput } from './buyer-schemas.js'
import { buyerFields } from './buyer-words.js'
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

export const correctBuyer = act<SubjectDeps & ChangeDeps>()({
  name: 'user.correct_buyer',
  roles: ['accountant', 'support'],
  on: USER,
  operationId: 'correctBuyer',
  summary: 'Correct what an invoice names of a buyer',
  description: 'Replaces all details; absent ones become null. Issued documents stay.',
  input: request('CorrectBuyer', { ...buyerInput, why: reason }),
  // The trail has the names of the changed fields instead.
  secret: [...BUYER_FIELDS],
  fields: async (pages, view, { id }) => {
    const { buyer } = await loadUser(pages, id)
    const say = sayFor(pages.seller.identity, view.locale)
    return buyerFields(say, view.locale, buyer ?? { kind: 'company' })
  },
  plan: async (deps, { id: userId, input, by }) => {
    const { version, buyer: known } = await loadUser(deps, userId)
    const buyer = readBuyerDetails(input)
    const { before, after } = changedFields(known, buyer)
    const changed = Object.entries(after)
    return {
      version,
      changes: changed.map(([field, value]) => change.text(`buyer_${field}`, before[field] ?? null, value)),
      save: async () => {
        if (changed.length === 0) return 'unchanged'
        const now = deps.clock.now()
        const audit = auditEntry(deps.ids, by, { before, after, now })
        return saveBuyer(deps.database, { userId, version, buyer, audit }, now)
      },
    }
  },
})
