// Counted usage as a capability: calls of the platform, portal parts, readings and jobs.
import type { Capability } from '../acts/capability.js'
import { DAY, HOUR, MINUTE } from '../core/instant.js'
import { inBatches } from '../runtime/async.js'
import { settingsOf, timeZone } from '../runtime/environment.js'
import { limitHistory, limitHistoryPart } from './history.js'
import type { OverviewDeps } from './overview.js'
import { limitPages } from './portal-usage.js'
import { forgetFullHours } from './refusals.sql.js'
import { limitCalls } from './usage.call.js'
import type { CountUsageDeps } from './usage.js'
import { forgetUsageOperations } from './usage.sql.js'

/** A round deletes as many as 800 consumes a second make. Later rounds catch up with a burst. */
const FORGOTTEN_A_ROUND = 50_000
/** Few enough to delay other work on the embedded database by some milliseconds only. */
const FORGOTTEN_AT_ONCE = 1_000
const HISTORY_KEPT = 30 * DAY
/** How long a repeated operation gets its first answer. The documentation promises it. */
const OPERATIONS_REMEMBERED = 48 * HOUR

const inRound = (forget: (most: number) => Promise<number>) =>
  inBatches(FORGOTTEN_A_ROUND, FORGOTTEN_AT_ONCE, forget)

export const limits: Capability<OverviewDeps & CountUsageDeps, { readonly quotaTimeZone: string }> = {
  name: 'limits',
  settings: settingsOf(
    // The zone in which the days and months of counters begin.
    { QUOTA_TIMEZONE: timeZone() },
    { read: ({ QUOTA_TIMEZONE: quotaTimeZone = 'Africa/Algiers' }) => ({ quotaTimeZone }) },
  ),
  calls: limitCalls,
  readings: limitHistory.readings,
  userParts: (deps) => [limitHistoryPart(deps)],
  jobs: ({ database, clock }) => [
    {
      name: 'forget-limit-history',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => inRound((most) => forgetFullHours(database, clock.now() - HISTORY_KEPT, most)),
    },
    {
      name: 'forget-operations',
      stage: 'tidy',
      everyMs: MINUTE,
      run: () =>
        inRound((most) => forgetUsageOperations(database, clock.now() - OPERATIONS_REMEMBERED, most)),
    },
  ],
  portal: limitPages,
}
