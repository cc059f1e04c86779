// One user as the operator sees them, and the end of their access (fraud).
import { BillingError } from '../core/error.js'
import { decideEnd } from '../core/refund.js'
import { statusAt } from '../core/subscription.js'
import type { By } from '../payments/audit.js'
import { type SaveDeps, saveByHand } from '../payments/save.js'
import { actsOnUser, findUser, newestPayments } from './operator.sql.js'

/** Everything known of one user: the newest payments and acts. */
export type UserFile = Awaited<ReturnType<typeof showUser>>

/** What fits on a screen; the rest is read with `payments list --user`. */
const SHOWN_MAX = 50

/** Throws `not_found`. */
export async function showUser(deps: SaveDeps, userId: string) {
  const now = deps.clock.now()
  const user = await load(deps, userId)
  const wanted = { userId, status: null, limit: SHOWN_MAX }
  return {
    user,
    subscription: statusAt(user.subscription, now, deps.rules),
    payments: await newestPayments(deps.database, wanted, now),
    audit: await actsOnUser(deps.database, userId, SHOWN_MAX),
  }
}

/** Ends their access now. What was paid stays paid. Throws `not_found`, or `conflict` when there is no access to end. */
export async function endUser(deps: SaveDeps, userId: string, by: By): Promise<UserFile> {
  await saveByHand(deps, { ...by, act: 'user.end' }, async (now) => {
    const user = await load(deps, userId)
    const after = decideEnd(user.subscription, now, deps.rules)
    if (!after) throw new BillingError('conflict')
    return { userId, user, payment: null, after }
  })
  return showUser(deps, userId)
}

async function load({ database }: Pick<SaveDeps, 'database'>, userId: string) {
  const user = await findUser(database, userId)
  if (!user) throw new BillingError('not_found', { extra: { user_id: userId } })
  return user
}
