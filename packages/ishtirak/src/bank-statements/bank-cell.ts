// Amounts and days as banks write them in a cell. Pure.
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

export const DAY_ORDERS = ['dmy', 'mdy', 'ymd'] as const
export type DayOrder = (typeof DAY_ORDERS)[number]

const TIME = '(?:[ T,]+\\d{1,2}[:h]\\d{2}(?::\\d{2})?(?:[.,]\\d+)?(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?)?'
const FIGURES = new RegExp(`^(\\d{1,4})[/.\\- ](\\d{1,2})[/.\\- ](\\d{1,4})${TIME}$`, 'i')
const COMPACT_YEAR_FIRST = /^((?:19|20)\d{2})(0[1-9]|1[0-2])(\d{2})$/
const COMPACT_YEAR_LAST = /^(\d{2})(\d{2})((?:19|20)\d{2})$/
const NAMED = new RegExp(`^(\\d{1,2})[ .\\-/]*(\\p{L}+)\\.?[ .,\\-/]*(\\d{4}|\\d{2})${TIME}$`, 'iu')

/** The beginnings of the names of a month in French, English and Arabic, without accents. */
const MONTHS = [
  ['jan', 'جانفي', 'يناير'],
  ['fev', 'feb', 'فيفري', 'فبراير'],
  ['mar', 'مارس'],
  ['avr', 'apr', 'افريل', 'ابريل'],
  ['mai', 'may', 'ماي'],
  ['juin', 'jun', 'جوان', 'يونيو'],
  ['juil', 'jul', 'جويلي', 'يوليو'],
  ['aout', 'aug', 'اوت', 'اغسطس'],
  ['sep', 'سبتمبر'],
  ['oct', 'اكتوبر'],
  ['nov', 'نوفمبر'],
  ['dec', 'ديسمبر'],
]

/** Day, month and year as they stand, or null; a named month stands between day and year. */
function partsIn(cell: string): { readonly parts: readonly string[]; readonly isNamed: boolean } | null {
  const plain = latinDigits(cell.normalize('NFKC').replace(/\p{Cf}/gu, ''))
    .replace(/\s+/g, ' ')
    .trim()
  const figures = FIGURES.exec(plain) ?? COMPACT_YEAR_FIRST.exec(plain) ?? COMPACT_YEAR_LAST.exec(plain)
  if (figures) return { parts: figures.slice(1), isNamed: false }
  const [, day = '', name = '', year = ''] = NAMED.exec(plain) ?? []
  const word = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const month = MONTHS.findIndex((names) => names.some((begins) => word.startsWith(begins))) + 1
  return month === 0 ? null : { parts: [day, String(month), year], isNamed: true }
}

/** `YYYY-MM-DD` as the cell says it, whatever its zone; null if it is not a day of the calendar. */
export function readDay(cell: string, order: DayOrder): string | null {
  const { parts, isNamed } = partsIn(cell) ?? { parts: [], isNamed: false }
  const [first = '', second = '', third = ''] = parts
  // In a file whose years stand first, `01/11/26` can be two days.
  const isYearFirst = first.length === 4 || (order === 'ymd' && !isNamed && Number(first) > 12)
  if (order === 'ymd' && !isNamed && !isYearFirst) return null
  const [day, month, year] = isYearFirst
    ? [third, second, first]
    : order === 'mdy' && !isNamed
      ? [second, first, third]
      : [first, second, third]
  // PostgreSQL has no year 0.
  if (![2, 4].includes(year.length) || year === '0000' || day.length > 2) return null
  const text = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // JavaScript takes 31 February for 3 March.
  const at = new Date(`${text}T00:00:00Z`)
  return at.getUTCDate() === Number(day) && at.getUTCMonth() + 1 === Number(month) ? text : null
}

export const isDay = (cell: string) => readDay(cell, 'dmy') !== null || readDay(cell, 'mdy') !== null

/** The order that one of the cells proves; null if all of them can be read in two orders. */
export function dayOrderIn(cells: readonly string[]): DayOrder | null {
  const found = cells.flatMap((cell) => partsIn(cell) ?? [])
  for (const { parts, isNamed } of found) {
    const [first = '', second = '', third = ''] = parts
    if (first.length === 4) return 'ymd'
    // `26/11/21` can be a day of 2021 or of 2026.
    if (isNamed || third.length !== 4) continue
    if (Number(first) > 12) return 'dmy'
    if (Number(second) > 12) return 'mdy'
  }
  return found.length > 0 && found.every(({ isNamed }) => isNamed) ? 'dmy' : null
}
