// The operator's look at one user, and the end of his access (fraud).
import { BillingError } from '../core/error.js'
import type { Payment } from '../core/payment.js'
import { decideEnd } from '../core/refund.js'
import { type Subscription, statusAt } from '../core/subscription.js'
import { actsOnUser, type RecordedAct } from '../payments/audit.sql.js'
import type { Parts } from '../payments/parts.js'
import { saveByHand } from '../payments/save.js'
import { findUser, newestPayments, type UserRow } from './operator.sql.js'
import type { By } from './payments.js'

export interface UserFile {
  readonly user: UserRow
  readonly subscription: Subscription
  /** The newest ones. */
  readonly payments: readonly Payment[]
  /** Newest first. */
  readonly acts: readonly RecordedAct[]
}

/** What fits on a screen; the rest is read with `payments list --user`. */
const SHOWN_MAX = 50

/** Throws `not_found`. */
export async function showUser(parts: Parts, userId: string): Promise<UserFile> {
  const now = parts.clock.now()
  const user = await load(parts, userId)
  const wanted = { userId, status: null, limit: SHOWN_MAX }
  return {
    user,
    subscription: statusAt(user.subscription, now, parts.terms),
    payments: await newestPayments(parts.database, wanted, now),
    acts: await actsOnUser(parts.database, userId, SHOWN_MAX),
  }
}

/** Ends his access now. What he paid stays paid. Throws `not_found`, or `conflict` when there is no access to end. */
export async function endUser(parts: Parts, userId: string, by: By): Promise<UserFile> {
  await saveByHand(parts, { ...by, act: 'user.end' }, async (now) => {
    const user = await load(parts, userId)
    const after = decideEnd(user.subscription, now, parts.terms)
    if (!after) throw new BillingError('conflict')
    return { userId, user, payment: null, after }
  })
  return showUser(parts, userId)
}

async function load(parts: Parts, userId: string): Promise<UserRow> {
  const user = await findUser(parts.database, userId)
  if (!user) throw new BillingError('not_found', { extra: { user_id: userId } })
  return user
}
