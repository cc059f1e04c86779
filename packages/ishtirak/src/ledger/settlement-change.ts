// Turns a revision into what the query that saves it reads: the columns of the rows that it changes, the
// documents, events and mail that follow from it, and the line of the audit trail.
import { describeAct, type OperatorAct } from '../acts/audit.sql.js'
import type { NewEntry } from '../core/balance.js'
import { eventContent } from '../core/event.js'
import { describedEvent, type EventType } from '../core/event-types.js'
import type { Instant } from '../core/instant.js'
import { codeUseChange } from '../core/payment.js'
import { placesOf } from '../core/refund.js'
import { type SubscriptionFacts, statusAt } from '../core/subscription.js'
import { at } from '../database/rows.js'
import { type BalanceEntry, entryToColumns } from './balance-entries.sql.js'
import { type DocumentDeps, documentOfBooking } from './documents.js'
import { grantToColumns } from './grants.sql.js'
import type { CommonParts } from './parts.js'
import { changedColumns, paymentToColumns } from './payments.sql.js'
import { receivedToColumns } from './provider-events.sql.js'
import type { KnownUserFacts, Revision } from './revision.js'
import { factsToColumns } from './users.sql.js'

type ChangeDeps = DocumentDeps & Pick<CommonParts, 'ids' | 'rules' | 'methods'>

export type SettlementChange = ReturnType<typeof changeOf>

/** The revision as the query reads it. Absent members take no bytes: the database reads them as null. */
export function changeOf(deps: ChangeDeps, facts: KnownUserFacts, revision: Revision, now: Instant) {
  const { userId, user, payment: before = null } = facts
  const { by, payment = null, isNew, takesCode, received, report, moved, schedule } = revision
  const subscription = revision.subscription ?? user.subscription
  const entry = revision.entry && entryOf(deps.ids, revision.entry, subscription)
  const given = { by: by?.operator.name ?? null, role: by?.operator.role ?? null, why: by?.reason ?? null }
  const grant = revision.grant && { codeHash: null, ...revision.grant, ...given, userId, grantedAt: now }
  return {
    user_id: userId,
    version: user.version,
    payment: payment ? (isNew ? paymentToColumns(payment) : changedColumns(before, payment)) : undefined,
    is_new: isNew,
    subscription: factsToColumns(subscription),
    withdraws: revision.withdrawsOpen,
    received: received && receivedToColumns(received, report === undefined),
    report,
    ...eventsOf(deps, revision, { subscription, entry, now }),
    traceparent: revision.traceparent,
    shifted: moved?.map(({ sourceId, start, end }) => {
      return { id: sourceId, period_start: at(start), period_end: at(end) }
    }),
    granted: grant && grantToColumns(grant),
    documents: documentsOf(deps, facts, revision, now),
    entry: entry && entryToColumns(entry),
    audit: by && auditOf(deps, facts, revision, { subscription, by, now }),
    // If `takes_code` is set, the query counts the use itself.
    code: (takesCode === undefined && codeUseChange(isNew ? null : before, payment)) || undefined,
    takes_code: takesCode ?? grant?.codeHash ?? undefined,
    schedule: schedule && { announced: schedule.announced, announce_at: at(schedule.announceAt) },
    now: at(now),
  }
}

/** Each event has the mail that the user is owed for the same reason. */
function eventsOf(
  { ids, rules }: ChangeDeps,
  { events: types, payment = null, grant, reason, change, schedule, mail }: Revision,
  as: {
    readonly subscription: SubscriptionFacts
    readonly entry: BalanceEntry | undefined
    readonly now: Instant
  },
) {
  if (types.length === 0) return { events: [] }
  const { subscription, entry, now } = as
  const of = {
    ...{ payment, grant, reason, change },
    ...(schedule?.announcement && { announcement: schedule.announcement }),
    subscription: statusAt(subscription, now, rules),
    balance: { facts: subscription, entry },
  }
  const about = payment ?? grant
  const mailOf = (type: EventType) => {
    const { mail: kind } = describedEvent(type)
    return about && kind ? { kind, about: about.id } : undefined
  }
  const events = types.map((type) => ({ id: ids.next('evt', now), type, mail: mail ?? mailOf(type) }))
  return { events, content: eventContent(types, of, now) }
}

function auditOf(
  { ids }: ChangeDeps,
  { user, payment: before = null }: KnownUserFacts,
  { payment, moved = [], grant }: Revision,
  as: { readonly subscription: SubscriptionFacts; readonly by: OperatorAct; readonly now: Instant },
) {
  const { subscription, by, now } = as
  const places = placesOf(user.subscription.periods)
  const movedBefore = places.filter((place) => moved.some(({ sourceId }) => sourceId === place.sourceId))
  const facts = {
    before: { payment: before, subscription: user.subscription, moved: movedBefore },
    after: { payment: payment ?? before, subscription, moved, grant },
  }
  return describeAct(ids, by, facts, now)
}

function documentsOf(
  deps: ChangeDeps,
  { userId, user }: KnownUserFacts,
  { payment, isBooked, report, document }: Revision,
  now: Instant,
) {
  const later = document ? [document] : []
  if (!payment || !isBooked) return later
  return [documentOfBooking(deps, payment, { ...user, userId }, { report, now }), ...later]
}

/** The row of the entry. Its place in the ledger is the last one of `subscription`. */
function entryOf(
  ids: ChangeDeps['ids'],
  { kind, amount, paymentId, note }: NewEntry,
  { balance }: SubscriptionFacts,
): BalanceEntry {
  if (!balance) throw new Error('a balance entry needs the balance that it changes')
  const { amount: balanceAfter, entries: sequence, since: createdAt } = balance
  const id = ids.next('ent', createdAt)
  const balanceBefore = balanceAfter - amount
  return { sequence, id, kind, amount, balanceBefore, balanceAfter, paymentId, note, createdAt }
}
