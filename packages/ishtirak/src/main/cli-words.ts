// The words that the operator's commands take, checked before anything is asked; and what they say when the service refuses.
import { InvalidArgumentError } from 'commander'
import { Value } from 'typebox/value'
import { ReconcileRequestSchema, WhySchema } from '../operator/schemas.js'
import { wallClockIn } from '../runtime/calendar.js'
import { CommandFailed } from './operator-client.js'

/** The service refused: its own sentence, and what it added. */
class Refused extends Error {
  override readonly name = 'Refused'
}

export const aMonth = checked(
  (given) => wallClockIn('UTC').monthOf(given) !== null,
  'It is a month from 1970-01 on, such as 2026-11.',
)
export const aDay = checked(
  (given) => Value.Check(ReconcileRequestSchema, { since: given }) && isDay(given.slice(0, 10)),
  'It is a day from 1970-01-01 on, such as 2026-11-01, or an instant such as 2026-11-01T12:00:00Z.',
)
export const aReason = checked(
  (given) => Value.Check(WhySchema, { why: given }),
  'It is one line of at most 500 characters, not blank.',
)
export const aCount = checked(
  (given) => /^\d{1,4}$/.test(given) && Number(given) >= 1 && Number(given) <= 1_000,
  'It is a whole number from 1 to 1000.',
)

function isDay(given: string): boolean {
  const at = Date.parse(given)
  return at >= 0 && new Date(at).toISOString().startsWith(given)
}

/** For an option or argument: the word as it is, or an error that says what is allowed. */
function checked(fits: (given: string) => boolean, expects: string) {
  return (given: string): string => {
    if (!fits(given)) throw new InvalidArgumentError(expects)
    return given
  }
}

/** Of every problem body; what else is in it belongs to this one refusal. */
const STANDARD_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors']

/** A problem body, or what a proxy in between said. */
export function refusal(status: number, body: string): Error {
  if (status === 404 && !body.includes('request_id'))
    return new CommandFailed('there is no Ishtirak at this address')
  if (!body.startsWith('{')) return new Refused(`the service answered ${status}`)
  const problem: Readonly<Record<string, unknown>> = JSON.parse(body)
  const further = Object.entries(problem).filter(([name]) => !STANDARD_MEMBERS.includes(name))
  if (problem.code === 'not_found') return notFound(further)
  const more = [...further.map(([name, value]) => `${name}: ${plain(value)}`), ...wrongFields(problem.errors)]
  return new Refused([`${problem.code}: ${problem.detail}`, ...more].join('\n  '))
}

/** The service names what there is not, such as `payment_id`; without that the address itself is not there. */
function notFound([missing]: readonly (readonly [string, unknown])[]): Error {
  if (!missing)
    return new CommandFailed('this service has no such address: set OPERATOR_KEYS for it, or update it')
  const [name, value] = missing
  return new Refused(`no ${name.replace(/_id$/, '').replaceAll('_', ' ')} ${plain(value)}`)
}

function wrongFields(errors: unknown): readonly string[] {
  if (!Array.isArray(errors)) return []
  return errors.map(({ pointer, detail }: { pointer: string; detail: string }) => `${pointer}: ${detail}`)
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\p{Cc}/gu, '?') : JSON.stringify(value)
}
