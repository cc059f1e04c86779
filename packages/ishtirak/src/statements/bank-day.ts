// A day as banks write it. Pure.
import { latinDigits } from '../core/typed-amount.js'

export type DayOrder = 'dmy' | 'mdy' | 'ymd'

const DAY = /^(\d{1,4})[/.\- ](\d{1,2})[/.\- ](\d{1,4})(?:[ T]\d{1,2}[:h]\d{2}(?::\d{2})?(?:\.\d+)?)?$/
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/

/** Year, month and day where the year stands first; else the three figures as they stand. */
function figuresIn(cell: string): readonly [string, string, string] | null {
  const plain = latinDigits(cell.normalize('NFKC').replace(/\p{Cf}/gu, '')).trim()
  const [, first, second, third] = DAY.exec(plain) ?? COMPACT.exec(plain) ?? []
  return first && second && third ? [first, second, third] : null
}

/** `YYYY-MM-DD`; null: there is no such day, or it is none. */
export function readDay(cell: string, order: DayOrder): string | null {
  const figures = figuresIn(cell)
  if (!figures) return null
  const [first, second, third] = figures
  const isYearFirst = first.length === 4 || order === 'ymd'
  const [year, month, day] = isYearFirst
    ? [first, second, third]
    : order === 'mdy'
      ? [third, first, second]
      : [third, second, first]
  // Databases have no year 0.
  if (![2, 4].includes(year.length) || year === '0000' || day.length > 2) return null
  const text = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // 31 February is no day, although the language takes it for 3 March.
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? text : null
}

/** In which order day, month and year stand, from all days of a file; null: it can be two. */
export function dayOrderIn(cells: readonly string[]): DayOrder | null {
  const figures = cells.flatMap((cell) => {
    const found = figuresIn(cell)
    return found ? [found] : []
  })
  if (figures.some(([first]) => first.length === 4)) return 'ymd'
  if (figures.some(([first]) => Number(first) > 12)) return 'dmy'
  if (figures.some(([, second]) => Number(second) > 12)) return 'mdy'
  // 05/05/2026 is one day.
  return figures.every(([first, second]) => Number(first) === Number(second)) ? 'dmy' : null
}
