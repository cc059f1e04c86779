// Reads the file of a payment or a user: everything that the service knows of it.

import { type LoadedParts, loadParts } from '../acts/file-parts.js'
import type { Payment } from '../core/payment.js'
import { statusAt } from '../core/subscription.js'
import { loadUser, requirePayment } from '../ledger/load.js'
import { newestPayments } from '../ledger/payment-list.sql.js'
import { readTimeLists } from '../ledger/time-list.sql.js'
import { actsOnUser } from '../ledger/user-acts.sql.js'
import type { UserRecord } from '../ledger/users.sql.js'
import type { ReadDeps } from './all-pages.js'
import { withNextAct } from './inbox.js'
import { inboxOfUser } from './inbox.sql.js'
import { tracesOf } from './payments.sql.js'

/** As many as a screen shows. The user's timeline has the rest. */
const SHOWN_MAX = 50

export type PaymentFile = {
  readonly payment: Payment
  readonly user: Pick<UserRecord, 'name' | 'email'>
  readonly parts: LoadedParts
} & Awaited<ReturnType<typeof tracesOf>>

/** Throws `not_found`. */
export async function showPayment(deps: ReadDeps, paymentId: string): Promise<PaymentFile> {
  const { payment, user } = await requirePayment(deps, paymentId)
  const [traces, parts] = await Promise.all([
    tracesOf(deps.database, payment, SHOWN_MAX),
    loadParts(deps.fileParts.payment, payment),
  ])
  return { payment, user, parts, ...traces }
}

export type UserFile = Awaited<ReturnType<typeof showUser>>

/** Throws `not_found`. */
export async function showUser(deps: ReadDeps, userId: string) {
  const now = deps.clock.now()
  const user = await loadUser(deps, userId)
  const wanted = { userId, status: null, method: null, since: null, after: null, limit: SHOWN_MAX }
  const waiting = await inboxOfUser(deps.database, deps.inbox, { userId, limit: SHOWN_MAX, now })
  return {
    user,
    subscription: statusAt(user.subscription, now, deps.rules),
    waiting: waiting.map(withNextAct),
    time: (await readTimeLists(deps.database, [userId])).flat(),
    payments: await newestPayments(deps.database, wanted, now),
    parts: await loadParts(deps.fileParts.user, { userId }),
    audit: await actsOnUser(deps.database, userId, SHOWN_MAX),
  }
}
