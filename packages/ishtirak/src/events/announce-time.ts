// Announces what time has done, to the platform and by mail: an end comes near, is reached, grace is over. A
// sweep that may be late, run in any number of processes or not at all: no access depends on it.
import { type Announcement, decideAnnouncement } from '../core/announcement.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { countEach } from '../database/database.js'
import { type ChangeDeps, type Decided, tryChange } from '../ledger/change-user.js'
import { type DueUser, loadDueAnnouncements } from '../ledger/users.sql.js'

/**
 * Looks at up to `limit` users whose boundary has passed. Gives how many were announced. One whose renewal
 * cannot be booked holds up no other: the first failure is thrown at the end.
 */
export async function announceTime(deps: ChangeDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const due = await loadDueAnnouncements(deps.database, now, limit)
  return countEach(due, (one) => announce(deps, one, now))
}

/** With stale facts it is left: either another process has announced it, or a payment has made it untrue. */
async function announce(
  deps: ChangeDeps,
  { userId, user, announced }: DueUser,
  now: Instant,
): Promise<boolean> {
  const announcement = await tryChange(deps, { userId, user }, { now }, (): Decided<Announcement | null> => {
    const { paidUntil } = user.subscription
    const schedule = decideAnnouncement(user.subscription, announced, now, deps.rules)
    const { announcement } = schedule
    if (!announcement || paidUntil === null)
      return { revision: { schedule, events: [] }, result: announcement }
    const mail = { kind: announcement.boundary, about: toTimestamp(paidUntil) }
    return { revision: { schedule, events: [announcement.type], mail }, result: announcement }
  })
  if (announcement === null || typeof announcement === 'string') return false
  const { boundary, skipped } = announcement
  if (skipped.length > 0) {
    deps.log.warn(
      { user_id: userId, boundary, skipped },
      'announced late: what was no longer true is left out',
    )
  }
  return true
}
