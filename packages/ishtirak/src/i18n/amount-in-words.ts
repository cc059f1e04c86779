// Whole dinars written out, as a receipt has to: in Arabic, French and English, with the grammar of each.
// It writes what people write on a cheque. It refuses fractions, debts and what no receipt will ever reach.

import type { Locale } from '../core/locale.js'
import { arabicDinars } from './amount-in-arabic.js'

/** One below a thousand milliards: the largest amount whose words are known here. */
export const LARGEST_AMOUNT_IN_WORDS = 999_999_999_999

/** `amount` is whole dinars, 0 to `LARGEST_AMOUNT_IN_WORDS`; anything else is a `RangeError`. */
export function amountInWords(amount: number, locale: Locale): string {
  if (!Number.isInteger(amount) || amount < 0 || amount > LARGEST_AMOUNT_IN_WORDS)
    throw new RangeError('an amount in words is whole dinars, from 0 to 999,999,999,999')
  if (locale === 'ar') return arabicDinars(amount)
  return locale === 'fr' ? frenchDinars(amount) : englishDinars(amount)
}

/** Traditional spelling, as banks keep it: "vingt et un", hyphens below a hundred only. */
function frenchDinars(amount: number): string {
  const words = frenchNumber(amount)
  // Zero and one are singular in French; the plural begins at two.
  if (amount < 2) return `${words} dinar algérien`
  // Million and milliard are nouns: what they count follows with "de", unless a numeral comes between.
  const endsInNoun = amount % 1_000_000 === 0
  return endsInNoun ? `${words} de dinars algériens` : `${words} dinars algériens`
}

function frenchNumber(amount: number): string {
  if (amount === 0) return 'zéro'
  return groupsOf(amount)
    .map(({ count, scale }) => {
      if (scale === 0) return frenchBelowThousand(count, true)
      // "Mille" never takes an s, stands without "un", and is a numeral: "quatre-vingt mille", "deux cent mille".
      if (scale === 1) return count === 1 ? 'mille' : `${frenchBelowThousand(count, false)} mille`
      const noun = scale === 2 ? 'million' : 'milliard'
      return `${frenchBelowThousand(count, true)} ${noun}${count > 1 ? 's' : ''}`
    })
    .join(' ')
}

const FRENCH_SMALL =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(
    ' ',
  )
const FRENCH_TENS = ' dix vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(
  ' ',
)

/** `isLast`: no numeral follows, so "cents" and "quatre-vingts" keep their s. */
function frenchBelowThousand(count: number, isLast: boolean): string {
  const hundreds = Math.floor(count / 100)
  const rest = count % 100
  if (hundreds === 0) return frenchBelowHundred(rest, isLast)
  const hundred = hundreds === 1 ? 'cent' : `${wordAt(FRENCH_SMALL, hundreds)} cent`
  if (rest > 0) return `${hundred} ${frenchBelowHundred(rest, isLast)}`
  return hundreds > 1 && isLast ? `${hundred}s` : hundred
}

function frenchBelowHundred(count: number, isLast: boolean): string {
  if (count < 20) return wordAt(FRENCH_SMALL, count)
  const tens = Math.floor(count / 10)
  // Seventy and ninety count on from sixty and eighty: soixante-quinze is 60 + 15.
  const unit = (count % 10) + (tens === 7 || tens === 9 ? 10 : 0)
  const ten = wordAt(FRENCH_TENS, tens)
  if (unit === 0) return tens === 8 && isLast ? `${ten}s` : ten
  // 21, 31 … 61 and 71 are joined by "et"; 81 and 91 are not.
  const joinedByAnd = (unit === 1 || unit === 11) && tens < 8
  return joinedByAnd ? `${ten} et ${wordAt(FRENCH_SMALL, unit)}` : `${ten}-${wordAt(FRENCH_SMALL, unit)}`
}

const ENGLISH_SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const ENGLISH_TENS = '  twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ENGLISH_SCALES = ['', ' thousand', ' million', ' billion']

/** With "and" before the last two digits, as cheques have it. */
function englishDinars(amount: number): string {
  return `${englishNumber(amount)} Algerian ${amount === 1 ? 'dinar' : 'dinars'}`
}

function englishNumber(amount: number): string {
  if (amount === 0) return 'zero'
  const groups = groupsOf(amount)
  return groups
    .map(({ count, scale }, index) => {
      // "one thousand and one": a last group without hundreds is tied on by hand.
      const isBareEnd = scale === 0 && index > 0 && count < 100
      return `${isBareEnd ? 'and ' : ''}${englishBelowThousand(count)}${wordAt(ENGLISH_SCALES, scale)}`
    })
    .join(' ')
}

function englishBelowThousand(count: number): string {
  const hundreds = Math.floor(count / 100)
  const rest = count % 100
  if (hundreds === 0) return englishBelowHundred(rest)
  const hundred = `${wordAt(ENGLISH_SMALL, hundreds)} hundred`
  return rest === 0 ? hundred : `${hundred} and ${englishBelowHundred(rest)}`
}

function englishBelowHundred(count: number): string {
  if (count < 20) return wordAt(ENGLISH_SMALL, count)
  const ten = wordAt(ENGLISH_TENS, Math.floor(count / 10))
  return count % 10 === 0 ? ten : `${ten}-${wordAt(ENGLISH_SMALL, count % 10)}`
}

/** The thousands of a number that are not empty, largest first. `scale` 1 is thousands, 2 millions, 3 milliards. */
export function groupsOf(amount: number): readonly { readonly count: number; readonly scale: number }[] {
  return [3, 2, 1, 0]
    .map((scale) => ({ count: Math.floor(amount / 1000 ** scale) % 1000, scale }))
    .filter(({ count }) => count > 0)
}

function wordAt(words: readonly string[], index: number): string {
  const word = words[index]
  if (word === undefined) throw new RangeError(`no word for ${index}`)
  return word
}
