// Numbers on a command line. A refusal of a number names its bounds, and so does `--help`.
import { InvalidArgumentError } from 'commander'
import { readTypedAmount } from './typed-amount.js'

/** A number that equals a bound is allowed. */
export interface NumberBounds {
  readonly minimum?: number
  readonly maximum?: number
  /** False for dinars, which may have centimes; true if absent. */
  readonly isWhole?: boolean
}

/** `at least 1, at most 36`; empty where there is no bound. */
export function boundsInWords({ minimum, maximum }: NumberBounds): string {
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ].join(', ')
}

/** Makes the parser of a number for commander, which names the option or argument in its refusal. */
export function numberWithin(bounds: NumberBounds): (text: string) => number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, isWhole = true } = bounds
  const pattern = isWhole ? /^-?\d{1,15}$/ : /^-?\d{1,12}(\.\d{1,3})?$/
  return (text) => {
    // An amount copied from a bank statement is accepted: `2 000,00`.
    const typed = readTypedAmount(text)
    const digits = typed.kind === 'dinars' && !pattern.test(text) ? String(typed.dinars) : text
    const value = pattern.test(digits) ? Number(digits) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    const kind = isWhole ? 'A whole number' : 'A number'
    throw new InvalidArgumentError([kind, boundsInWords(bounds)].filter(Boolean).join(', '))
  }
}
