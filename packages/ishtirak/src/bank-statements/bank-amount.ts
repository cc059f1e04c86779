// An amount as banks write it, in centimes. Pure.
import { latinDigits } from '../acts/typed-amount.js'

export type DecimalSign = ',' | '.'

/** Removes currency, spaces and signs of direction, but keeps `,` and `.`. */
function plainAmount(cell: string): string {
  return latinDigits(cell.normalize('NFKC').replace(/\p{Cf}/gu, ''))
    .replace(/\u066b/g, ',')
    .replace(/(?:DA|DZD|د\.?ج\.?|دينار)/giu, '')
    .replace(/[\s\u066c'\u2019]/g, '')
    .replace(/[\u2212\ufe63\uff0d\u2010-\u2013]/g, '-')
}

/** Banks leave the cell empty or write hyphens if nothing moved. */
const NOTHING = /^-*$/
const WRITTEN = /^([-+]?)(\()?([\d.,]+)(\))?(-|\+|CR?|DR?)?$/i
const FIGURE = {
  ',': /^(\d+|\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?$/,
  '.': /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/,
}

/**
 * Centimes: above 0 money came in, below 0 it went out (`-5`, `5-`, `(5)`, `5 D`), 0 nothing moved. Null if
 * the cell is not an amount; a cell that cannot be read is never 0.
 */
export function readCentimes(cell: string, decimal: DecimalSign): number | null {
  const plain = plainAmount(cell)
  if (NOTHING.test(plain)) return 0
  const [, before, open, figure = '', close, after] = WRITTEN.exec(plain) ?? []
  if ((open === undefined) !== (close === undefined)) return null
  const [, whole, centimes = ''] = FIGURE[decimal].exec(figure) ?? []
  if (whole === undefined) return null
  const amount = Number(whole.replace(/\D/g, '')) * 100 + Number(centimes.padEnd(2, '0'))
  if (!Number.isSafeInteger(amount)) return null
  const isOut = before === '-' || open !== undefined || after === '-' || /^D/i.test(after ?? '')
  return isOut && amount !== 0 ? -amount : amount
}

/** Whether the cell looks like an amount, in either way of writing centimes; an empty cell does not. */
export function isAmount(cell: string): boolean {
  return (
    /\d/.test(plainAmount(cell)) && (readCentimes(cell, ',') !== null || readCentimes(cell, '.') !== null)
  )
}

/** Whether the cell itself says in which direction the money went. */
export function isSigned(cell: string): boolean {
  const [, before, open, , , after] = WRITTEN.exec(plainAmount(cell)) ?? []
  return Boolean(before || open || after)
}

/** Collects the amounts of a file, and tells which sign stands before the centimes. */
export function createDecimalSign() {
  let vote: DecimalSign | null = null
  let hasSign = false
  return {
    add(cell: string): void {
      if (vote !== null) return
      const figure = plainAmount(cell).replace(/[^\d.,]/g, '')
      hasSign ||= /[.,]/.test(figure)
      vote = signIn(figure)
    },
    /** Null if `1.980` alone can be two amounts. */
    sign(): DecimalSign | null {
      // Without any sign both ways read the same amounts.
      return vote ?? (hasSign ? null : ',')
    },
  }
}

function signIn(figure: string): DecimalSign | null {
  const [last] = /[.,](?=\d*$)/.exec(figure) ?? []
  if (last === undefined) return null
  const isBoth = figure.includes(',') && figure.includes('.')
  const isOne = figure.indexOf(last) === figure.lastIndexOf(last)
  if (isBoth || (isOne && /[.,]\d{1,2}$/.test(figure))) return last === '.' ? '.' : ','
  // A sign that stands twice separates thousands: 1.980.000.
  if (!isOne) return last === '.' ? ',' : '.'
  return null
}
