// QUOTA_TIMEZONE: the zone in which the days and months of counters begin.
import { settingsOf, timeZone } from '../runtime/environment.js'

export const limitSettings = settingsOf(
  { QUOTA_TIMEZONE: timeZone() },
  { read: ({ QUOTA_TIMEZONE: quotaTimeZone = 'Africa/Algiers' }) => ({ quotaTimeZone }) },
)
