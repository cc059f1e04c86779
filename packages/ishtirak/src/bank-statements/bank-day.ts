// A day as banks write it. Pure.
import { latinDigits } from '../acts/typed-amount.js'

export type DayOrder = 'dmy' | 'mdy' | 'ymd'

const TIME = '(?:[ T,]+\\d{1,2}[:h]\\d{2}(?::\\d{2})?(?:[.,]\\d+)?(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?)?'
const FIGURES = new RegExp(`^(?:\\p{L}+\\.?,? )?(\\d{1,4})[/.\\- ](\\d{1,2})[/.\\- ](\\d{1,4})${TIME}$`, 'iu')
const COMPACT_YEAR_FIRST = /^((?:19|20)\d{2})(0[1-9]|1[0-2])(\d{2})$/
const COMPACT_YEAR_LAST = /^(\d{2})(\d{2})((?:19|20)\d{2})$/
const NAMED_DAY_FIRST = new RegExp(
  '^(?:\\p{L}+\\.?,? )?(\\d{1,2})(?:er|st|nd|rd|th|\\.)?[ .\\-/]*' +
    `(?:de )?(\\p{L}+)\\.?[ .,\\-/]*(\\d{4}|\\d{2})${TIME}$`,
  'iu',
)
const NAMED_MONTH_FIRST = new RegExp(`^(\\p{L}+)\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})${TIME}$`, 'iu')

/** The beginnings of the names of a month in French, English and Arabic, without accents. */
const MONTHS = [
  ['janv', 'jan', 'جانفي', 'يناير', 'كانون الثاني'],
  ['fev', 'feb', 'فيفري', 'فبراير'],
  ['mars', 'mar', 'مارس'],
  ['avr', 'apr', 'افريل', 'ابريل'],
  ['mai', 'may', 'ماي', 'مايو'],
  ['juin', 'jun', 'جوان', 'يونيو'],
  ['juil', 'jul', 'جويليه', 'جويلية', 'يوليو'],
  ['aout', 'aug', 'اوت', 'اغسطس'],
  ['sep', 'سبتمبر'],
  ['oct', 'اكتوبر'],
  ['nov', 'نوفمبر'],
  ['dec', 'ديسمبر'],
] as const

/** 1 to 12; 0 if no month has this name. */
function monthNamed(word: string): number {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return MONTHS.findIndex((names) => names.some((name) => plain.startsWith(name))) + 1
}

type Parts = readonly [year: string, month: string, day: string]
/** `parts` if the cell names the month; `figures` as they stand if it does not. */
type DayCell = { readonly parts: Parts } | { readonly figures: readonly [string, string, string] }

function dayCell(cell: string): DayCell | null {
  const plain = latinDigits(cell.normalize('NFKC').replace(/\p{Cf}/gu, ''))
    .replace(/\s+/g, ' ')
    .trim()
  const [, first, second, third] =
    FIGURES.exec(plain) ?? COMPACT_YEAR_FIRST.exec(plain) ?? COMPACT_YEAR_LAST.exec(plain) ?? []
  if (first && second && third) return { figures: [first, second, third] }
  const [, day, name, year] = NAMED_DAY_FIRST.exec(plain) ?? []
  if (day && name && year && monthNamed(name) > 0) return { parts: [year, `${monthNamed(name)}`, day] }
  const [, month, dayAfter, yearAfter] = NAMED_MONTH_FIRST.exec(plain) ?? []
  if (month && dayAfter && yearAfter && monthNamed(month) > 0)
    return { parts: [yearAfter, `${monthNamed(month)}`, dayAfter] }
  return null
}

function inOrder([first, second, third]: readonly [string, string, string], order: DayOrder): Parts {
  if (first.length === 4) return [first, second, third]
  // In a file whose years stand first, `01/11/26` can be two days.
  if (order === 'ymd') return Number(first) > 12 ? [first, second, third] : ['', '', '']
  return order === 'mdy' ? [third, first, second] : [third, second, first]
}

/** `YYYY-MM-DD` as the cell says it, whatever its zone; null if it is not a day of the calendar. */
export function readDay(cell: string, order: DayOrder): string | null {
  const found = dayCell(cell)
  if (!found) return null
  const [year, month, day] = 'parts' in found ? found.parts : inOrder(found.figures, order)
  // PostgreSQL has no year 0.
  if (![2, 4].includes(year.length) || year === '0000' || day.length > 2) return null
  const text = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // JavaScript takes 31 February for 3 March.
  const at = new Date(`${text}T00:00:00Z`)
  return at.getUTCDate() === Number(day) && at.getUTCMonth() + 1 === Number(month) ? text : null
}

/** Collects the cells of a column of days, and tells in which order day, month and year stand. */
export function createDayOrder() {
  let isYearFirst = false
  let isDayFirst = false
  let isMonthFirst = false
  let isEitherSame = true
  const [firsts, lasts] = [new Set<string>(), new Set<string>()]
  return {
    add(cell: string): void {
      const found = dayCell(cell)
      if (!found || 'parts' in found) return
      const [first, second, third] = found.figures
      if (first.length === 2 && third.length === 2) {
        firsts.add(first)
        lasts.add(third)
      }
      isYearFirst ||= first.length === 4
      isDayFirst ||= Number(first) > 12
      isMonthFirst ||= Number(second) > 12
      // 05/05/2026 is the same day in both orders.
      isEitherSame &&= Number(first) === Number(second)
    },
    /** Null if the days can be read in two orders. */
    order(): DayOrder | null {
      if (isYearFirst) return 'ymd'
      // `26/11/21` above `26/11/23` can be two days of 2026.
      if (firsts.size === 1 && lasts.size > 1) return null
      if (isDayFirst) return 'dmy'
      if (isMonthFirst) return 'mdy'
      return isEitherSame ? 'dmy' : null
    },
  }
}
