// What every change of a user's money carries along: events, mail that is owed for them, the audit trail; and
// an operator's change, saved by the same guarded statement as the provider's reports.

import { type AuditDeps, describeAct, type OperatorAct } from '../acts/audit.sql.js'
import type { ToldChange } from '../core/change.js'
import { describeEvent, type EventType, type NewEvent } from '../core/event.js'
import type { Grant } from '../core/grant.js'
import type { Instant } from '../core/instant.js'
import { codeUseChange, type Payment } from '../core/payment.js'
import { type MovedPeriod, placesOf } from '../core/refund.js'
import { type SubscriptionFacts, statusAt } from '../core/subscription.js'
import type { CommonParts } from './parts.js'
import { type SettlementChange, saveSettlement } from './settle.sql.js'
import type { UserRecord } from './users.sql.js'

export type SaveDeps = AuditDeps & Pick<CommonParts, 'rules' | 'log' | 'inTurn'>

/** The facts as they were read, and as they are to be. */
export interface DecidedChange {
  readonly userId: string
  readonly user: UserRecord
  readonly payment: Payment | null
  readonly after: {
    /** Absent or null: it stays. */
    readonly payment?: Payment | null
    readonly subscription: SubscriptionFacts
    readonly moved?: readonly MovedPeriod[]
    /** Time that is added without a payment. */
    readonly grant?: Grant
    readonly events: readonly EventType[]
    /** Another plan in mid-term. */
    readonly change?: ToldChange | null
    /** Goes into the events. */
    readonly reason?: string | undefined
  }
}

/**
 * With its line in the audit trail, in one statement. `stale`: the facts have changed since they were loaded.
 */
export async function saveDecided(
  deps: SaveDeps,
  by: OperatorAct,
  decided: DecidedChange,
  now: Instant,
): Promise<'saved' | 'stale'> {
  const codeUse = codeUseChange(decided.payment, decided.after.payment ?? null)
  const fixed = { isNew: false, received: null, receipt: null, codeUse }
  const change = { ...fixed, ...describeChange(deps, decided, by, now) }
  if ((await saveSettlement(deps.database, change)) !== 'saved') return 'stale'
  const on = { user_id: decided.userId, payment_id: decided.payment?.id }
  deps.log.info({ ...by, operator: by.operator.name, ...on }, 'the operator acted')
  return 'saved'
}

/** A change as it is saved, of a settlement or of an operator's act. */
export function describeChange(
  { ids, rules }: SaveDeps,
  { userId, user, payment, after }: DecidedChange,
  by: OperatorAct | undefined,
  now: Instant,
): Omit<SettlementChange, 'isNew' | 'received' | 'receipt'> {
  const { subscription, moved = [], payment: changed = null, grant = null, reason, change } = after
  const movedBefore = placesOf(user.subscription.periods).filter((place) =>
    moved.some(({ sourceId }) => sourceId === place.sourceId),
  )
  const facts = {
    before: { payment, subscription: user.subscription, moved: movedBefore },
    after: { payment: changed ?? payment, subscription, moved, grant },
  }
  const described = {
    userId,
    payment: changed,
    subscription: statusAt(subscription, now, rules),
    grant,
    reason,
    change,
    now,
  }
  const about = changed ?? grant
  return {
    userId,
    version: user.version,
    payment: changed,
    subscription,
    moved,
    grant: grant && {
      ...grant,
      by: by?.operator.name ?? null,
      role: by?.operator.role ?? null,
      why: by?.reason ?? null,
    },
    events: after.events.map((type, index): NewEvent => {
      const kind = MAILED[type]
      return {
        id: ids.next('evt', now),
        event: describeEvent(type, { ...described, sequence: user.eventSequence + 1 + index }),
        mail: about && kind ? { kind, about: about.id } : null,
      }
    }),
    audit: by ? describeAct(ids, by, facts, now) : null,
    now,
  }
}

/** The events of which the user gets mail too. */
const MAILED: Readonly<Partial<Record<EventType, string>>> = {
  'payment.requested': 'payment_requested',
  'payment.proof_received': 'proof_received',
  'payment.paid': 'receipt',
  'payment.refused': 'payment_refused',
  'payment.refunded': 'refunded',
  'subscription.granted': 'granted',
}
