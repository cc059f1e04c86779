// Reads what an operator types into the search field.
import { readReceiptNumber } from '../core/receipt.js'
import { bareReference, plainReference } from '../core/reference.js'

/** A payment as a bank statement shows it: the last digits of its amount, and perhaps the day. */
export interface AmountAndDay {
  /** Whole dinars; the amount ends with these digits. */
  readonly ending: number
  /** How many digits there are: `0900` are four. */
  readonly digits: number
  /** `YYYY-MM-DD`; there may be no such day. Null: none was typed. */
  readonly day: string | null
}

export interface SearchWords {
  /** As it was typed, without the white space around it. */
  readonly word: string
  readonly receipt: { readonly series: string; readonly number: number } | null
  readonly amountAndDay: AmountAndDay | null
  /** Beginnings or ends of references, in the form in which transfers and the desk store them. */
  readonly parts: readonly string[]
}

/** `live`: the shop takes real money, so its receipts are not of the test series. */
export function readSearch(typed: string, live: boolean): SearchWords {
  const word = typed.trim()
  return {
    word,
    receipt: readReceiptNumber(word, live),
    amountAndDay: readAmountAndDay(plainReference(word)),
    parts: [...new Set([plainReference(word), bareReference(word)])].filter(
      ({ length }) => length >= PART_MIN,
    ),
  }
}

/** The shortest part of a reference, and of an amount without a day. Shorter ones match too many payments. */
const PART_MIN = 3
const LONE_DIGITS_MIN = 3

const DAY = String.raw`(\d{4}-\d{2}-\d{2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{4})`
/** Digits with or without groups, `,00` and a currency. */
const AMOUNT = String.raw`(\d{1,9}|\d{1,3}(?:[ .,]\d{3}){1,2})(?:[.,]00?)?(?: ?(?:DA|DZD|د\.?ج\.?))?`
const AMOUNT_FIRST = new RegExp(`^${AMOUNT}(?: ${DAY})?$`, 'iu')
const DAY_FIRST = new RegExp(`^${DAY} ${AMOUNT}$`, 'iu')

function readAmountAndDay(text: string): AmountAndDay | null {
  const [, amount, day] = AMOUNT_FIRST.exec(text) ?? []
  const [, dayBefore, amountBehind] = DAY_FIRST.exec(text) ?? []
  const digits = (amount ?? amountBehind)?.replace(/\D/g, '')
  const named = day ?? dayBefore
  if (digits === undefined || (named === undefined && digits.length < LONE_DIGITS_MIN)) return null
  return { ending: Number(digits), digits: digits.length, day: named === undefined ? null : isoDay(named) }
}

/** If the year is not first, the day is. */
function isoDay(text: string): string {
  const [first = '', second = '', third = ''] = text.split(/[/.-]/)
  const [year, month, day] = first.length === 4 ? [first, second, third] : [third, second, first]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}
