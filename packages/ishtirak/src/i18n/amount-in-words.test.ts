import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { centimesOfArabic, centimesOfFrench } from '../../../../test/support/spoken-amounts.js'
import { LOCALES } from '../core/locale.js'
import { amountInWords, LARGEST_AMOUNT_IN_WORDS } from './amount-in-words.js'

/** Adds `noun` to each number in words, unless it has a noun. */
const handWritten = (noun: string, table: string): readonly (readonly [number, string])[] =>
  table.split(/,\s+/).map((entry) => {
    const [, amount = '', words = ''] = /^([\d_]+) (.*)$/.exec(entry.replace(/\s+/g, ' ')) ?? []
    return [Number(amount.replaceAll('_', '')), /dinar/.test(words) ? words : words + noun]
  })

// Written by hand, not by the program. Each shows a rule that its neighbours do not.
const FRENCH = handWritten(
  ' dinars algériens',
  `0 zéro dinar algérien, 1 un dinar algérien, 2 deux, 10 dix, 16 seize, 17 dix-sept, 21 vingt et un,
  22 vingt-deux, 45 quarante-cinq, 61 soixante et un, 70 soixante-dix, 71 soixante et onze,
  72 soixante-douze, 77 soixante-dix-sept, 80 quatre-vingts, 81 quatre-vingt-un, 90 quatre-vingt-dix,
  91 quatre-vingt-onze, 99 quatre-vingt-dix-neuf, 100 cent, 101 cent un, 180 cent quatre-vingts,
  200 deux cents, 201 deux cent un, 271 deux cent soixante et onze, 280 deux cent quatre-vingts,
  1_000 mille, 1_001 mille un, 1_080 mille quatre-vingts, 1_100 mille cent, 2_000 deux mille,
  4_500 quatre mille cinq cents, 21_000 vingt et un mille, 71_000 soixante et onze mille,
  80_000 quatre-vingt mille, 81_000 quatre-vingt-un mille, 200_000 deux cent mille,
  200_200 deux cent mille deux cents, 1_000_000 un million de dinars algériens, 1_000_001 un million un,
  2_000_000 deux millions de dinars algériens, 80_000_000 quatre-vingts millions de dinars algériens,
  3_080_200_000 trois milliards quatre-vingts millions deux cent mille,
  1_002_000_000 un milliard deux millions de dinars algériens`,
)

const ENGLISH = handWritten(
  ' Algerian dinars',
  `0 zero, 1 one Algerian dinar, 2 two, 10 ten, 11 eleven, 14 fourteen, 15 fifteen, 18 eighteen, 20 twenty,
  21 twenty-one, 34 thirty-four, 44 forty-four, 58 fifty-eight, 80 eighty, 99 ninety-nine, 100 one hundred,
  101 one hundred and one, 110 one hundred and ten, 342 three hundred and forty-two, 1_000 one thousand,
  1_001 one thousand and one, 1_100 one thousand one hundred, 1_101 one thousand one hundred and one,
  2_026 two thousand and twenty-six, 12_345 twelve thousand three hundred and forty-five,
  80_080 eighty thousand and eighty, 101_000 one hundred and one thousand, 1_000_000 one million,
  1_000_001 one million and one, 1_000_100 one million one hundred, 1_001_000 one million one thousand,
  2_500_000 two million five hundred thousand, 2_000_000_003 two billion and three`,
)

const ARABIC: readonly (readonly [number, string])[] = [
  [0, 'صفر دينار جزائري لا غير'],
  [1, 'دينار جزائري واحد لا غير'],
  [2, 'ديناران جزائريان لا غير'],
  // 3 to 10: the number takes the feminine ending, the noun is plural.
  [3, 'ثلاثة دنانير جزائرية لا غير'],
  [10, 'عشرة دنانير جزائرية لا غير'],
  // 11 to 99: accusative singular.
  [11, 'أحد عشر دينارًا جزائريًا لا غير'],
  [18, 'ثمانية عشر دينارًا جزائريًا لا غير'],
  [20, 'عشرون دينارًا جزائريًا لا غير'],
  [21, 'واحد وعشرون دينارًا جزائريًا لا غير'],
  [99, 'تسعة وتسعون دينارًا جزائريًا لا غير'],
  // Hundreds: genitive singular, and the dual loses its nun before the noun.
  [100, 'مائة دينار جزائري لا غير'],
  [101, 'مائة دينار ودينار جزائري واحد لا غير'],
  [103, 'مائة وثلاثة دنانير جزائرية لا غير'],
  [200, 'مائتا دينار جزائري لا غير'],
  [201, 'مائتا دينار ودينار جزائري واحد لا غير'],
  [300, 'ثلاثمائة دينار جزائري لا غير'],
  [800, 'ثمانمائة دينار جزائري لا غير'],
  [1_000, 'ألف دينار جزائري لا غير'],
  [1_001, 'ألف دينار ودينار جزائري واحد لا غير'],
  [1_002, 'ألف دينار وديناران جزائريان لا غير'],
  [1_200, 'ألف ومائتا دينار جزائري لا غير'],
  [2_000, 'ألفا دينار جزائري لا غير'],
  [2_002, 'ألفا دينار وديناران جزائريان لا غير'],
  // Before dinar the accusative ألفًا loses its tanween, before "and" it keeps it.
  [11_000, 'أحد عشر ألف دينار جزائري لا غير'],
  [11_500, 'أحد عشر ألفًا وخمسمائة دينار جزائري لا غير'],
  [99_999, 'تسعة وتسعون ألفًا وتسعمائة وتسعة وتسعون دينارًا جزائريًا لا غير'],
  [101_000, 'مائة ألف وألف دينار جزائري لا غير'],
  [102_000, 'مائة ألف وألفا دينار جزائري لا غير'],
  [102_500, 'مائة ألف وألفان وخمسمائة دينار جزائري لا غير'],
  [200_000, 'مائتا ألف دينار جزائري لا غير'],
  [1_000_000, 'مليون دينار جزائري لا غير'],
  [1_000_001, 'مليون دينار ودينار جزائري واحد لا غير'],
  [2_000_000, 'مليونا دينار جزائري لا غير'],
  [3_000_000, 'ثلاثة ملايين دينار جزائري لا غير'],
  [12_000_500, 'اثنا عشر مليونًا وخمسمائة دينار جزائري لا غير'],
  [2_000_000_000, 'مليارا دينار جزائري لا غير'],
  [
    5_011_002_000,
    // 5 milliards, 11 millions (accusative: "and" follows), 2 thousands (no nun: dinar follows).
    'خمسة مليارات وأحد عشر مليونًا وألفا دينار جزائري لا غير',
  ],
]

