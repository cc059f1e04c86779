// "What am I?": computed from stored facts and the clock at each read. No job has to have run.
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import type { Parts } from './parts.js'
import type { RefreshOpen } from './refresh-open.js'
import type { LoadUser } from './users.sql.js'

export async function readStatus(
  parts: Parts,
  readers: { readonly loadUser: LoadUser; readonly refreshOpen: RefreshOpen },
  userId: string,
  requestId?: string,
): Promise<Subscription> {
  const { loadUser, refreshOpen } = readers
  let loaded = await loadUser(userId)
  if (loaded && (await refreshOpen(loaded.open, requestId))) {
    loaded = await loadUser(userId)
  }
  return statusAt(loaded?.user.subscription ?? NEVER_PAID, parts.clock.now(), parts.terms)
}
