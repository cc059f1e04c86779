// Announces what time has done, to the platform and by mail: an end comes near, is reached, grace is over. A
// sweep that may be late, run in any number of processes or not at all: no access depends on it.
import { decideAnnouncement } from '../core/announcement.js'
import { describeEvent } from '../core/event.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { statusAt } from '../core/subscription.js'
import { countEach } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { saveSettlement } from '../ledger/settle.sql.js'
import { type DueUser, loadDueAnnouncements } from '../ledger/users.sql.js'

export type AnnounceDeps = Pick<CommonParts, 'database' | 'clock' | 'ids' | 'rules' | 'log' | 'bookRenewals'>

/**
 * Looks at up to `limit` users whose boundary has passed. Gives how many were announced. One whose renewal
 * cannot be booked holds up no other: the first failure is thrown at the end.
 */
export async function announceTime(deps: AnnounceDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const due = await loadDueAnnouncements(deps.database, now, limit)
  return countEach(due, (one) => announce(deps, one, now))
}

/** With stale facts it is left: either another process has announced it, or a payment has made it untrue. */
async function announce(
  deps: AnnounceDeps,
  { userId, user, announced }: DueUser,
  now: Instant,
): Promise<boolean> {
  const { subscription: facts, version, eventSequence } = user
  if (await deps.bookRenewals(userId, user, now)) return false
  const decision = decideAnnouncement(facts, announced, now, deps.rules)
  const { announcement } = decision
  const event = announcement && {
    id: deps.ids.next('evt', now),
    event: describeEvent(announcement.type, {
      userId,
      sequence: eventSequence + 1,
      subscription: statusAt(facts, now, deps.rules),
      payment: null,
      announcement,
      now,
    }),
    mail:
      facts.paidUntil === null ? null : { kind: announcement.boundary, about: toTimestamp(facts.paidUntil) },
  }
  const saved = await saveSettlement(deps.database, {
    userId,
    version,
    payment: null,
    isNew: false,
    subscription: facts,
    received: null,
    events: event ? [event] : [],
    receipt: null,
    schedule: decision,
    now,
  })
  if (saved === 'stale' || !announcement) return false
  const { boundary, skipped } = announcement
  if (skipped.length > 0) {
    deps.log.warn(
      { user_id: userId, boundary, skipped },
      'announced late: what was no longer true is left out',
    )
  }
  return true
}
