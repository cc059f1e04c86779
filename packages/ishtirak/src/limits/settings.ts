// QUOTA_TIMEZONE: in which zone a day or a month of a counter is one.
import { settingsOf, timeZone } from '../runtime/environment.js'

export const limitSettings = settingsOf(
  { QUOTA_TIMEZONE: timeZone() },
  { read: ({ QUOTA_TIMEZONE: quotaTimeZone = 'Africa/Algiers' }) => ({ quotaTimeZone }) },
)
