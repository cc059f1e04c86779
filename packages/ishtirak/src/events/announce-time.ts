// Announces to the platform and by mail that paid time ends soon, has ended, or that grace is over. This job
// may run late, in several processes or not at all: access does not depend on it.
import { type Announcement, decideAnnouncement } from '../core/announcement.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { countEach } from '../database/database.js'
import { type ChangeDeps, type Decided, tryChange } from '../ledger/change-user.js'
import { type DueUser, loadDueAnnouncements } from '../ledger/users.sql.js'

/** Returns how many were announced. The first failure is thrown after all users were tried. */
export async function announceTime(deps: ChangeDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const due = await loadDueAnnouncements(deps.database, now, limit)
  return countEach(due, (one) => announce(deps, one, now))
}

/** Does nothing if the facts are stale: another process has announced it, or a payment has made it untrue. */
async function announce(deps: ChangeDeps, { userId, user, announced }: DueUser, now: Instant) {
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
  const line = { user_id: userId, boundary, skipped }
  if (skipped.length > 0) deps.log.warn(line, 'announced late: what was no longer true is left out')
  return true
}
