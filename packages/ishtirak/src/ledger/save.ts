// What every change of a user's money carries along: events, mail that is owed for them, the audit trail; and
// an operator's change, saved by the same guarded statement as the provider's reports.

import { type AuditDeps, describeAct, type OperatorAct } from '../acts/audit.sql.js'
import type { NewEntry } from '../core/balance.js'
import type { ToldChange } from '../core/change.js'
import { describeEvent, type EventType, type NewEvent } from '../core/event.js'
import type { Grant } from '../core/grant.js'
import type { Instant } from '../core/instant.js'
import { codeUseChange, type Payment } from '../core/payment.js'
import { type MovedPeriod, placesOf } from '../core/refund.js'
import { dueRenewal, type SubscriptionFacts, statusAt } from '../core/subscription.js'
import type { BalanceEntry } from './balance-entries.sql.js'
import type { NewPaper } from './papers.sql.js'
import type { CommonParts } from './parts.js'
import { type SettlementChange, saveSettlement } from './settle.sql.js'
import type { UserRecord } from './users.sql.js'

export type SaveDeps = AuditDeps & Pick<CommonParts, 'rules' | 'log' | 'inTurn' | 'bookRenewals'>

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
    /** What it changes of the balance, which `subscription` has already. */
    readonly entry?: NewEntry | undefined
    readonly events: readonly EventType[]
    /** What is issued with it beside the receipt. */
    readonly paper?: NewPaper | null
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
  if ((await saveUnasked(deps, decided, now, by)) === 'stale') return 'stale'
  const on = { user_id: decided.userId, payment_id: decided.payment?.id }
  deps.log.info({ ...by, operator: by.operator.name, ...on }, 'the operator acted')
  return 'saved'
}

/** The same where no operator asked for it. */
export async function saveUnasked(
  deps: Pick<SaveDeps, 'database' | 'ids' | 'rules' | 'bookRenewals'>,
  decided: DecidedChange,
  now: Instant,
  by?: OperatorAct,
): Promise<'saved' | 'stale'> {
  if (await deps.bookRenewals(decided.userId, decided.user, now)) return 'stale'
  const codeUse = codeUseChange(decided.payment, decided.after.payment ?? null)
  const fixed = { isNew: false, received: null, receipt: null, codeUse }
  const change = { ...fixed, ...describeChange(deps, decided, by, now) }
  return (await saveSettlement(deps.database, change)) === 'saved' ? 'saved' : 'stale'
}

/** A change as it is saved, of a settlement or of an operator's act. */
export function describeChange(
  { ids, rules }: Pick<SaveDeps, 'ids' | 'rules'>,
  { userId, user, payment, after }: DecidedChange,
  by: OperatorAct | undefined,
  now: Instant,
): Omit<SettlementChange, 'isNew' | 'received' | 'receipt'> {
  const { subscription, moved = [], payment: changed = null, grant = null, reason, change } = after
  if (after.entry?.kind !== 'renewal' && dueRenewal(user.subscription, now, rules))
    throw new Error(`money of ${userId} was decided on before renewals that are due`)
  const entry = after.entry && entryOf(ids, after.entry, subscription)
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
    balance: { facts: subscription, entry },
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
    entry: entry ?? null,
    paper: after.paper ?? null,
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

/** Its place in the ledger; `subscription` has it as its last. */
function entryOf(
  ids: SaveDeps['ids'],
  { kind, amount, paymentId, note }: NewEntry,
  { balance }: SubscriptionFacts,
): BalanceEntry {
  if (!balance) throw new Error('an entry of no balance')
  const { amount: balanceAfter, entries: sequence, since: createdAt } = balance
  const id = ids.next('ent', createdAt)
  return {
    sequence,
    id,
    kind,
    amount,
    balanceBefore: balanceAfter - amount,
    balanceAfter,
    paymentId,
    note,
    createdAt,
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
