// An operator corrects a buyer's details.
import { act, change, reason } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { BUYER_FIELDS } from '../core/buyer-details.js'
import { request } from '../http/schemas.js'
import { sayFor } from '../i18n/messages.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import { buyerInput } from './buyer-schemas.js'
import { buyerFields } from './buyer-words.js'
import { saveBuyer } from './buyers.sql.js'
import { changedFields, readBuyerDetails } from './read-buyer.js'

const CorrectBuyerSchema = request('CorrectBuyer', { ...buyerInput, why: reason })

export const correctBuyer = act<SubjectDeps & ChangeDeps>()({
  name: 'user.correct_buyer',
  roles: ['accountant', 'support'],
  on: USER,
  operationId: 'correctBuyer',
  summary: 'Correct what an invoice names of a buyer',
  description: 'Replaces all details; absent ones become null. Issued documents stay.',
  input: CorrectBuyerSchema,
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
