// Paid months. The k-th boundary is always computed from the original anchor, never from the previous boundary:
// bought on 31 January, the ends are 28 February, 31 March, 30 April. Polar and Lago both had to repair the other way.
import type { Instant } from './instant.js'

/** Calendar arithmetic in the billing time zone. It is handed in, because zones are data and the domain has none. */
export interface Calendar {
  /** `anchor` plus `months` calendar months, same wall-clock time, the day clamped to the month's last. */
  monthsAfter(anchor: Instant, months: number): Instant
}

/** Half open: `[start, end)`. */
export interface Period {
  readonly start: Instant
  readonly end: Instant
}

/** A run of paid months without a gap: where it began and how many were bought. */
export interface PaidRun {
  readonly anchorAt: Instant
  readonly months: number
}

export function paidUntil(calendar: Calendar, run: PaidRun): Instant {
  return calendar.monthsAfter(run.anchorAt, run.months)
}

/** The month that one more payment adds to the run. */
export function nextPeriod(calendar: Calendar, run: PaidRun): Period {
  return { start: paidUntil(calendar, run), end: calendar.monthsAfter(run.anchorAt, run.months + 1) }
}

export function contains(period: Period, instant: Instant): boolean {
  return period.start <= instant && instant < period.end
}
