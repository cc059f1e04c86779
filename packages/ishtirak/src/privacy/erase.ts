// Erases a person: what the books do not need is deleted, and the user remains as an id without a name. A
// user who comes back under that id gets nothing a second time that is given once.
import { Type } from 'typebox'
import { act, change, reason } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { balanceIn } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { timestampOrNull } from '../core/instant.js'
import { decideEnd } from '../core/refund.js'
import { mayDo, type Permission, requireRole } from '../core/role.js'
import type { Database } from '../database/database.js'
import { request } from '../http/schemas.js'
import { type ChangeDeps, tryChange } from '../ledger/change-user.js'
import { loadUser } from '../ledger/load.js'
import { saveSettlement } from '../ledger/settle.sql.js'
import type { SettlementChange } from '../ledger/settlement-change.js'
import { type SubjectDeps, USER } from '../ledger/subjects.js'
import { eraseUser, readErasable } from './erase.sql.js'

export interface ErasePersonDeps extends ChangeDeps, SubjectDeps {
  readonly database: Database
}

/** No role of OPERATOR_ROLES can have it, because it is in no list of permissions: only owners may. */
const FORFEIT: Permission = { name: 'user.erase_forfeit', roles: [] }

const EraseSchema = request('EraseUser', {
  forfeit: Type.Optional(
    Type.Boolean({ default: false, description: 'Gives up paid time that is left; of the owner alone' }),
  ),
  why: reason,
})

export const eraseAct = act<ErasePersonDeps>()({
  name: 'user.erase',
  roles: [],
  rank: 'destructive',
  on: USER,
  operationId: 'eraseUser',
  summary: 'Erase what is known of a person; documents, the ledger and the trail stay',
  description:
    'Removes name, addresses, proofs, sessions, mails, usage and free texts. 409 `conflict` names in ' +
    '`held_by` what stands in the way: `paid_time`, `balance`, `standing_order`, `open_payment`, `review`, ' +
    '`undelivered_event`.',
  input: EraseSchema,
  fields: async (pages, { say, session }, { id }) => {
    const { subscription } = await loadUser(pages, id)
    const isLeft = decideEnd(subscription, pages.clock.now(), pages.rules) !== null
    if (!isLeft || !mayDo(session.operator, FORFEIT)) return []
    const choices = [['', say('forfeit_no')] as const, ['yes', say('forfeit_yes')] as const]
    const read = ({ forfeit }: { readonly [name: string]: string }) =>
      forfeit === 'yes' ? { forfeit: true } : {}
    const asked = { label: say('forfeitLabel'), value: '', type: 'text', isOptional: true } as const
    return [{ name: 'forfeit', ...asked, choices, read }]
  },
  plan: async (deps, { id: userId, input: { forfeit = false }, by }) => {
    if (forfeit) requireRole(by.operator, FORFEIT)
    const user = await loadUser(deps, userId)
    const now = deps.clock.now()
    const found = await readErasable(deps.database, userId)
    const { version, subscription, email, name, buyer } = user
    const end = decideEnd(subscription, now, deps.rules)
    const held = Object.entries({
      paid_time: end !== null && !forfeit,
      balance: balanceIn(subscription) > 0,
      standing_order: (subscription.balance?.order ?? null) !== null,
      open_payment: found.isOpen,
      review: found.isInReview,
      undelivered_event: found.isUndelivered,
    }).flatMap(([what, stands]) => (stands ? [what] : []))
    if (held.length > 0) throw new BillingError('conflict', { extra: { held_by: held } })
    const before = { paid_until: timestampOrNull(subscription.paidUntil) }
    const audit = auditEntry(deps.ids, by, { before, after: { forfeited: end !== null }, now })
    const { proofs, mails, sessions, usage } = found
    return {
      version,
      changes: [
        ...(end ? [change.access(subscription, end.subscription, now, deps.rules)] : []),
        change.text('user', name, null),
        change.text('email', email, null),
        change.text('phone', found.phone, null),
        change.text('buyerTitle', buyer?.name ?? null, null),
        change.count('erasedProofs', proofs, 0),
        change.count('erasedMails', mails, 0),
        change.count('erasedSessions', sessions, 0),
        change.count('erasedUsage', usage, 0),
      ],
      save: async () => {
        if (!end) return eraseUser(deps.database, { userId, version, audit }, now)
        const save = (ended: SettlementChange) =>
          deps.database.transaction(async (transaction) => {
            const saved = await saveSettlement(transaction, ended)
            if (saved !== 'saved') return saved
            // Ending access has raised the version, and locks the user's row.
            return eraseUser(transaction, { userId, version: ended.version + 1, audit }, now)
          })
        return tryChange(deps, { userId, user }, { now, save }, () => ({ revision: end, result: 'saved' }))
      },
    }
  },
})
