// Reads amounts in words back, by the rules of counting alone: it shares nothing with what writes them.

type Numbers = Readonly<Record<string, number>>

/** A scale multiplies what stands before it, and `whole` is added as it is. */
function sumOf(words: readonly string[], numbers: Numbers, scales: Numbers, whole: Numbers = {}): number {
  let [total, below] = [0, 0]
  for (const word of words) {
    const [number, scale] = [numbers[word], scales[word]]
    if (word === 'cent') below = (below || 1) * 100
    else if (scale !== undefined) {
      total += (below || 1) * scale
      below = 0
    } else if (number !== undefined) below += number
    else if (whole[word] !== undefined) total += whole[word]
    else throw new Error(`no number is called ${word}`)
  }
  return total + below
}

const FRENCH: Numbers = {
  ...{ zéro: 0, un: 1, deux: 2, trois: 3, quatre: 4, cinq: 5, six: 6, sept: 7, huit: 8, neuf: 9, dix: 10 },
  ...{ onze: 11, douze: 12, treize: 13, quatorze: 14, quinze: 15, seize: 16, vingt: 20, trente: 30 },
  ...{ quarante: 40, cinquante: 50, soixante: 60, octante: 80 },
}
const FRENCH_SCALES: Numbers = { mille: 1e3, million: 1e6, milliard: 1e9 }

/** `deux mille dinars algériens et un centime` is 200,001. */
export function centimesOfFrench(text: string): number {
  const [dinars = '', centimes = ''] = text.split(/ dinars? algériens?/)
  return frenchNumber(dinars) * 100 + frenchNumber(centimes)
}

function frenchNumber(text: string): number {
  const words = text.replace(/quatre-vingts?/g, 'octante').split(/[ -]/)
  const singular = words.map((word) => word.replace(/(?<=cent|million|milliard|centime)s$/, ''))
  const counted = singular.filter((word) => !['', 'et', 'de', 'centime'].includes(word))
  return sumOf(counted, FRENCH, FRENCH_SCALES)
}

const ARABIC: Numbers = {
  ...{ صفر: 0, واحد: 1, أحد: 1, اثنان: 2, اثنا: 2, ثلاثة: 3, أربعة: 4, خمسة: 5, ستة: 6, سبعة: 7 },
  ...{ ثمانية: 8, تسعة: 9, عشرة: 10, عشر: 10, عشرون: 20, ثلاثون: 30, أربعون: 40, خمسون: 50, ستون: 60 },
  ...{ سبعون: 70, ثمانون: 80, تسعون: 90, مائة: 100, مائتان: 200, مائتا: 200, ثلاثمائة: 300 },
  ...{ أربعمائة: 400, خمسمائة: 500, ستمائة: 600, سبعمائة: 700, ثمانمائة: 800, تسعمائة: 900 },
}
const ARABIC_SCALES: Numbers = {
  ...{ ألف: 1e3, ألفًا: 1e3, آلاف: 1e3, مليون: 1e6, مليونًا: 1e6, ملايين: 1e6 },
  ...{ مليار: 1e9, مليارًا: 1e9, مليارات: 1e9 },
}
/** Two of something are one word. */
const ARABIC_TWO: Numbers = {
  ...{ ألفان: 2e3, ألفا: 2e3, مليونان: 2e6, مليونا: 2e6, ملياران: 2e9, مليارا: 2e9 },
  ...{ ديناران: 2, سنتيمان: 2 },
}
const ARABIC_NOUNS = ['دينار', 'دينارًا', 'دنانير', 'سنتيم', 'سنتيمًا', 'سنتيمات']
const isKnown = (word: string) =>
  [ARABIC, ARABIC_SCALES, ARABIC_TWO].some((words) => word in words) || ARABIC_NOUNS.includes(word)

/** `ألفا دينار جزائري وسنتيم واحد لا غير` is 200,001. */
export function centimesOfArabic(text: string): number {
  // The adjective follows the dinars, and one follows it: دينار جزائري واحد.
  const [, dinars = '', , one, centimes = ''] =
    /^(.*?) جزائري(ان|ًا|ة)?( واحد)?(?: و(.*))? لا غير$/.exec(text) ?? []
  return (arabicNumber(dinars) + (one === undefined ? 0 : 1)) * 100 + arabicNumber(centimes)
}

function arabicNumber(text: string): number {
  const words = text.split(' ').map((joined) => (isKnown(joined) ? joined : joined.replace(/^و/, '')))
  const counted = words.filter((word) => word !== '' && !ARABIC_NOUNS.includes(word))
  return sumOf(counted, ARABIC, ARABIC_SCALES, ARABIC_TWO)
}
