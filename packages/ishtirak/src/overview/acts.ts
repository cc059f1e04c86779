// Everything known of a payment, and of a user.

import type { Payment } from '../core/payment.js'
import { statusAt } from '../core/subscription.js'
import type { Proof, Transfer } from '../core/transfer.js'
import type { Queryable } from '../database/database.js'
import { grantsOfUser } from '../ledger/grants.sql.js'
import { readHeldTimes } from '../ledger/held-time.sql.js'
import { loadPayment, loadUser } from '../ledger/load.js'
import type { SaveDeps } from '../ledger/save.js'
import { actsOnUser } from '../ledger/trail.sql.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { listProofs } from '../transfers/proof.sql.js'
import { findTransfer } from '../transfers/transfers.sql.js'
import { inboxOfUser } from './inbox.sql.js'
import { withNextAct } from './next-act.js'
import { newestPayments, tracesOf } from './operator.sql.js'

/** What fits on a screen; the rest is in the user's timeline. */
const SHOWN_MAX = 50

/** Everything known of one payment, with the newest acts. */
export type PaymentFile = {
  readonly payment: Payment
  readonly user: Pick<UserRecord, 'name' | 'email'>
  /** What operators said of it; null: the provider says whether it is paid. */
  readonly transfer: Transfer | null
  readonly proofs: readonly Proof[]
} & Awaited<ReturnType<typeof tracesOf>>

interface ReadDeps {
  readonly database: Queryable
}

/** Throws `not_found`. */
export async function showPayment(deps: ReadDeps, paymentId: string): Promise<PaymentFile> {
  const { payment, user } = await loadPayment(deps, paymentId)
  const { userId } = payment
  const [traces, stored, proofs] = await Promise.all([
    tracesOf(deps.database, payment, SHOWN_MAX),
    findTransfer(deps.database, { userId, paymentId }),
    listProofs(deps.database, { userId, paymentId }),
  ])
  return { payment, user, transfer: stored?.transfer ?? null, proofs, ...traces }
}

/** Everything known of one user: the newest payments, grants and acts. */
export type UserFile = Awaited<ReturnType<typeof showUser>>

/** Throws `not_found`. */
export async function showUser(deps: SaveDeps, userId: string) {
  const now = deps.clock.now()
  const user = await loadUser(deps, userId)
  const wanted = { userId, status: null, way: null, after: null, limit: SHOWN_MAX }
  const waiting = await inboxOfUser(deps.database, { userId, limit: SHOWN_MAX, now })
  return {
    user,
    subscription: statusAt(user.subscription, now, deps.rules),
    waiting: waiting.map(withNextAct),
    time: (await readHeldTimes(deps.database, [userId])).flat(),
    payments: await newestPayments(deps.database, wanted, now),
    grants: await grantsOfUser(deps.database, userId, SHOWN_MAX),
    audit: await actsOnUser(deps.database, userId, SHOWN_MAX),
  }
}
