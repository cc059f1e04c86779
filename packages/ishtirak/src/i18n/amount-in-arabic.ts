// The Arabic of a sum of dinars. The counted noun changes with the number (one, a dual, a plural after 3 to 10, an
// accusative after 11 to 99, a genitive after hundreds), and what counts changes when the noun follows it directly.
// Everything stands in the nominative (ديناران، مائتان): it follows "مبلغ قدره" on the page and begins a sentence of its own.

/** A noun as numbers bend it. `constructDual` is the dual that a noun follows directly: ألفا دينار, not ألفان دينار. */
interface CountedNoun {
  readonly one: string
  /** After hundreds and thousands: the genitive, which unvocalised looks like the singular. */
  readonly genitive: string
  readonly dual: string
  readonly constructDual: string
  readonly plural: string
  readonly accusative: string
}

// Dinar is masculine, so 3 to 10 wear the feminine ending (ثلاثة), and the adjective follows the noun in number and case;
// the broken plural of a thing takes the feminine singular: دنانير جزائرية.
const DINAR: CountedNoun = {
  one: 'دينار جزائري واحد',
  genitive: 'دينار جزائري',
  dual: 'ديناران جزائريان',
  constructDual: 'ديناران جزائريان',
  plural: 'دنانير جزائرية',
  accusative: 'دينارًا جزائريًا',
}

const scale = (one: string, dual: string, plural: string): CountedNoun => ({
  one,
  genitive: one,
  dual: `${dual}ن`,
  constructDual: dual,
  plural,
  accusative: `${one}ًا`,
})

const SCALES = [
  scale('مليار', 'مليارا', 'مليارات'),
  scale('مليون', 'مليونا', 'ملايين'),
  scale('ألف', 'ألفا', 'آلاف'),
]

/** `amount` is a whole number from 0 to 999,999,999,999; the caller has made sure. */
export function arabicDinars(amount: number): string {
  return `${amount === 0 ? `صفر ${DINAR.genitive}` : dinars(amount)} لا غير`
}

function dinars(amount: number): string {
  const units = amount % 1000
  const counts = [1e9, 1e6, 1e3].map((size) => Math.floor(amount / size) % 1000)
  const scales = SCALES.flatMap((noun, index) => {
    const count = counts[index] ?? 0
    return count > 0 ? [{ noun, count }] : []
  })
  const upToScales = (inConstruct: boolean) =>
    scales.map(({ noun, count }, index) => countOf(count, noun, inConstruct && index === scales.length - 1))
  if (units === 0) return `${join(upToScales(true))} ${DINAR.genitive}`
  const lastTwo = units % 100
  if (lastTwo > 2 || lastTwo === 0) return join([...upToScales(false), countOf(units, DINAR, false)])
  return endingInOneOrTwo({ scales: upToScales, hundreds: units - lastTwo, lastTwo })
}

/** 101, 1,002: the noun is said twice, as in "ألف ليلة وليلة": مائة دينار ودينار جزائري واحد. */
function endingInOneOrTwo(parts: {
  readonly scales: (inConstruct: boolean) => readonly string[]
  readonly hundreds: number
  readonly lastTwo: number
}): string {
  const last = parts.lastTwo === 1 ? DINAR.one : DINAR.dual
  const head =
    parts.hundreds > 0 ? [...parts.scales(false), hundredsOf(parts.hundreds, true)] : parts.scales(true)
  return head.length === 0 ? last : `${join(head)} دينار و${last}`
}

/** `count` (1 to 999) of a noun. `inConstruct`: another noun follows directly, so duals lose their nun and tanween falls. */
function countOf(count: number, noun: CountedNoun, inConstruct: boolean): string {
  const lastTwo = count % 100
  const hundreds = count - lastTwo
  if (lastTwo === 0) return `${hundredsOf(hundreds, true)} ${noun.genitive}`
  if (lastTwo <= 2) {
    const dual = inConstruct ? noun.constructDual : noun.dual
    const last = lastTwo === 1 ? noun.one : dual
    // 101,000 is "a hundred thousand and a thousand": مائة ألف وألف. "مائة وألف" would be 1,100.
    return hundreds === 0 ? last : `${hundredsOf(hundreds, true)} ${noun.genitive} و${last}`
  }
  const many = inConstruct ? noun.genitive : noun.accusative
  const words = `${belowHundred(lastTwo)} ${lastTwo <= 10 ? noun.plural : many}`
  return hundreds === 0 ? words : `${hundredsOf(hundreds, false)} و${words}`
}

const SMALL = [
  '',
  'واحد',
  'اثنان',
  'ثلاثة',
  'أربعة',
  'خمسة',
  'ستة',
  'سبعة',
  'ثمانية',
  'تسعة',
  'عشرة',
  'أحد عشر',
  'اثنا عشر',
  'ثلاثة عشر',
  'أربعة عشر',
  'خمسة عشر',
  'ستة عشر',
  'سبعة عشر',
  'ثمانية عشر',
  'تسعة عشر',
]
const TENS = ['', '', 'عشرون', 'ثلاثون', 'أربعون', 'خمسون', 'ستون', 'سبعون', 'ثمانون', 'تسعون']

function belowHundred(count: number): string {
  if (count < 20) return SMALL[count] ?? ''
  const ten = TENS[Math.floor(count / 10)] ?? ''
  return count % 10 === 0 ? ten : `${SMALL[count % 10]} و${ten}`
}

// مائة, not مئة: both are right, and the first is what the Journal officiel and Algerian cheques write.
const HUNDREDS = [
  '',
  'مائة',
  'مائتان',
  'ثلاثمائة',
  'أربعمائة',
  'خمسمائة',
  'ستمائة',
  'سبعمائة',
  'ثمانمائة',
  'تسعمائة',
]

function hundredsOf(hundreds: number, inConstruct: boolean): string {
  return hundreds === 200 && inConstruct ? 'مائتا' : (HUNDREDS[hundreds / 100] ?? '')
}

function join(parts: readonly string[]): string {
  return parts.join(' و')
}
