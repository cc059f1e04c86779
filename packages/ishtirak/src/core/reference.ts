// The reference of a transfer: the payer writes it on the slip, and the operator reads it there. It has 12
// symbols of an alphabet of 13: 11 random ones (40.7 bits) and a check symbol.
//
// The alphabet has at most one symbol of each group that people confuse:
//   by hand            0 O Q D · 1 I L 7 T · 2 Z · 3 E · 4 A Y · 5 S · 6 G · 8 B · 9 Q · C G · E F · K X H ·
//                      M N · P R · U V W
//   in French letters  B C D E G P T V (bé, cé …) · A H K (a, ache, ka) · F S · G J (jé, ji) · M N · Q U ·
//                      6 X (six, ixe)
//   in Arabic speech   B P · F V · E I · O U · G J · 7 9 (sab‘a, tis‘a)
//
// The check. The sum of position times value over all 12 symbols is 0 modulo 13. As 13 is a prime and no two
// positions are equal modulo 13, a wrong symbol changes the sum, and so does a swap of any two that differ,
// neighbours or not.

const ALPHABET = '2345689FJKMRW'
export const REFERENCE_LENGTH = 12
const PRIME = ALPHABET.length
/** The greatest multiple of 13 that a byte can reach: bytes from here on would favour the first symbols. */
const FAIR_BYTES = 256 - (256 % PRIME)

/** Draws a reference as it is stored: 12 symbols. `random` returns as many bytes as it is asked for. */
export function drawReference(random: (size: number) => Uint8Array): string {
  const values: number[] = []
  while (values.length < REFERENCE_LENGTH - 1) {
    const fair = [...random(REFERENCE_LENGTH)].filter((byte) => byte < FAIR_BYTES)
    values.push(...fair.slice(0, REFERENCE_LENGTH - 1 - values.length).map((byte) => byte % PRIME))
  }
  // The last position, 12, is -1 modulo 13: there the sum of the others brings the whole to 0.
  return [...values, sumOf(values)].map((value) => ALPHABET.charAt(value)).join('')
}

/** Shows it in groups of four: `K4M9-2R8F-JW36`. */
export function formatReference(reference: string): string {
  return reference.replace(/(.{4})(?=.)/g, '$1-')
}

/** Letters that look like a digit of the alphabet. */
const READ_AS: Readonly<Record<string, string>> = { Z: '2', S: '5', G: '6', B: '8', Q: '9' }

/** Cleans a typed reference or a part of one: case, separators, Arabic digits, letters like digits. */
export function bareReference(typed: string): string {
  return foldReference(typed).replace(/[\s\-\u0640.,_/\u00b7]/g, '')
}

export function readReference(typed: string): string | null {
  const bare = bareReference(typed)
  return isReference(bare) ? bare : null
}

/** Replaces the letters that look like a digit of the alphabet, in any text. */
export function foldReference(text: string): string {
  return plainReference(text).replace(/[ZSGBQ]/g, (letter) => READ_AS[letter] ?? letter)
}

/** True if it has 12 symbols of the alphabet and the check symbol is right. */
export function isReference(bare: string): boolean {
  if (bare.length !== REFERENCE_LENGTH) return false
  const values: number[] = []
  // In a text that is searched, most candidates soon have a symbol outside the alphabet.
  for (const symbol of bare) {
    const value = ALPHABET.indexOf(symbol)
    if (value === -1) return false
    values.push(value)
  }
  return sumOf(values) === 0
}

/** Normalizes what a person copied: Arabic digits, wide or small letters, white space. */
export function plainReference(typed: string): string {
  return typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/\p{Cf}/gu, '')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(/\p{Pd}|\u2212/gu, '-')
    .replace(/[\u2044\u2215]/g, '/')
    .replace(/\s+/g, ' ')
    .trim()
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value, index) => (sum + value * (index + 1)) % PRIME, 0)
}
