// What waits for a person: each entry with the one act that comes next.

import { type AuditDeps, auditEntry, type By, orRecordRefusal, requireUnchanged } from '../acts/audit.sql.js'
import { pageCursor } from '../acts/page.js'
import { BillingError } from '../core/error.js'
import { requireRole } from '../core/role.js'
import type { Queryable } from '../database/database.js'
import { loadPayment } from '../ledger/load.js'
import type { Clock } from '../runtime/clock.js'
import { type PaymentFile, showPayment } from './acts.js'
import {
  INBOX_KINDS,
  type InboxKind,
  type InboxPosition,
  inboxCounts,
  inboxPage,
  keepSecondPayment,
} from './inbox.sql.js'
import { withNextAct } from './next-act.js'

export interface InboxDeps {
  readonly database: Queryable
  readonly clock: Clock
}

const cursor = pageCursor<InboxPosition>(
  ({ kind, since, id }) => [INBOX_KINDS.indexOf(kind), since, id],
  read,
)

function read([rank, since, id]: readonly (string | number)[]): InboxPosition | null {
  const kind = INBOX_KINDS[Number(rank)]
  return kind && typeof since === 'number' && typeof id === 'string' ? { kind, since, id } : null
}

/** Kind by kind, and of each what waits longest first. Throws `invalid_cursor`. */
export async function readInbox(
  { database, clock }: InboxDeps,
  of: { readonly kind: InboxKind | null; readonly cursor: string | null; readonly limit: number },
) {
  const { kind, limit } = of
  const after = of.cursor === null ? null : cursor.decode(of.cursor)
  const now = clock.now()
  const [rows, counts] = await Promise.all([
    inboxPage(database, { kind, after, limit: limit + 1, now }),
    inboxCounts(database, now),
  ])
  const { items, nextCursor } = cursor.pageOf(rows, limit)
  return { counts, entries: items.map(withNextAct), nextCursor }
}

/**
 * A second payment is to stay: it waits no more. Throws `not_found`, or `conflict` where the payment is no second one, is not
 * paid or is kept already.
 */
export async function keepPayment(deps: AuditDeps, paymentId: string, by: By): Promise<PaymentFile> {
  requireRole(by.operator, 'payment.keep')
  const { payment, user } = await loadPayment(deps, paymentId)
  requireUnchanged(by, user.version)
  const now = deps.clock.now()
  const { userId, status } = payment
  const act = { ...by, act: 'payment.keep' } as const
  const audit = auditEntry(deps.ids, act, { paymentId, before: { status }, after: { status }, now })
  await orRecordRefusal(deps, act, { userId, paymentId }, async () => {
    if (await keepSecondPayment(deps.database, payment, audit, now)) return
    throw new BillingError('conflict', { extra: { payment_status: status } })
  })
  return showPayment(deps, paymentId)
}
