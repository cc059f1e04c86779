// Time zones: months and days as people in a place count them. The rules of the zone come from Intl through Temporal;
// the domain has no zone data and is handed a `Calendar`.
import { Temporal } from 'temporal-polyfill'
import type { Instant } from '../core/instant.js'
import type { Calendar } from '../core/period.js'
import { BoundedMap } from './bounded-map.js'

/** One calendar day in a zone, half open: `[startsAt, endsAt)`. With summer time it may last 23 or 25 hours. */
export interface CalendarDay {
  /** `YYYY-MM-DD` on the wall calendar of the zone. */
  readonly date: string
  readonly startsAt: Instant
  readonly endsAt: Instant
}

/** Each status asks for the ends of one paid run, over and over: 20 to 50 µs to compute, 0.1 µs to look up. About 2 MB. */
const REMEMBERED_MAX = 10_000

export function createCalendar(timeZone: string): Calendar {
  const remembered = new BoundedMap<string, Instant>(REMEMBERED_MAX)
  return {
    monthsAfter: (anchor, months) => {
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

/** Gives the day of an instant. The last few are kept: everybody asks about the same days. */
export function dayIn(timeZone: string): (instant: Instant) => CalendarDay {
  const remembered: CalendarDay[] = []
  return (instant) => {
    const known = remembered.find(({ startsAt, endsAt }) => startsAt <= instant && instant < endsAt)
    if (known) return known
    const day = dayOf(instant, timeZone)
    remembered.unshift(day)
    remembered.length = Math.min(remembered.length, DAYS_REMEMBERED)
    return day
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
