// What the options of the operator's commands may hold, checked before anything is asked.
import { InvalidArgumentError } from 'commander'
import { Value } from 'typebox/value'
import { ReconcileRequestSchema, WhySchema } from '../operator/schemas.js'
import { wallClockIn } from '../runtime/calendar.js'

export const aMonth = checked(
  (given) => wallClockIn('UTC').monthOf(given) !== null,
  'It is a month from 1970-01 on, such as 2026-11.',
)
export const aDay = checked(
  (given) => Value.Check(ReconcileRequestSchema, { since: given }) && isDay(given.slice(0, 10)),
  'It is a day from 1970-01-01 on, such as 2026-11-01, or an instant such as 2026-11-01T12:00:00Z.',
)
const aReason = checked(
  (given) => Value.Check(WhySchema, { why: given }),
  'It is one line of at most 500 characters, not blank.',
)
export const aCount = checked(
  (given) => /^\d{1,4}$/.test(given) && Number(given) >= 1 && Number(given) <= 1_000,
  'It is a whole number from 1 to 1000.',
)

/** For `option` and `requiredOption`. */
export const WHY = ['--why <reason>', 'for the audit trail', aReason] as const

function isDay(given: string): boolean {
  const at = Date.parse(given)
  return at >= 0 && new Date(at).toISOString().startsWith(given)
}

/** For an option or argument: the text as it is, or an error that says what is allowed. */
function checked(fits: (given: string) => boolean, expects: string) {
  return (given: string): string => {
    if (!fits(given)) throw new InvalidArgumentError(expects)
    return given
  }
}
