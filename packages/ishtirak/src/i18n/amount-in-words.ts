// Dinars and centimes in words, as on a cheque, in Arabic, French and English, with the grammar of each.
// Other fractions, negative amounts and amounts beyond any receipt are refused.

import type { Locale } from '../core/locale.js'

/** One below a thousand milliards: larger amounts have no words here. */
export const LARGEST_AMOUNT_IN_WORDS = 999_999_999_999

/** `amount` in whole dinars, plus `centimes` of 0 to 99 (0 is left out). Other values are a `RangeError`. */
export function amountInWords(amount: number, locale: Locale, centimes = 0): string {
  if (!Number.isInteger(amount) || amount < 0 || amount > LARGEST_AMOUNT_IN_WORDS)
    throw new RangeError('an amount in words is whole dinars, from 0 to 999,999,999,999')
  if (!Number.isInteger(centimes) || centimes < 0 || centimes > 99)
    throw new RangeError('an amount in words has whole centimes, from 0 to 99')
  if (locale === 'ar') return arabicDinars(amount, centimes)
  const [dinars, and, numberOf] =
    locale === 'fr'
      ? [frenchDinars(amount), 'et', frenchNumber]
      : [englishDinars(amount), 'and', englishNumber]
  if (centimes === 0) return dinars
  return `${dinars} ${and} ${numberOf(centimes)} ${centimes === 1 ? 'centime' : 'centimes'}`
}

/** The traditional spelling of banks: "vingt et un", with hyphens only below a hundred. */
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
      const words = frenchBelowThousand(count)
      if (scale === 0) return words
      // "Mille" takes no s and no "un". It is a numeral, before which cent and vingt lose their s.
      if (scale === 1) return count === 1 ? 'mille' : `${words.replace(/(cent|vingt)s$/, '$1')} mille`
      return `${words} ${scale === 2 ? 'million' : 'milliard'}${count > 1 ? 's' : ''}`
    })
    .join(' ')
}

const FRENCH_SMALL = `zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze
  seize dix-sept dix-huit dix-neuf`.split(/\s+/)
const FRENCH_TENS = 'vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(' ')

function frenchBelowThousand(count: number): string {
  const [hundreds, rest] = [Math.floor(count / 100), count % 100]
  if (hundreds === 0) return frenchBelowHundred(rest)
  const hundred = hundreds === 1 ? 'cent' : `${FRENCH_SMALL[hundreds]} cent`
  if (rest > 0) return `${hundred} ${frenchBelowHundred(rest)}`
  return hundreds > 1 ? `${hundred}s` : hundred
}

function frenchBelowHundred(count: number): string {
  if (count < 20) return FRENCH_SMALL[count] ?? ''
  if (count === 80) return 'quatre-vingts'
  const tens = Math.floor(count / 10)
  // Seventy and ninety count on from sixty and eighty: soixante-quinze is 60 + 15.
  const unit = (count % 10) + (tens === 7 || tens === 9 ? 10 : 0)
  const ten = FRENCH_TENS[tens - 2] ?? ''
  if (unit === 0) return ten
  // 21, 31 … 61 and 71 are joined by "et"; 81 and 91 are not.
  const joint = (unit === 1 || unit === 11) && tens < 8 ? ' et ' : '-'
  return `${ten}${joint}${FRENCH_SMALL[unit]}`
}

const ENGLISH_SMALL = `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
  fifteen sixteen seventeen eighteen nineteen`.split(/\s+/)
const ENGLISH_TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ENGLISH_SCALES = ['', ' thousand', ' million', ' billion']

/** "And" comes before the last two digits, as on cheques. */
function englishDinars(amount: number): string {
  return `${englishNumber(amount)} Algerian ${amount === 1 ? 'dinar' : 'dinars'}`
}

function englishNumber(amount: number): string {
  if (amount === 0) return 'zero'
  return groupsOf(amount)
    .map(({ count, scale }, index) => {
      // "one thousand and one": a last group without hundreds is joined by "and".
      const isBareEnd = scale === 0 && index > 0 && count < 100
      return `${isBareEnd ? 'and ' : ''}${englishBelowThousand(count)}${ENGLISH_SCALES[scale]}`
    })
    .join(' ')
}

function englishBelowThousand(count: number): string {
  const [hundreds, rest] = [Math.floor(count / 100), count % 100]
  if (hundreds > 0) {
    const hundred = `${ENGLISH_SMALL[hundreds]} hundred`
    return rest === 0 ? hundred : `${hundred} and ${englishBelowThousand(rest)}`
  }
  if (rest < 20) return ENGLISH_SMALL[rest] ?? ''
  const ten = ENGLISH_TENS[Math.floor(rest / 10) - 2] ?? ''
  return rest % 10 === 0 ? ten : `${ten}-${ENGLISH_SMALL[rest % 10]}`
}

// The Arabic noun changes with the number (one, dual, plural after 3 to 10, accusative after 11 to 99,
// genitive after hundreds), and what counts changes before it. All is nominative: it follows "مبلغ قدره".

/** A noun after numbers. `constructDual`: followed by a noun: ألفا دينار, not ألفان دينار. */
interface CountedNoun {
  readonly one: string
  /** After hundreds and thousands: the genitive, which unvocalised looks like the singular. */
  readonly genitive: string
  readonly dual: string
  readonly constructDual: string
  readonly plural: string
  readonly accusative: string
}

