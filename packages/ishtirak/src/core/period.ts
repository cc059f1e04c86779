// Paid time, counted in calendar months. Each boundary is computed from the original anchor, never from the boundary
// before: bought on 31 January, the ends are 28 February, 31 March, 30 April. Polar and Lago both had to repair the other way.
import type { Instant } from './instant.js'

/** Calendar arithmetic in the billing time zone. Passed in, because zones are data and the core has none. */
export interface Calendar {
  /** `anchor` plus `months` calendar months, same wall-clock time, the day clamped to the month's last. */
  monthsAfter(anchor: Instant, months: number): Instant
}

/** Half open: `[start, end)`. */
export interface Period {
  readonly start: Instant
  readonly end: Instant
}

/** A run of paid periods without a gap: where it began, and how many months were bought in all. */
export interface PaidRun {
  readonly anchorAt: Instant
  readonly months: number
}

export function paidUntil(calendar: Calendar, run: PaidRun): Instant {
  return calendar.monthsAfter(run.anchorAt, run.months)
}

/** The run with `months` more. */
export function longer(run: PaidRun, months: number): PaidRun {
  return { ...run, months: run.months + months }
}

/** The period that `months` more add to the run. */
export function nextPeriod(calendar: Calendar, run: PaidRun, months: number): Period {
  return { start: paidUntil(calendar, run), end: paidUntil(calendar, longer(run, months)) }
}

export function contains(period: Period, instant: Instant): boolean {
  return period.start <= instant && instant < period.end
}
