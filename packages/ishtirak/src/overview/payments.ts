// Payments of all users, newest first, page by page.
import type { Static } from 'typebox'
import { pageCursor } from '../acts/paging.js'
import type { Payment } from '../core/payment.js'
import type { Database } from '../database/database.js'
import type { HistoryPosition } from '../ledger/payments.sql.js'
import type { Clock } from '../runtime/clock.js'
import { newestPayments } from './payments.sql.js'
import type { OperatorPaymentsQuerySchema } from './schemas.js'

const cursors = pageCursor<HistoryPosition>(
  ({ createdAt, id }) => [createdAt, id],
  ([createdAt, id]) => (typeof createdAt === 'number' && typeof id === 'string' ? { createdAt, id } : null),
)

/** Throws `invalid_cursor`. */
export async function listAllPayments(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  query: Static<typeof OperatorPaymentsQuerySchema>,
): Promise<{ readonly payments: readonly Payment[]; readonly nextCursor: string | null }> {
  const { status = null, method: kind = null, user_id: userId = null, cursor, limit = 50 } = query
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const wanted = { status, kind, userId, after, limit: limit + 1 }
  const found = await newestPayments(database, wanted, clock.now())
  const { items: payments, nextCursor } = cursors.pageOf(found, limit)
  return { payments, nextCursor }
}
