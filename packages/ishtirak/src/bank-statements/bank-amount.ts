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
const WHOLE = /^(\d+)$/

/**
 * Centimes: above 0 money came in, below 0 it went out (`-5`, `5-`, `(5)`, `5 D`), 0 nothing moved. Null if
 * the cell is not an amount; a cell that cannot be read is never 0. Without `decimal`, amounts are whole.
 */
export function readCentimes(cell: string, decimal: DecimalSign | undefined): number | null {
  const plain = plainAmount(cell)
  if (NOTHING.test(plain)) return 0
  const [, before, open, figure = '', close, after] = WRITTEN.exec(plain) ?? []
  if ((open === undefined) !== (close === undefined)) return null
  const [, whole, centimes = ''] = (decimal ? FIGURE[decimal] : WHOLE).exec(figure) ?? []
  if (whole === undefined) return null
  const amount = Number(whole.replace(/\D/g, '')) * 100 + Number(centimes.padEnd(2, '0'))
  if (!Number.isSafeInteger(amount)) return null
  const isOut = before === '-' || open !== undefined || after === '-' || /^D/i.test(after ?? '')
  return isOut && amount !== 0 ? -amount : amount
}

/** Whether the cell itself says in which direction the money went. */
export function isSigned(cell: string): boolean {
  const [, before, open, , , after] = WRITTEN.exec(plainAmount(cell)) ?? []
  return Boolean(before || open || after)
}

/** The sign before the centimes. Absent: no amount has any sign; null: `1.980` alone can be two amounts. */
export function decimalSignIn(cells: readonly string[]): DecimalSign | undefined | null {
  const figures = cells.map((cell) => plainAmount(cell).replace(/[^\d.,]/g, ''))
  const decisive = figures.find((figure) => signOf(figure) !== null)
  if (decisive !== undefined) return signOf(decisive)
  return figures.some((figure) => /[.,]/.test(figure)) ? null : undefined
}

function signOf(figure: string): DecimalSign | null {
  const last = /[.,](?=\d*$)/.exec(figure)?.[0] === '.' ? '.' : ','
  const count = (sign: string) => figure.split(sign).length - 1
  if (count('.') > 0 && count(',') > 0) return last
  // A sign that stands twice separates thousands: 1.980.000.
  if (count(last) > 1) return last === '.' ? ',' : '.'
  return /[.,]\d{1,2}$/.test(figure) ? last : null
}
