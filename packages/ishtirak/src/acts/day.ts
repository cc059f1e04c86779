// Days as operators name them, in the schemas and read.
import { Type } from 'typebox'
import { wrongField } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import type { WallClock } from '../runtime/calendar.js'

export const DAY_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}$`
export const DAY_OR_INSTANT_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$`

export function dayOrInstantSchema(description: string) {
  return Type.String({
    pattern: DAY_OR_INSTANT_PATTERN,
    description: `${description}: a day in BILLING_TIMEZONE, or an instant in UTC`,
    examples: ['2026-11-01'],
  })
}

/** What fits the schema above; a day begins at its midnight. Throws `validation_failed`. */
export function readInstant({ dayOf }: Pick<WallClock, 'dayOf'>, field: string, text: string): Instant {
  const at = Date.parse(text)
  // 31 February is no day, although the language takes it for 3 March.
  if (Number.isNaN(at) || !toTimestamp(at).startsWith(text)) throw wrongField(field, 'wrong_format')
  // Nothing was sold before 1970, and databases know no year 0.
  if (at < 0) throw wrongField(field, 'too_small', '1970-01-01')
  return dayOf(text)?.from ?? at
}
