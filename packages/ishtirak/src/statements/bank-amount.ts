// An amount as banks write it, in centimes. Pure.
import { latinDigits } from '../core/typed-amount.js'

export type DecimalSign = ',' | '.'

/** Without currency, spaces and signs of direction; `,` and `.` stay. */
function plainAmount(cell: string): string {
  return latinDigits(cell.normalize('NFKC').replace(/\p{Cf}/gu, ''))
    .replace(/\u066b/g, ',')
    .replace(/(?:DA|DZD|د\.?ج\.?|دينار)/giu, '')
    .replace(/[\s\u066c'\u2019]/g, '')
    .replace(/[\u2212\ufe63\uff0d\u2010-\u2013]/g, '-')
}

/** Cells in which banks write that nothing moved. */
const NOTHING = /^-*$/
const FIGURE = {
  ',': /^(\d+|\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?$/,
  '.': /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/,
}

/**
 * What came in; 0: nothing did, or money went out (`-5`, `5-`, `(5)`, `5 D`). Null: it is no amount. It is
 * never 0 for something that cannot be read.
 */
export function readCentimes(cell: string, decimal: DecimalSign): number | null {
  const plain = plainAmount(cell)
  if (NOTHING.test(plain)) return 0
  const [, minus, open, figure = '', , after] =
    /^([-+]?)(\()?([\d.,]+)(\))?(-|\+|CR?|DR?)?$/i.exec(plain) ?? []
  const [, whole, centimes = ''] = FIGURE[decimal].exec(figure) ?? []
  if (whole === undefined) return null
  if (minus === '-' || open || after === '-' || /^D/i.test(after ?? '')) return 0
  const amount = Number(whole.replace(/\D/g, '')) * 100 + Number(centimes.padEnd(2, '0'))
  return Number.isSafeInteger(amount) ? amount : null
}

/** What stands before the centimes, from all amounts of a file; null: `1.980` alone can be two amounts. */
export function decimalSignIn(cells: readonly string[]): DecimalSign | null {
  const figures = cells.map((cell) => plainAmount(cell).replace(/[^\d.,]/g, '')).filter(Boolean)
  const votes = figures.flatMap((figure) => {
    const [last] = /[.,](?=\d*$)/.exec(figure) ?? []
    const isBoth = figure.includes(',') && figure.includes('.')
    const isOne = last !== undefined && figure.indexOf(last) === figure.lastIndexOf(last)
    if (isBoth || (isOne && /[.,]\d{1,2}$/.test(figure)))
      return last === '.' ? ['.' as const] : [',' as const]
    // 1.980.000: a sign that comes twice separates thousands.
    if (last !== undefined && !isOne) return last === '.' ? [',' as const] : ['.' as const]
    return []
  })
  const [vote = null] = votes
  if (vote !== null || figures.some((figure) => /[.,]/.test(figure))) return vote
  // Without any sign both read the same.
  return ','
}
