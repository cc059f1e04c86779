// Loads the facts for operators' decisions, and says why a payment cannot be decided on as asked.
import { findRefundInstant } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { bookRenewals, type ChangeDeps } from './change-user.js'
import { findPaymentWithUser, findUser } from './users.sql.js'

type OfDatabase = Pick<ChangeDeps, 'database'>

/** The payment as the database has it. Throws `not_found`. */
export async function requirePayment({ database }: OfDatabase, paymentId: string) {
  const loaded = await findPaymentWithUser(database, paymentId)
  if (!loaded) throw new BillingError('not_found', { extra: { payment_id: paymentId } })
  return loaded
}

export async function requireUser({ database }: OfDatabase, userId: string) {
  return known(await findUser(database, userId), userId)
}

function known<User>(user: User | null, userId: string): User {
  if (!user) throw new BillingError('not_found', { extra: { user_id: userId } })
  return user
}

/** Stores first what the user's balance has bought by now. Null: the user is unknown. */
export async function findCurrentUser(deps: ChangeDeps, userId: string) {
  const user = await findUser(deps.database, userId)
  const isStale = user && (await bookRenewals(deps, { userId, user }, deps.clock.now()))
  return isStale ? findUser(deps.database, userId) : user
}

export async function loadUser(deps: ChangeDeps, userId: string) {
  return known(await findCurrentUser(deps, userId), userId)
}

/** Stores first what the balance has bought, then loads the payment with its user. Throws `not_found`. */
export async function loadPayment(deps: ChangeDeps, paymentId: string) {
  const loaded = await requirePayment(deps, paymentId)
  const { userId } = loaded.payment
  const isStale = await bookRenewals(deps, { userId, user: loaded.user }, deps.clock.now())
  return { userId, ...(isStale ? await requirePayment(deps, paymentId) : loaded) }
}

/** `already_refunded`, or `conflict` with the status that prevents the act. */
export async function refusalByStatus({ database }: OfDatabase, payment: Payment): Promise<BillingError> {
  const { userId, id: paymentId, status } = payment
  if (status !== 'refunded') return new BillingError('conflict', { extra: { payment_status: status } })
  const at = await findRefundInstant(database, { userId, paymentId })
  const since = at === null ? {} : { refunded_at: toTimestamp(at) }
  return new BillingError('already_refunded', { extra: { payment_status: status, ...since } })
}
