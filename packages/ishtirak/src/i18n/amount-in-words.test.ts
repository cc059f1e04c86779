import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { centimesOfArabic, centimesOfFrench } from '../../../../test/support/spoken-amounts.js'
import { LOCALES } from '../core/locale.js'
import { amountInWords, LARGEST_AMOUNT_IN_WORDS } from './amount-in-words.js'

/** Each with `noun` behind it, unless it has one. */
const handWritten = (noun: string, table: string): readonly (readonly [number, string])[] =>
  table.split(/,\s+/).map((entry) => {
    const [, amount = '', words = ''] = /^([\d_]+) (.*)$/.exec(entry.replace(/\s+/g, ' ')) ?? []
    return [Number(amount.replaceAll('_', '')), /dinar/.test(words) ? words : words + noun]
  })

// Written out by hand, not by the program. Each is there for a rule that its neighbours do not show.
const FRENCH = handWritten(
  ' dinars algériens',
  `0 zéro dinar algérien, 1 un dinar algérien, 2 deux, 3 trois, 7 sept, 10 dix, 11 onze, 16 seize,
  17 dix-sept, 19 dix-neuf, 20 vingt, 21 vingt et un, 22 vingt-deux, 31 trente et un, 45 quarante-cinq,
  61 soixante et un, 69 soixante-neuf, 70 soixante-dix, 71 soixante et onze, 72 soixante-douze,
  77 soixante-dix-sept, 79 soixante-dix-neuf, 80 quatre-vingts, 81 quatre-vingt-un, 82 quatre-vingt-deux,
  90 quatre-vingt-dix, 91 quatre-vingt-onze, 97 quatre-vingt-dix-sept, 99 quatre-vingt-dix-neuf,
  100 cent, 101 cent un, 110 cent dix, 121 cent vingt et un, 180 cent quatre-vingts, 200 deux cents,
  201 deux cent un, 271 deux cent soixante et onze, 280 deux cent quatre-vingts, 300 trois cents,
  999 neuf cent quatre-vingt-dix-neuf, 1_000 mille, 1_001 mille un, 1_080 mille quatre-vingts,
  1_100 mille cent, 1_200 mille deux cents, 2_000 deux mille, 2_026 deux mille vingt-six,
  4_500 quatre mille cinq cents, 21_000 vingt et un mille, 71_000 soixante et onze mille,
  80_000 quatre-vingt mille, 81_000 quatre-vingt-un mille, 100_000 cent mille, 101_000 cent un mille,
  200_000 deux cent mille, 200_200 deux cent mille deux cents, 280_000 deux cent quatre-vingt mille,
  1_000_000 un million de dinars algériens, 1_000_001 un million un, 1_001_000 un million mille,
  1_500_000 un million cinq cent mille, 2_000_000 deux millions de dinars algériens,
  80_000_000 quatre-vingts millions de dinars algériens,
  200_000_000 deux cents millions de dinars algériens, 1_000_000_000 un milliard de dinars algériens,
  3_080_200_000 trois milliards quatre-vingts millions deux cent mille,
  5_000_000_000 cinq milliards de dinars algériens,
  1_002_000_000 un milliard deux millions de dinars algériens`,
)

const ENGLISH = handWritten(
  ' Algerian dinars',
  `0 zero, 1 one Algerian dinar, 2 two, 3 three, 4 four, 5 five, 8 eight, 10 ten, 11 eleven, 12 twelve,
  13 thirteen, 14 fourteen, 15 fifteen, 18 eighteen, 19 nineteen, 20 twenty, 21 twenty-one, 30 thirty,
  34 thirty-four, 40 forty, 44 forty-four, 50 fifty, 58 fifty-eight, 66 sixty-six, 70 seventy,
  77 seventy-seven, 80 eighty, 88 eighty-eight, 90 ninety, 99 ninety-nine, 100 one hundred,
  101 one hundred and one, 110 one hundred and ten, 119 one hundred and nineteen,
  120 one hundred and twenty, 200 two hundred, 342 three hundred and forty-two, 500 five hundred,
  999 nine hundred and ninety-nine, 1_000 one thousand, 1_001 one thousand and one,
  1_010 one thousand and ten, 1_100 one thousand one hundred, 1_101 one thousand one hundred and one,
  2_000 two thousand, 2_026 two thousand and twenty-six, 4_500 four thousand five hundred,
  10_000 ten thousand, 12_345 twelve thousand three hundred and forty-five, 21_000 twenty-one thousand,
  80_080 eighty thousand and eighty, 100_000 one hundred thousand, 100_001 one hundred thousand and one,
  101_000 one hundred and one thousand,
  999_999 nine hundred and ninety-nine thousand nine hundred and ninety-nine, 1_000_000 one million,
  1_000_001 one million and one, 1_000_100 one million one hundred, 1_001_000 one million one thousand,
  2_500_000 two million five hundred thousand, 111_000_000 one hundred and eleven million,
  1_000_000_000 one billion, 2_000_000_003 two billion and three,
  2_147_483_647 two billion one hundred and forty-seven million four hundred and eighty-three thousand
  six hundred and forty-seven`,
)

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
