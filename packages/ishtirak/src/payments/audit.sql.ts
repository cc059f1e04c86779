// The audit trail: who did what, when and why, with what was before and after. Rows are added with the act they tell of
// and never again touched: the database refuses both (0002_operator.sql).
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instantOrNull } from '../database/rows.js'

export interface AuditEntry {
  readonly id: string
  /** The operator's name, from the key or from the command line. */
  readonly actor: string
  /** `payment.refund`, `user.end`, … */
  readonly act: string
  readonly reason: string | null
  readonly paymentId: string | null
  readonly before: unknown
  readonly after: unknown
}

/** For the one statement that saves an act together with what it changes. */
export function auditToColumns(entry: AuditEntry) {
  const { paymentId, ...same } = entry
  return { ...same, payment_id: paymentId }
}

const insert = statement(
  'audit.insert',
  `insert into audit (user_id, id, acted_at, actor, act, reason, payment_id, before, after)
   values ($1, $2, $3::timestamptz, $4, $5, $6, $7, $8::jsonb, $9::jsonb)`,
)

export async function insertAct(
  database: Queryable,
  entry: AuditEntry & { readonly userId: string; readonly now: Instant },
): Promise<void> {
  await database.query(insert, [
    entry.userId,
    entry.id,
    at(entry.now),
    entry.actor,
    entry.act,
    entry.reason,
    entry.paymentId,
    JSON.stringify(entry.before),
    JSON.stringify(entry.after),
  ])
}

const selectRefund = statement(
  'audit.refund',
  `select max(acted_at) as refunded_at from audit
    where user_id = $1 and payment_id = $2 and act = 'payment.refund'`,
)

/** When the refund of a payment was recorded; null: never. */
export async function findRefundInstant(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string },
): Promise<Instant | null> {
  const [row] = await database.query(selectRefund, [of.userId, of.paymentId])
  return row ? instantOrNull(row, 'refunded_at') : null
}
