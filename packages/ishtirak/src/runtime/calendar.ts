// Time zones: months, days and times of day in a place. The rules of the zone come from Intl through
// Temporal; core has no zone data and is handed a `Calendar`.
import { Temporal } from 'temporal-polyfill'
import type { Instant } from '../core/instant.js'
import type { LimitWindow, QuotaWindowAt } from '../core/limit.js'
import type { Calendar } from '../core/subscription.js'
import { BoundedMap } from './bounded-map.js'

/** A calendar day in a zone, half open: `[startsAt, endsAt)`. With summer time it has 23 or 25 hours. */
interface CalendarDay {
  /** `YYYY-MM-DD` on the wall calendar of the zone. */
  readonly date: string
  readonly startsAt: Instant
  readonly endsAt: Instant
}

/** Each status asks for the ends of one paid run: 20 to 50 µs to compute, 0.1 µs to look up. About 2 MB. */
const REMEMBERED_MAX = 10_000

export function createCalendar(timeZone: string): Calendar {
  const remembered = new BoundedMap<string, Instant>(REMEMBERED_MAX)
  return {
    monthsAfter: (anchor, months) => {
      // Where a run begins: each payment has an instant of its own, which is not asked for again.
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

/** Today, and the ends of the month that is sold today: a booking asks for all of them, a deploy for one. */
const DAYS_REMEMBERED = 8

export function dayIn(timeZone: string): (instant: Instant) => CalendarDay {
  return keepingFew((instant) => dayOf(instant, timeZone))
}

/** Gives the day or month of an instant, in which a counter counts. */
export function quotaWindowsIn(timeZone: string): QuotaWindowAt {
  const windowOf = (instant: Instant, unit: LimitWindow) => {
    const day = inZone(instant, timeZone).startOfDay()
    const start = unit === 'day' ? day : day.with({ day: 1 }).startOfDay()
    // From the start each time: days and months are added on the wall calendar.
    const startAfter = (count: number) => start.add({ [`${unit}s`]: count }).startOfDay().epochMilliseconds
    return { startsAt: start.epochMilliseconds, endsAt: startAfter(1) }
  }
  const windows = {
    day: keepingFew((instant) => windowOf(instant, 'day')),
    month: keepingFew((instant) => windowOf(instant, 'month')),
  }
  return (unit, instant) => windows[unit](instant)
}

/** The last few are kept: all callers ask about the same days. */
function keepingFew<Span extends { readonly startsAt: Instant; readonly endsAt: Instant }>(
  compute: (instant: Instant) => Span,
): (instant: Instant) => Span {
  const remembered: Span[] = []
  return (instant) => {
    const known = remembered.find(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
    if (known) return known
    const span = compute(instant)
    remembered.unshift(span)
    remembered.length = Math.min(remembered.length, DAYS_REMEMBERED)
    return span
  }
}

function dayOf(instant: Instant, timeZone: string): CalendarDay {
  const start = inZone(instant, timeZone).startOfDay()
  return {
    date: start.toPlainDate().toString(),
    startsAt: start.epochMilliseconds,
    endsAt: start.add({ days: 1 }).startOfDay().epochMilliseconds,
  }
}

function inZone(instant: Instant, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone)
}

export interface WallClock {
  /** Its name in the IANA's list. */
  readonly timeZone: string
  /** `[from, to)` of a month written `YYYY-MM`; null: no month, or none in which anything was sold. */
  monthOf(text: string): { readonly from: Instant; readonly to: Instant } | null
  /** `[from, to)` of a day written `YYYY-MM-DD`; null where there is no such day. */
  dayOf(text: string): { readonly from: Instant; readonly to: Instant } | null
  startOfDay(instant: Instant): Instant
  /** `YYYY-MM-DD` */
  dayAt(instant: Instant): string
  /** `YYYY-MM` */
  monthAt(instant: Instant): string
  /** `YYYY-MM-DD hh:mm:ss` on the wall. */
  wallTime(instant: Instant): string
}

export function wallClockIn(timeZone: string): WallClock {
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds
  return {
    timeZone,
    monthOf: (text) => {
      // Databases know no year 0, and timestamps no year 10,000, in which the last month of 9999 ends.
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text) || text < '1970' || text >= '9999') return null
      const first = Temporal.PlainDate.from(`${text}-01`)
      return { from: startOf(first), to: startOf(first.add({ months: 1 })) }
    },
    dayOf: (text) => {
      if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1970' || text >= '9999') return null
      const first = dayNamed(text)
      if (!first) return null
      return { from: startOf(first), to: startOf(first.add({ days: 1 })) }
    },
    startOfDay: (instant) => inZone(instant, timeZone).startOfDay().epochMilliseconds,
    dayAt: (instant) => inZone(instant, timeZone).toPlainDate().toString(),
    monthAt: (instant) => inZone(instant, timeZone).toPlainDate().toPlainYearMonth().toString(),
    wallTime: (instant) => {
      const local = inZone(instant, timeZone)
      return `${local.toPlainDate()} ${local.toPlainTime().toString().slice(0, 8)}`
    },
  }
}

function dayNamed(text: string): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return null
  }
}