describe.each([
  ['ar', ARABIC],
  ['fr', FRENCH],
  ['en', ENGLISH],
] as const)('an amount in words (%s)', (locale, table) => {
  it('is as it was written by hand', () => {
    expect(table.map(([amount]) => [amount, amountInWords(amount, locale)])).toEqual(table)
  })
})

// The grammar changes at round numbers, and a plain random integer is hardly ever round.
const amounts = fc.oneof(
  fc.integer({ min: 0, max: LARGEST_AMOUNT_IN_WORDS }),
  fc
    .array(fc.constantFrom(0, 1, 2, 3, 10, 11, 80, 100, 101, 102, 200, 999), { minLength: 4, maxLength: 4 })
    .map((groups) => groups.reduce<number>((amount, group) => amount * 1000 + group, 0)),
)

describe('any amount', () => {
  it('has words, set apart by single spaces, and no two amounts have the same', () =>
    forAll(200, amounts, amounts, fc.constantFrom(...LOCALES), (one, other, locale) => {
      const words = amountInWords(one, locale)
      expect(words).toMatch(/^\S+( \S+)+$/)
      expect(words).not.toMatch(/undefined|NaN/)
      expect(words === amountInWords(other, locale)).toBe(one === other)
    }))

  it('is a whole number that is not too large, with 0 to 99 centimes', () => {
    for (const amount of [-1, 0.5, Number.NaN, LARGEST_AMOUNT_IN_WORDS + 1])
      expect(() => amountInWords(amount, 'fr')).toThrow(RangeError)
    for (const centimes of [-1, 0.5, 100])
      expect(() => amountInWords(2_000, 'fr', centimes)).toThrow(RangeError)
  })
})

// Half a dinar of stamp duty, and the forms that a number gives its noun.
const WITH_CENTIMES = [
  ['ar', 2_000, 0, 'ألفا دينار جزائري لا غير'],
  ['ar', 0, 50, 'صفر دينار جزائري وخمسون سنتيمًا لا غير'],
  ['ar', 2_000, 1, 'ألفا دينار جزائري وسنتيم واحد لا غير'],
  ['ar', 2_001, 2, 'ألفا دينار ودينار جزائري واحد وسنتيمان لا غير'],
  ['ar', 2_026, 3, 'ألفان وستة وعشرون دينارًا جزائريًا وثلاثة سنتيمات لا غير'],
  ['ar', 30_552, 50, 'ثلاثون ألفًا وخمسمائة واثنان وخمسون دينارًا جزائريًا وخمسون سنتيمًا لا غير'],
  ['fr', 1, 1, 'un dinar algérien et un centime'],
  ['fr', 30_552, 50, 'trente mille cinq cent cinquante-deux dinars algériens et cinquante centimes'],
  ['fr', 2_000, 80, 'deux mille dinars algériens et quatre-vingts centimes'],
  ['en', 1, 1, 'one Algerian dinar and one centime'],
  ['en', 30_552, 50, 'thirty thousand five hundred and fifty-two Algerian dinars and fifty centimes'],
] as const

it('an amount with centimes is in words as it was written by hand', () => {
  const said = WITH_CENTIMES.map(([locale, amount, centimes]) => amountInWords(amount, locale, centimes))
  expect(said).toEqual(WITH_CENTIMES.map(([, , , words]) => words))
})

it('an amount is what its words say, in French and in Arabic', () => {
  const parts = [0, 1, 2, 3, 10, 11, 71, 80, 99, 100, 101, 102, 180, 200, 300, 999]
  const round = fc.array(fc.constantFrom(...parts), { minLength: 3, maxLength: 3 }).map(([a, b, c]) => {
    const dinars = ((a ?? 0) % 100) * 1_000_000 + (b ?? 0) * 1000 + (c ?? 0)
    return dinars * 100
  })
  const centimes = fc.oneof(
    fc.integer({ min: 0, max: 9_999_999_999 }),
    round,
    fc.tuple(round, fc.nat(99)).map(([whole, rest]) => whole + rest),
  )
  forAll(200, centimes, (amount) => {
    const inWords = (locale: 'ar' | 'fr') => amountInWords(Math.floor(amount / 100), locale, amount % 100)
    expect(centimesOfFrench(inWords('fr')), inWords('fr')).toBe(amount)
    expect(centimesOfArabic(inWords('ar')), inWords('ar')).toBe(amount)
  })
})
