import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { centimesOfArabic, centimesOfFrench } from '../../../../test/support/spoken-amounts.js'
import { LOCALES } from '../core/locale.js'
import { amountInWords, LARGEST_AMOUNT_IN_WORDS } from './amount-in-words.js'

// Written out by hand, not by the program. Each line is there for a rule that its neighbours do not show.
const FRENCH: readonly (readonly [number, string])[] = [
  [0, 'zéro dinar algérien'],
  [1, 'un dinar algérien'],
  [2, 'deux dinars algériens'],
  [3, 'trois dinars algériens'],
  [7, 'sept dinars algériens'],
  [10, 'dix dinars algériens'],
  [11, 'onze dinars algériens'],
  [16, 'seize dinars algériens'],
  [17, 'dix-sept dinars algériens'],
  [19, 'dix-neuf dinars algériens'],
  [20, 'vingt dinars algériens'],
  [21, 'vingt et un dinars algériens'],
  [22, 'vingt-deux dinars algériens'],
  [31, 'trente et un dinars algériens'],
  [45, 'quarante-cinq dinars algériens'],
  [61, 'soixante et un dinars algériens'],
  [69, 'soixante-neuf dinars algériens'],
  [70, 'soixante-dix dinars algériens'],
  [71, 'soixante et onze dinars algériens'],
  [72, 'soixante-douze dinars algériens'],
  [77, 'soixante-dix-sept dinars algériens'],
  [79, 'soixante-dix-neuf dinars algériens'],
  [80, 'quatre-vingts dinars algériens'],
  [81, 'quatre-vingt-un dinars algériens'],
  [82, 'quatre-vingt-deux dinars algériens'],
  [90, 'quatre-vingt-dix dinars algériens'],
  [91, 'quatre-vingt-onze dinars algériens'],
  [97, 'quatre-vingt-dix-sept dinars algériens'],
  [99, 'quatre-vingt-dix-neuf dinars algériens'],
  [100, 'cent dinars algériens'],
  [101, 'cent un dinars algériens'],
  [110, 'cent dix dinars algériens'],
  [121, 'cent vingt et un dinars algériens'],
  [180, 'cent quatre-vingts dinars algériens'],
  [200, 'deux cents dinars algériens'],
  [201, 'deux cent un dinars algériens'],
  [271, 'deux cent soixante et onze dinars algériens'],
  [280, 'deux cent quatre-vingts dinars algériens'],
  [300, 'trois cents dinars algériens'],
  [999, 'neuf cent quatre-vingt-dix-neuf dinars algériens'],
  [1_000, 'mille dinars algériens'],
  [1_001, 'mille un dinars algériens'],
  [1_080, 'mille quatre-vingts dinars algériens'],
  [1_100, 'mille cent dinars algériens'],
  [1_200, 'mille deux cents dinars algériens'],
  [2_000, 'deux mille dinars algériens'],
  [2_026, 'deux mille vingt-six dinars algériens'],
  [4_500, 'quatre mille cinq cents dinars algériens'],
  [21_000, 'vingt et un mille dinars algériens'],
  [71_000, 'soixante et onze mille dinars algériens'],
  [80_000, 'quatre-vingt mille dinars algériens'],
  [81_000, 'quatre-vingt-un mille dinars algériens'],
  [100_000, 'cent mille dinars algériens'],
  [101_000, 'cent un mille dinars algériens'],
  [200_000, 'deux cent mille dinars algériens'],
  [200_200, 'deux cent mille deux cents dinars algériens'],
  [280_000, 'deux cent quatre-vingt mille dinars algériens'],
  [1_000_000, 'un million de dinars algériens'],
  [1_000_001, 'un million un dinars algériens'],
  [1_001_000, 'un million mille dinars algériens'],
  [1_500_000, 'un million cinq cent mille dinars algériens'],
  [2_000_000, 'deux millions de dinars algériens'],
  [80_000_000, 'quatre-vingts millions de dinars algériens'],
  [200_000_000, 'deux cents millions de dinars algériens'],
  [1_000_000_000, 'un milliard de dinars algériens'],
  [3_080_200_000, 'trois milliards quatre-vingts millions deux cent mille dinars algériens'],
  [5_000_000_000, 'cinq milliards de dinars algériens'],
  [1_002_000_000, 'un milliard deux millions de dinars algériens'],
]

