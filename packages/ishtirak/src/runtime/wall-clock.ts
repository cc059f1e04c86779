// Months and times of day as an accountant in a place reads them. The rules of the zone come from Temporal.
import { Temporal } from 'temporal-polyfill'
import type { Instant } from '../core/instant.js'

export interface WallClock {
  /** `[from, to)` of a calendar month written `YYYY-MM`; null where it is no month, or none in which anything was sold. */
  monthOf(text: string): { readonly from: Instant; readonly to: Instant } | null
  /** `YYYY-MM-DD hh:mm:ss` on the wall. */
  wallTime(instant: Instant): string
}

export function wallClockIn(timeZone: string): WallClock {
  return {
    monthOf: (text) => {
      // Databases know no year 0, and timestamps no year 10,000, in which the last month of 9999 ends.
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text) || text < '1970' || text >= '9999') return null
      const first = Temporal.PlainDate.from(`${text}-01`)
      const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds
      return { from: startOf(first), to: startOf(first.add({ months: 1 })) }
    },
    wallTime: (instant) => {
      const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone)
      const [day, time] = [local.toPlainDate().toString(), local.toPlainTime().toString().slice(0, 8)]
      return `${day} ${time}`
    },
  }
}
