// Announces what time has done, to the platform and by mail: an end comes near, is reached, grace is over. A sweep that may
// be late, run in any number of processes or not at all: no access depends on it.
import { decideAnnouncement } from '../core/announcement.js'
import { describeEvent } from '../core/event.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { statusAt } from '../core/subscription.js'
import type { Parts } from '../payments/parts.js'
import { type DueUser, loadDueAnnouncements, saveAnnouncement } from './announce-time.sql.js'

/** Looks at up to `limit` users whose boundary has passed. Gives how many were told of. */
export async function announceTime(parts: Parts, limit: number): Promise<number> {
  const now = parts.clock.now()
  const due = await loadDueAnnouncements(parts.database, now, limit)
  let told = 0
  for (const one of due) told += (await announce(parts, one, now)) ? 1 : 0
  return told
}

/** Who is outrun leaves it: either another process has told it, or a payment has made it untrue. */
async function announce(parts: Parts, { userId, user, announced }: DueUser, now: Instant): Promise<boolean> {
  const { subscription: facts, version, eventSequence } = user
  const decision = decideAnnouncement(facts, announced, now, parts.terms)
  const { announcement } = decision
  const event = announcement && {
    id: parts.ids.next('evt', now),
    event: describeEvent(announcement.type, {
      userId,
      sequence: eventSequence + 1,
      subscription: statusAt(facts, now, parts.terms),
      payment: null,
      announcement,
      now,
    }),
    mail:
      facts.paidUntil === null ? null : { kind: announcement.boundary, about: toTimestamp(facts.paidUntil) },
  }
  const { announced: told, announceAt } = decision
  const saved = await saveAnnouncement(parts.database, {
    userId,
    version,
    event,
    announced: told,
    announceAt,
    now,
  })
  if (saved === 'outrun' || !announcement) return false
  const { boundary, skipped } = announcement
  if (skipped.length > 0) {
    parts.log.warn(
      { user_id: userId, boundary, skipped },
      'announced late: what was no longer true is left out',
    )
  }
  return true
}
