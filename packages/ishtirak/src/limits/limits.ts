// What counted usage brings to the service.
import type { Capability } from '../acts/capability.js'
import { HOUR, MINUTE } from '../core/instant.js'
import { forgetLimitHistory, limitHistory, limitHistoryPart } from './history.js'
import type { OverviewDeps } from './overview.js'
import { limitPages } from './portal-part.js'
import { limitSettings } from './settings.js'
import { limitCalls } from './usage.call.js'
import { type CountUsageDeps, forgetOperations } from './usage.js'
import './words.js'

/** 800 consumes a second, day and night, are as many as a round forgets; a burst is caught up with later. */
const FORGOTTEN_A_ROUND = 50_000

export const limits: Capability<OverviewDeps & CountUsageDeps, { readonly quotaTimeZone: string }> = {
  name: 'limits',
  settings: limitSettings,
  calls: limitCalls,
  readings: limitHistory.readings,
  userParts: (deps) => [limitHistoryPart(deps)],
  jobs: (deps) => [
    {
      name: 'forget-limit-history',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => forgetLimitHistory(deps, FORGOTTEN_A_ROUND),
    },
    // From here on nothing waits for it. An operation on usage is remembered for 48 hours.
    {
      name: 'forget-operations',
      stage: 'tidy',
      everyMs: MINUTE,
      run: () => forgetOperations(deps, FORGOTTEN_A_ROUND),
    },
  ],
  portal: limitPages,
}
