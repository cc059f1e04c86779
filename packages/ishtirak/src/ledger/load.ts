// The facts that operators decide on, and why they cannot be decided on as asked.
import { findRefundInstant } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { findPaymentWithUser } from './load.sql.js'
import type { CommonParts } from './parts.js'
import { findUser } from './users.sql.js'

export type LoadDeps = Pick<CommonParts, 'database' | 'clock' | 'bookRenewals'>

/** As it stands in the database. Throws `not_found`. */
export async function requirePayment({ database }: Pick<LoadDeps, 'database'>, paymentId: string) {
  const loaded = await findPaymentWithUser(database, paymentId)
  if (!loaded) throw new BillingError('not_found', { extra: { payment_id: paymentId } })
  return loaded
}

/** As it stands in the database. Throws `not_found`. */
export async function requireUser({ database }: Pick<LoadDeps, 'database'>, userId: string) {
  const user = await findUser(database, userId)
  if (!user) throw new BillingError('not_found', { extra: { user_id: userId } })
  return user
}

/** What the user's balance has bought by now is written down. False: nothing was due, or there is no user. */
export async function bookDue({ database, clock, bookRenewals }: LoadDeps, userId: string): Promise<boolean> {
  const user = await findUser(database, userId)
  return user ? bookRenewals(userId, user, clock.now()) : false
}

/** To decide on: what the user's balance has bought is written down before. Throws `not_found`. */
export async function loadPayment(deps: LoadDeps, paymentId: string) {
  const loaded = await requirePayment(deps, paymentId)
  const isNews = await deps.bookRenewals(loaded.payment.userId, loaded.user, deps.clock.now())
  return isNews ? requirePayment(deps, paymentId) : loaded
}

/** The same of a user. Throws `not_found`. */
export async function loadUser(deps: LoadDeps, userId: string) {
  const user = await requireUser(deps, userId)
  return (await deps.bookRenewals(userId, user, deps.clock.now())) ? requireUser(deps, userId) : user
}

/** `already_refunded`, or `conflict` with the status that stands in the way. */
export async function refusalByStatus(
  { database }: Pick<LoadDeps, 'database'>,
  payment: Payment,
): Promise<BillingError> {
  const { userId, id: paymentId, status } = payment
  if (status !== 'refunded') return new BillingError('conflict', { extra: { payment_status: status } })
  const at = await findRefundInstant(database, { userId, paymentId })
  const since = at === null ? {} : { refunded_at: toTimestamp(at) }
  return new BillingError('already_refunded', { extra: { payment_status: status, ...since } })
}