const ENGLISH: readonly (readonly [number, string])[] = [
  [0, 'zero Algerian dinars'],
  [1, 'one Algerian dinar'],
  [2, 'two Algerian dinars'],
  [3, 'three Algerian dinars'],
  [4, 'four Algerian dinars'],
  [5, 'five Algerian dinars'],
  [8, 'eight Algerian dinars'],
  [10, 'ten Algerian dinars'],
  [11, 'eleven Algerian dinars'],
  [12, 'twelve Algerian dinars'],
  [13, 'thirteen Algerian dinars'],
  [14, 'fourteen Algerian dinars'],
  [15, 'fifteen Algerian dinars'],
  [18, 'eighteen Algerian dinars'],
  [19, 'nineteen Algerian dinars'],
  [20, 'twenty Algerian dinars'],
  [21, 'twenty-one Algerian dinars'],
  [30, 'thirty Algerian dinars'],
  [34, 'thirty-four Algerian dinars'],
  [40, 'forty Algerian dinars'],
  [44, 'forty-four Algerian dinars'],
  [50, 'fifty Algerian dinars'],
  [58, 'fifty-eight Algerian dinars'],
  [66, 'sixty-six Algerian dinars'],
  [70, 'seventy Algerian dinars'],
  [77, 'seventy-seven Algerian dinars'],
  [80, 'eighty Algerian dinars'],
  [88, 'eighty-eight Algerian dinars'],
  [90, 'ninety Algerian dinars'],
  [99, 'ninety-nine Algerian dinars'],
  [100, 'one hundred Algerian dinars'],
  [101, 'one hundred and one Algerian dinars'],
  [110, 'one hundred and ten Algerian dinars'],
  [119, 'one hundred and nineteen Algerian dinars'],
  [120, 'one hundred and twenty Algerian dinars'],
  [200, 'two hundred Algerian dinars'],
  [342, 'three hundred and forty-two Algerian dinars'],
  [500, 'five hundred Algerian dinars'],
  [999, 'nine hundred and ninety-nine Algerian dinars'],
  [1_000, 'one thousand Algerian dinars'],
  [1_001, 'one thousand and one Algerian dinars'],
  [1_010, 'one thousand and ten Algerian dinars'],
  [1_100, 'one thousand one hundred Algerian dinars'],
  [1_101, 'one thousand one hundred and one Algerian dinars'],
  [2_000, 'two thousand Algerian dinars'],
  [2_026, 'two thousand and twenty-six Algerian dinars'],
  [4_500, 'four thousand five hundred Algerian dinars'],
  [10_000, 'ten thousand Algerian dinars'],
  [12_345, 'twelve thousand three hundred and forty-five Algerian dinars'],
  [21_000, 'twenty-one thousand Algerian dinars'],
  [80_080, 'eighty thousand and eighty Algerian dinars'],
  [100_000, 'one hundred thousand Algerian dinars'],
  [100_001, 'one hundred thousand and one Algerian dinars'],
  [101_000, 'one hundred and one thousand Algerian dinars'],
  [999_999, 'nine hundred and ninety-nine thousand nine hundred and ninety-nine Algerian dinars'],
  [1_000_000, 'one million Algerian dinars'],
  [1_000_001, 'one million and one Algerian dinars'],
  [1_000_100, 'one million one hundred Algerian dinars'],
  [1_001_000, 'one million one thousand Algerian dinars'],
  [2_500_000, 'two million five hundred thousand Algerian dinars'],
  [111_000_000, 'one hundred and eleven million Algerian dinars'],
  [1_000_000_000, 'one billion Algerian dinars'],
  [2_000_000_003, 'two billion and three Algerian dinars'],
  [
    2_147_483_647,
    'two billion one hundred and forty-seven million four hundred and eighty-three thousand six ' +
      'hundred and forty-seven Algerian dinars',
  ],
]

