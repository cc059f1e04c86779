// The payments of a user, newest first, in pages that skip and repeat nothing; and one of them.
import { BillingError } from '../core/error.js'
import { isOpen, type Payment } from '../core/payment.js'
import { paymentCursors } from '../ledger/payment-list.js'
import type { ListPayments } from '../ledger/payments.sql.js'
import { refreshOpen, type StatusDeps } from './status.js'

export interface HistoryDeps extends StatusDeps {
  readonly listPayments: ListPayments
}

type Asked = Pick<Parameters<ListPayments>[0], 'userId' | 'limit' | 'status'>

/** Throws `invalid_cursor`. */
export async function readHistory(
  deps: HistoryDeps,
  { userId, limit, status, cursor, requestId }: Asked & { cursor: string | null; requestId?: string },
) {
  const after = cursor === null ? null : paymentCursors.decode(cursor)
  let now = deps.clock.now()
  // One more than asked for shows whether there is another page, without a count.
  const list = () => deps.listPayments({ userId, after, status, now, limit: limit + 1 })
  let found = await list()
  // An open payment can change this page only if it is on it or its new status is asked for.
  const mayChange = after === null && (status !== null || found.some(isOpen))
  const loaded = mayChange ? await deps.loadUser(userId) : null
  if (await refreshOpen(deps, loaded?.open ?? null, requestId)) {
    now = deps.clock.now()
    found = await list()
  }
  const { items: payments, nextCursor } = paymentCursors.pageOf(found, limit)
  // `nextCursor` is null on the last page. The statuses are those at `now`.
  return { payments, nextCursor, now }
}

/** Throws `not_found`. */
export async function refreshed(deps: StatusDeps, find: () => Promise<Payment | null>, requestId?: string) {
  let payment = await find()
  if (payment && (await refreshOpen(deps, payment, requestId))) payment = await find()
  if (!payment) throw new BillingError('not_found')
  return { payment, now: deps.clock.now() }
}
