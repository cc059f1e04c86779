// Time zones: months, days and times of day in a place. Temporal gets the rules of the zone from Intl. Core
// has no zone data and receives a `Calendar`.
import { Temporal } from 'temporal-polyfill'
import type { Instant } from '../core/instant.js'
import type { LimitWindow, QuotaWindowAt } from '../core/limit.js'
import type { Calendar } from '../core/subscription.js'
import { BoundedMap } from './bounded-map.js'

/** Each status reads the ends of one paid run: computing takes 20 to 50 µs, the cache 0.1 µs. About 2 MB. */
const REMEMBERED_MAX = 10_000

export function createCalendar(timeZone: string): Calendar {
  const remembered = new BoundedMap<string, Instant>(REMEMBERED_MAX)
  return {
    monthsAfter: (anchor, months) => {
      // The start of a run is not cached: each payment has an instant of its own.
      if (months === 0) return anchor
      const question = `${anchor}+${months}`
      const known = remembered.get(question)
      if (known !== undefined) return known
      // 'constrain' is the clamping: 31 January plus one month is the last day of February.
      const end = inZone(anchor, timeZone).add({ months }, { overflow: 'constrain' }).epochMilliseconds
      remembered.set(question, end)
      return end
    },
  }
}

/** Today and the ends of the month that is sold today: a booking reads all of them, a deploy one. */
const DAYS_REMEMBERED = 8

/** The calendar day of an instant, half open: `[startsAt, endsAt)`. Summer time makes 23 or 25 hours. */
export const dayIn = (timeZone: string) => spansIn(timeZone, 'day')

/** Returns the day or month that an instant lies in, for counters. */
export function quotaWindowsIn(timeZone: string): QuotaWindowAt {
  const windows = { day: spansIn(timeZone, 'day'), month: spansIn(timeZone, 'month') }
  return (unit, instant) => windows[unit](instant)
}

/** Keeps the last few, because all callers ask about the same days. */
function spansIn(timeZone: string, unit: LimitWindow) {
  const remembered: ReturnType<typeof spanAt>[] = []
  return (instant: Instant) => {
    const known = remembered.find(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
    if (known) return known
    const span = spanAt(inZone(instant, timeZone).startOfDay(), unit)
    remembered.unshift(span)
    remembered.length = Math.min(remembered.length, DAYS_REMEMBERED)
    return span
  }
}

function spanAt(day: Temporal.ZonedDateTime, unit: LimitWindow) {
  const start = unit === 'day' ? day : day.with({ day: 1 }).startOfDay()
  const end = start.add({ [`${unit}s`]: 1 }).startOfDay()
  // `YYYY-MM-DD` of the first day, in the zone.
  const date = start.toPlainDate().toString()
  return { date, startsAt: start.epochMilliseconds, endsAt: end.epochMilliseconds }
}

function inZone(instant: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone)
}

export type WallClock = ReturnType<typeof wallClockIn>

export function wallClockIn(timeZone: string) {
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds
  const spanFrom = (day: string, length: Temporal.DurationLike) => {
    // Databases have no year 0, and timestamps no year 10,000, in which the last month of 9999 ends.
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || day < '1970' || day >= '9999') return null
    try {
      const first = Temporal.PlainDate.from(day)
      return { from: startOf(first), to: startOf(first.add(length)) }
    } catch {
      return null
    }
  }
  return {
    /** The zone's IANA name. */
    timeZone,
    /** `[from, to)` of a month `YYYY-MM`; null: not a month, or one in which nothing can have been sold. */
    monthOf: (text: string) => spanFrom(`${text}-01`, { months: 1 }),
    /** `[from, to)` of a day `YYYY-MM-DD`; null: no such day. */
    dayOf: (text: string) => spanFrom(text, { days: 1 }),
    startOfDay: (instant: Instant): Instant => inZone(instant, timeZone).startOfDay().epochMilliseconds,
    /** `YYYY-MM-DD` */
    dayAt: (instant: Instant) => inZone(instant, timeZone).toPlainDate().toString(),
    /** `YYYY-MM` */
    monthAt: (instant: Instant) => inZone(instant, timeZone).toPlainDate().toPlainYearMonth().toString(),
    /** `YYYY-MM-DD hh:mm:ss` in local time. */
    wallTime: (instant: Instant) => {
      const local = inZone(instant, timeZone)
      return `${local.toPlainDate()} ${local.toPlainTime().toString().slice(0, 8)}`
    },
  }
}