const ARABIC: readonly (readonly [number, string])[] = [
  [0, 'صفر دينار جزائري لا غير'],
  [1, 'دينار جزائري واحد لا غير'],
  [2, 'ديناران جزائريان لا غير'],
  // 3 to 10: the number takes the feminine ending, the noun is plural.
  [3, 'ثلاثة دنانير جزائرية لا غير'],
  [4, 'أربعة دنانير جزائرية لا غير'],
  [5, 'خمسة دنانير جزائرية لا غير'],
  [6, 'ستة دنانير جزائرية لا غير'],
  [7, 'سبعة دنانير جزائرية لا غير'],
  [8, 'ثمانية دنانير جزائرية لا غير'],
  [9, 'تسعة دنانير جزائرية لا غير'],
  [10, 'عشرة دنانير جزائرية لا غير'],
  // 11 to 99: accusative singular.
  [11, 'أحد عشر دينارًا جزائريًا لا غير'],
  [12, 'اثنا عشر دينارًا جزائريًا لا غير'],
  [13, 'ثلاثة عشر دينارًا جزائريًا لا غير'],
  [18, 'ثمانية عشر دينارًا جزائريًا لا غير'],
  [19, 'تسعة عشر دينارًا جزائريًا لا غير'],
  [20, 'عشرون دينارًا جزائريًا لا غير'],
  [21, 'واحد وعشرون دينارًا جزائريًا لا غير'],
  [22, 'اثنان وعشرون دينارًا جزائريًا لا غير'],
  [33, 'ثلاثة وثلاثون دينارًا جزائريًا لا غير'],
  [45, 'خمسة وأربعون دينارًا جزائريًا لا غير'],
  [58, 'ثمانية وخمسون دينارًا جزائريًا لا غير'],
  [60, 'ستون دينارًا جزائريًا لا غير'],
  [71, 'واحد وسبعون دينارًا جزائريًا لا غير'],
  [80, 'ثمانون دينارًا جزائريًا لا غير'],
  [99, 'تسعة وتسعون دينارًا جزائريًا لا غير'],
  // Hundreds: genitive singular, and the dual loses its nun before the noun.
  [100, 'مائة دينار جزائري لا غير'],
  [101, 'مائة دينار ودينار جزائري واحد لا غير'],
  [102, 'مائة دينار وديناران جزائريان لا غير'],
  [103, 'مائة وثلاثة دنانير جزائرية لا غير'],
  [110, 'مائة وعشرة دنانير جزائرية لا غير'],
  [111, 'مائة وأحد عشر دينارًا جزائريًا لا غير'],
  [150, 'مائة وخمسون دينارًا جزائريًا لا غير'],
  [200, 'مائتا دينار جزائري لا غير'],
  [201, 'مائتا دينار ودينار جزائري واحد لا غير'],
  [203, 'مائتان وثلاثة دنانير جزائرية لا غير'],
  [250, 'مائتان وخمسون دينارًا جزائريًا لا غير'],
  [300, 'ثلاثمائة دينار جزائري لا غير'],
  [800, 'ثمانمائة دينار جزائري لا غير'],
  [999, 'تسعمائة وتسعة وتسعون دينارًا جزائريًا لا غير'],
  [1_000, 'ألف دينار جزائري لا غير'],
  [1_001, 'ألف دينار ودينار جزائري واحد لا غير'],
  [1_002, 'ألف دينار وديناران جزائريان لا غير'],
  [1_003, 'ألف وثلاثة دنانير جزائرية لا غير'],
  [1_100, 'ألف ومائة دينار جزائري لا غير'],
  [1_101, 'ألف ومائة دينار ودينار جزائري واحد لا غير'],
  [1_200, 'ألف ومائتا دينار جزائري لا غير'],
  [2_000, 'ألفا دينار جزائري لا غير'],
  [2_002, 'ألفا دينار وديناران جزائريان لا غير'],
  [2_026, 'ألفان وستة وعشرون دينارًا جزائريًا لا غير'],
  [2_500, 'ألفان وخمسمائة دينار جزائري لا غير'],
  [3_000, 'ثلاثة آلاف دينار جزائري لا غير'],
  [4_500, 'أربعة آلاف وخمسمائة دينار جزائري لا غير'],
  [10_000, 'عشرة آلاف دينار جزائري لا غير'],
  // Before dinar the accusative ألفًا loses its tanween, before "and" it keeps it.
  [11_000, 'أحد عشر ألف دينار جزائري لا غير'],
  [11_500, 'أحد عشر ألفًا وخمسمائة دينار جزائري لا غير'],
  [24_000, 'أربعة وعشرون ألف دينار جزائري لا غير'],
  [99_999, 'تسعة وتسعون ألفًا وتسعمائة وتسعة وتسعون دينارًا جزائريًا لا غير'],
  [100_000, 'مائة ألف دينار جزائري لا غير'],
  [101_000, 'مائة ألف وألف دينار جزائري لا غير'],
  [102_000, 'مائة ألف وألفا دينار جزائري لا غير'],
  [102_500, 'مائة ألف وألفان وخمسمائة دينار جزائري لا غير'],
  [103_000, 'مائة وثلاثة آلاف دينار جزائري لا غير'],
  [200_000, 'مائتا ألف دينار جزائري لا غير'],
  [250_000, 'مائتان وخمسون ألف دينار جزائري لا غير'],
  [1_000_000, 'مليون دينار جزائري لا غير'],
  [1_000_001, 'مليون دينار ودينار جزائري واحد لا غير'],
  [1_500_000, 'مليون وخمسمائة ألف دينار جزائري لا غير'],
  [2_000_000, 'مليونا دينار جزائري لا غير'],
  [2_300_000, 'مليونان وثلاثمائة ألف دينار جزائري لا غير'],
  [3_000_000, 'ثلاثة ملايين دينار جزائري لا غير'],
  [12_000_000, 'اثنا عشر مليون دينار جزائري لا غير'],
  [12_000_500, 'اثنا عشر مليونًا وخمسمائة دينار جزائري لا غير'],
  [1_000_000_000, 'مليار دينار جزائري لا غير'],
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
  it('is as it was written by hand, for at least sixty numbers, each once', () => {
    expect(table.map(([amount]) => [amount, amountInWords(amount, locale)])).toEqual(table)
    expect(new Set(table.map(([amount]) => amount)).size).toBe(table.length)
    expect(table.length).toBeGreaterThanOrEqual(60)
  })

  it('gives every number below 20,000 words of its own', () => {
    const texts = new Set(Array.from({ length: 20_000 }, (_, amount) => amountInWords(amount, locale)))
    expect(texts.size).toBe(20_000)
  })
})

