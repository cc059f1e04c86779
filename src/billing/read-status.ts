// "What am I?": computed from stored facts and the clock at each read. No job has to have run.
import { NEVER_PAID, type Subscription, statusAt } from '../domain/subscription.js'
import type { LoadUser } from '../store/users.js'
import type { Parts } from './parts.js'
import type { RefreshNewest } from './refresh-newest.js'

export async function readStatus(
  parts: Parts,
  readers: { readonly loadUser: LoadUser; readonly refreshNewest: RefreshNewest },
  userId: string,
): Promise<Subscription> {
  const { loadUser, refreshNewest } = readers
  let loaded = await loadUser(userId)
  if (loaded && (await refreshNewest(loaded.newest))) {
    loaded = await loadUser(userId)
  }
  return statusAt(loaded?.user.subscription ?? NEVER_PAID, parts.clock.now(), parts.terms)
}
