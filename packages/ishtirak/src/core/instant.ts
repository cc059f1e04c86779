// A point in time and its text form. Core receives instants as values and never reads a clock.

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

export const SECOND: Instant = 1_000
export const MINUTE: Instant = 60 * SECOND
export const HOUR: Instant = 60 * MINUTE
export const DAY: Instant = 24 * HOUR

/** The end of the year 9999: the last instant that `toTimestamp` can write. */
export const LAST_INSTANT: Instant = Date.UTC(10_000, 0) - 1

/**
 * The tolerated clock skew between the provider's clock and ours. Clocks kept by NTP differ by less than a
 * second, others by minutes; more is a fault, and such an instant is not used.
 */
export const CLOCK_SKEW_MAX: Instant = 10 * MINUTE

/** Caches the days written last: `toISOString` takes 0.5 µs, and a page of payments has 100 instants. */
const writtenDays = new Map<number, string>()
const WRITTEN_DAYS_MAX = 1_000

/** `YYYY-MM-DDThh:mm:ssZ`, the one form of the API: UTC, with the fraction of a second cut off. */
export function toTimestamp(instant: Instant): string {
  const day = Math.floor(instant / DAY)
  let date = writtenDays.get(day)
  if (date === undefined) {
    date = new Date(day * DAY).toISOString().slice(0, 11)
    if (writtenDays.size >= WRITTEN_DAYS_MAX) writtenDays.clear()
    writtenDays.set(day, date)
  }
  const seconds = Math.floor((instant - day * DAY) / SECOND)
  const minutes = Math.floor(seconds / 60)
  const [hh, mm, ss] = [twoDigits[Math.floor(minutes / 60)], twoDigits[minutes % 60], twoDigits[seconds % 60]]
  return `${date}${hh}:${mm}:${ss}Z`
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

export function timestampOrNull(instant: Instant | null | undefined): string | null {
  return instant === null || instant === undefined ? null : toTimestamp(instant)
}
