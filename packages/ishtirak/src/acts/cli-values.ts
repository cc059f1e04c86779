// The one place that reads the numbers, days and months of a command line. What is out of its bounds is
// refused with them, and `--help` says them.
import { InvalidArgumentError } from 'commander'
import { readTypedAmount } from './typed-amount.js'

/** Both are allowed themselves. */
export interface NumberBounds {
  readonly minimum?: number
  readonly maximum?: number
  /** Dinars may have centimes; all else is counted. */
  readonly isWhole?: boolean
}

type Reader<Value> = (text: string) => Value

/** `at least 1, at most 36`; empty where there is no bound. */
export function boundsInWords({ minimum, maximum }: NumberBounds): string {
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ].join(', ')
}

/** For an option or an argument of commander, which names it in the refusal. */
export function numberWithin(bounds: NumberBounds): Reader<number> {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, isWhole = true } = bounds
  const pattern = isWhole ? /^-?\d{1,15}$/ : /^-?\d{1,12}(\.\d{1,3})?$/
  return (text) => {
    // As a statement of account has it: `2 000,00`.
    const typed = readTypedAmount(text)
    const digits = typed.kind === 'dinars' && !pattern.test(text) ? String(typed.dinars) : text
    const value = pattern.test(digits) ? Number(digits) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    const kind = isWhole ? 'A whole number' : 'A number'
    throw new InvalidArgumentError([kind, boundsInWords(bounds)].filter(Boolean).join(', '))
  }
}

/** `YYYY-MM-DD`, of a month that has the day. */
export function day(text: string): string {
  if (isDay(text)) return text
  throw new InvalidArgumentError('A day such as 2026-11-01, at least 1970-01-01')
}

export function dayOrInstant(text: string): string {
  const [, named = '', time] = /^(.{10})(T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ)?$/.exec(text) ?? []
  if (isDay(named)) return time === undefined ? named : text
  throw new InvalidArgumentError(
    'A day such as 2026-11-01, or an instant such as 2026-11-01T08:00:00Z, at least 1970-01-01',
  )
}

export function month(text: string): string {
  if (isDay(`${text}-01`)) return text
  throw new InvalidArgumentError('A month such as 2026-11, at least 1970-01')
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // 31 February is no day, although the language takes it for 3 March.
  return at >= 0 && new Date(at).toISOString().startsWith(text)
}