// Round numbers are where the grammar bends, and a plain random integer is hardly ever round.
const amounts = fc.oneof(
  fc.integer({ min: 0, max: LARGEST_AMOUNT_IN_WORDS }),
  fc
    .array(fc.constantFrom(0, 1, 2, 3, 10, 11, 80, 100, 101, 102, 200, 999), { minLength: 4, maxLength: 4 })
    .map((groups) => groups.reduce<number>((amount, group) => amount * 1000 + group, 0)),
)

describe('any amount', () => {
  it('has words, set apart by single spaces, and no two amounts have the same', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.constantFrom(...LOCALES), (one, other, locale) => {
        const words = amountInWords(one, locale)
        expect(words).toMatch(/^\S+( \S+)+$/)
        expect(words).not.toMatch(/undefined|NaN/)
        expect(words === amountInWords(other, locale)).toBe(one === other)
      }),
      { numRuns: 200 },
    )
  })

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
  fc.assert(
    fc.property(centimes, (amount) => {
      const inWords = (locale: 'ar' | 'fr') => amountInWords(Math.floor(amount / 100), locale, amount % 100)
      expect(centimesOfFrench(inWords('fr')), inWords('fr')).toBe(amount)
      expect(centimesOfArabic(inWords('ar')), inWords('ar')).toBe(amount)
    }),
    { numRuns: 200 },
  )
})
