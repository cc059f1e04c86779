// Erases a person: what the books do not need is deleted, and the user remains as an id without a name. A
// user who comes back under that id gets nothing a second time that is given once.
import { act } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { WhySchema } from '../acts/reason.js'
import { balanceIn } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { timestampOrNull } from '../core/instant.js'
import { decideEnd } from '../core/refund.js'
import type { Database } from '../database/database.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import { eraseUser, readErasable } from './erase.sql.js'

export interface ErasePersonDeps extends ChangeDeps, SubjectDeps {
  readonly database: Database
}

export const eraseAct = act<ErasePersonDeps>()({
  name: 'user.erase',
  roles: [],
  rank: 'destructive',
  on: USER,
  operationId: 'eraseUser',
  summary: 'Erase what is known of a person; documents, the ledger and the trail stay',
  description:
    'Removes name, addresses, proofs, sessions, mails, usage and free texts. 409 `conflict` names in ' +
    '`held_by` what stands in the way: `paid_time` (see `endAccess`), `balance`, `standing_order`, ' +
    '`open_payment`, `review`, `undelivered_event`.',
  input: WhySchema,
  plan: async (deps, { id: userId, by }) => {
    const user = await loadUser(deps, userId)
    const now = deps.clock.now()
    const found = await readErasable(deps.database, userId)
    const { version, subscription, email, name, buyer } = user
    const held = Object.entries({
      paid_time: decideEnd(subscription, now, deps.rules) !== null,
      balance: balanceIn(subscription) > 0,
      standing_order: (subscription.balance?.order ?? null) !== null,
      open_payment: found.isOpen,
      review: found.isInReview,
      undelivered_event: found.isUndelivered,
    }).flatMap(([what, stands]) => (stands ? [what] : []))
    if (held.length > 0) throw new BillingError('conflict', { extra: { held_by: held } })
    const before = { paid_until: timestampOrNull(subscription.paidUntil) }
    const audit = auditEntry(deps.ids, by, { before, now })
    const { proofs, mails, sessions, usage } = found
    return {
      version,
      changes: [
        change.text('user', name, null),
        change.text('email', email, null),
        change.text('phone', found.phone, null),
        change.text('buyerTitle', buyer?.name ?? null, null),
        change.count('erasedProofs', proofs, 0),
        change.count('erasedMails', mails, 0),
        change.count('erasedSessions', sessions, 0),
        change.count('erasedUsage', usage, 0),
      ],
      save: () => eraseUser(deps.database, { userId, version, audit }, now),
    }
  },
})
