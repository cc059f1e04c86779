// Days and instants that operators give, and the time between two of them: schemas and readers.
import { Type } from 'typebox'
import { wrongField } from '../core/error.js'
import { type Instant, LAST_INSTANT, toTimestamp } from '../core/instant.js'
import type { WallClock } from '../runtime/calendar.js'

export const DAY_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}$`
const DAY_OR_INSTANT_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$`

export function dayOrInstantSchema(description: string) {
  return Type.String({
    pattern: DAY_OR_INSTANT_PATTERN,
    description: `${description}: a day in BILLING_TIMEZONE, or an instant in UTC`,
    examples: ['2026-11-01'],
  })
}

/** Reads a text that fits the schema. A day is its midnight. Throws `validation_failed`. */
export function readInstant({ dayOf }: Pick<WallClock, 'dayOf'>, field: string, text: string): Instant {
  const at = Date.parse(text)
  // 31 February is no day, although the language takes it for 3 March.
  if (Number.isNaN(at) || !toTimestamp(at).startsWith(text)) throw wrongField(field, 'wrong_format')
  // Nothing was sold before 1970, and the database has no year 0.
  if (at < 0) throw wrongField(field, 'too_small', '1970-01-01')
  return dayOf(text)?.from ?? at
}

/** The time from `from` until before `to`. */
export interface TimeSpan {
  readonly from: Instant
  readonly to: Instant
}

type Ends<Name extends string> = { readonly [End in `${Name}_from` | `${Name}_until`]?: string | undefined }

/** A day counts as a whole; an absent end is no bound, and null: both are. Throws `validation_failed`. */
export function spanIn<Name extends string>(
  wallClock: WallClock,
  filter: Ends<Name>,
  name: Name,
): TimeSpan | null {
  const first: string | undefined = filter[`${name}_from`]
  const last: string | undefined = filter[`${name}_until`]
  if (first === undefined && last === undefined) return null
  const from = first === undefined ? 0 : readInstant(wallClock, `${name}_from`, first)
  const end = last === undefined ? LAST_INSTANT : readInstant(wallClock, `${name}_until`, last)
  const to = (last !== undefined && wallClock.dayOf(last)?.to) || end
  if (to <= from) throw wrongField(`${name}_until`, 'too_small', first)
  return { from, to }
}

/** Whether the instant is in the span. Without a span it always is, even if it is null. */
export function isWithin(span: TimeSpan | null, at: Instant | null): boolean {
  return span === null || (at !== null && at >= span.from && at < span.to)
}

/** Whether the span and the time from `start` until before `end` overlap; false if either is null. */
export function overlaps(span: TimeSpan, start: Instant | null, end: Instant | null): boolean {
  return start !== null && end !== null && start < span.to && end > span.from
}
