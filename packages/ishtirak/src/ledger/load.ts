// The facts that operators decide on, and why they cannot be decided on as asked.
import { findRefundInstant } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { findPaymentWithUser } from './load.sql.js'
import type { CommonParts } from './parts.js'
import { findUser } from './users.sql.js'

export type LoadDeps = Pick<CommonParts, 'database'>

/** Throws `not_found`. */
export async function loadPayment({ database }: LoadDeps, paymentId: string) {
  const loaded = await findPaymentWithUser(database, paymentId)
  if (!loaded) throw new BillingError('not_found', { extra: { payment_id: paymentId } })
  return loaded
}

/** Throws `not_found`. */
export async function loadUser({ database }: LoadDeps, userId: string) {
  const user = await findUser(database, userId)
  if (!user) throw new BillingError('not_found', { extra: { user_id: userId } })
  return user
}

/** `already_refunded`, or `conflict` with the status that stands in the way. */
export async function refusalByStatus({ database }: LoadDeps, payment: Payment): Promise<BillingError> {
  const { userId, id: paymentId, status } = payment
  if (status !== 'refunded') return new BillingError('conflict', { extra: { payment_status: status } })
  const at = await findRefundInstant(database, { userId, paymentId })
  const since = at === null ? {} : { refunded_at: toTimestamp(at) }
  return new BillingError('already_refunded', { extra: { payment_status: status, ...since } })
}
