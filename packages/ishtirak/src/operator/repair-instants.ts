// A clock that was ahead for a moment must not hold anything up once it is right. What is read again by itself ignores such
// an instant where it is read; what a sweep would not look at before that instant is brought back here (docs/clocks.md).
import { CLOCK_SKEW_MAX, DAY, HOUR } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import { wakeUsers } from '../events/deliver-events.sql.js'
import type { Clock } from '../runtime/clock.js'
import {
  repairAnnouncements,
  repairChecks,
  repairComparisons,
  repairDueMails,
  repairEventEndpoint,
  repairMails,
  repairPayments,
} from './repair-instants.sql.js'

/** The longest step between two looks is a day (`looksAfterMs` of a payment method). */
const CHECK_LONGEST_MS = DAY + CLOCK_SKEW_MAX
/** The longest step of an event is a day and a tenth (ATTEMPT_WAITS). */
const DELIVERY_LONGEST_MS = 27 * HOUR
/** The longest step of a mail is 8 hours (RETRY_STEPS). */
const MAIL_LONGEST_MS = 9 * HOUR

/** Brings back at most `limit` rows of each kind. Gives how many. */
export async function repairInstants(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  limit: number,
): Promise<number> {
  const now = clock.now()
  const later = (ms: number) => ({ now, writtenAtLatest: now + ms, limit })
  const ahead = later(CLOCK_SKEW_MAX)
  let repaired = 0
  repaired += await repairPayments(database, ahead)
  repaired += await repairChecks(database, later(CHECK_LONGEST_MS))
  repaired += await repairAnnouncements(database, ahead)
  repaired += await repairMails(database, ahead)
  repaired += await repairDueMails(database, later(MAIL_LONGEST_MS))
  repaired += await repairComparisons(database, ahead)
  repaired += await repairEventEndpoint(database, ahead)
  repaired += await wakeUsers(database, { now, longestLease: now + DELIVERY_LONGEST_MS, limit })
  return repaired
}
