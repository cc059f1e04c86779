// Numbers on a command line. A number out of its bounds is refused with them, and `--help` says them.
import { InvalidArgumentError } from 'commander'
import { readTypedAmount } from './typed-amount.js'

/** Both are allowed themselves. */
export interface NumberBounds {
  readonly minimum?: number
  readonly maximum?: number
  /** Dinars may have centimes; all else is counted. */
  readonly isWhole?: boolean
}

/** `at least 1, at most 36`; empty where there is no bound. */
export function boundsInWords({ minimum, maximum }: NumberBounds): string {
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
  ].join(', ')
}

/** For an option or an argument of commander, which names it in the refusal. */
export function numberWithin(bounds: NumberBounds): (text: string) => number {
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