// Dinar is masculine, so 3 to 10 take the feminine ending (ثلاثة), and the adjective follows the noun in
// number and case; the broken plural of a thing takes the feminine singular: دنانير جزائرية.
const DINAR: CountedNoun = {
  one: 'دينار جزائري واحد',
  genitive: 'دينار جزائري',
  dual: 'ديناران جزائريان',
  constructDual: 'ديناران جزائريان',
  plural: 'دنانير جزائرية',
  accusative: 'دينارًا جزائريًا',
}

const nounOf = (one: string, dual: string, plural: string): CountedNoun => ({
  one,
  genitive: one,
  dual: `${dual}ن`,
  constructDual: dual,
  plural,
  accusative: `${one}ًا`,
})

/** Indexed by `scale` of `groupsOf`. The first is the counted thing. */
const ARABIC_NOUNS = [
  DINAR,
  nounOf('ألف', 'ألفا', 'آلاف'),
  nounOf('مليون', 'مليونا', 'ملايين'),
  nounOf('مليار', 'مليارا', 'مليارات'),
]

const CENTIME: CountedNoun = { ...nounOf('سنتيم', 'سنتيما', 'سنتيمات'), one: 'سنتيم واحد' }

function arabicDinars(amount: number, centimes: number): string {
  const dinars = amount === 0 ? `صفر ${DINAR.genitive}` : arabicCounted(amount)
  return `${join(centimes === 0 ? [dinars] : [dinars, arabicCount(centimes, CENTIME, false)])} لا غير`
}

function arabicCounted(amount: number): string {
  const units = amount % 1000
  const scales = groupsOf(amount - units)
  const upToScales = (inConstruct: boolean) =>
    scales.map(({ count, scale }, index) =>
      arabicCount(count, ARABIC_NOUNS[scale] ?? DINAR, inConstruct && index === scales.length - 1),
    )
  if (units === 0) return `${join(upToScales(true))} ${DINAR.genitive}`
  const lastTwo = units % 100
  if (lastTwo > 2 || lastTwo === 0) return join([...upToScales(false), arabicCount(units, DINAR, false)])
  // 101, 1,002: the noun is said twice, as in "ألف ليلة وليلة": مائة دينار ودينار جزائري واحد.
  const last = lastTwo === 1 ? DINAR.one : DINAR.dual
  const head = units > 2 ? [...upToScales(false), arabicHundreds(units - lastTwo, true)] : upToScales(true)
  return head.length === 0 ? last : `${join(head)} دينار و${last}`
}

/** `count`: 1 to 999. `inConstruct`: a noun follows, so duals lose their nun and tanween falls. */
function arabicCount(count: number, noun: CountedNoun, inConstruct: boolean): string {
  const lastTwo = count % 100
  const hundreds = count - lastTwo
  if (lastTwo === 0) return `${arabicHundreds(hundreds, true)} ${noun.genitive}`
  if (lastTwo <= 2) {
    const dual = inConstruct ? noun.constructDual : noun.dual
    const last = lastTwo === 1 ? noun.one : dual
    // 101,000 is "a hundred thousand and a thousand": مائة ألف وألف. "مائة وألف" would be 1,100.
    return hundreds === 0 ? last : `${arabicHundreds(hundreds, true)} ${noun.genitive} و${last}`
  }
  const many = inConstruct ? noun.genitive : noun.accusative
  const words = `${arabicBelowHundred(lastTwo)} ${lastTwo <= 10 ? noun.plural : many}`
  return hundreds === 0 ? words : `${arabicHundreds(hundreds, false)} و${words}`
}

const ARABIC_SMALL = [
  ...'|واحد|اثنان|ثلاثة|أربعة|خمسة|ستة|سبعة|ثمانية|تسعة|عشرة|أحد عشر|اثنا عشر'.split('|'),
  ...'ثلاثة عشر|أربعة عشر|خمسة عشر|ستة عشر|سبعة عشر|ثمانية عشر|تسعة عشر'.split('|'),
]
const ARABIC_TENS = '||عشرون|ثلاثون|أربعون|خمسون|ستون|سبعون|ثمانون|تسعون'.split('|')

function arabicBelowHundred(count: number): string {
  if (count < 20) return ARABIC_SMALL[count] ?? ''
  const ten = ARABIC_TENS[Math.floor(count / 10)] ?? ''
  return count % 10 === 0 ? ten : `${ARABIC_SMALL[count % 10]} و${ten}`
}

// مائة, not مئة: both are right, and the first is what the Journal officiel and Algerian cheques write.
const ARABIC_HUNDREDS = '|مائة|مائتان|ثلاثمائة|أربعمائة|خمسمائة|ستمائة|سبعمائة|ثمانمائة|تسعمائة'.split('|')

function arabicHundreds(hundreds: number, inConstruct: boolean): string {
  return hundreds === 200 && inConstruct ? 'مائتا' : (ARABIC_HUNDREDS[hundreds / 100] ?? '')
}

function join(parts: readonly string[]): string {
  return parts.join(' و')
}

/** The groups of thousands above 0, largest first. `scale` 1: thousands, 2: millions, 3: milliards. */
function groupsOf(amount: number): readonly { readonly count: number; readonly scale: number }[] {
  return [3, 2, 1, 0]
    .map((scale) => ({ count: Math.floor(amount / 1000 ** scale) % 1000, scale }))
    .filter(({ count }) => count > 0)
}
