import { SeededRandom } from '../../../../test/support/random.js'
import { drawReference, formatReference, plainReference, readReference } from './reference.js'

const ALPHABET = '2345689FJKMRW'
const random = new SeededRandom(17)
const references = Array.from({ length: 200 }, () => drawReference((size) => random.bytes(size)))
const [first = ''] = references
const accepted = (wrong: readonly string[]) => wrong.filter((reference) => readReference(reference) !== null)

describe('a reference', () => {
  it('has 11 random symbols of 13, which are 40 bits, and a symbol that checks them', () => {
    expect(11 * Math.log2(ALPHABET.length)).toBeGreaterThan(40)
    expect(references.every((reference) => /^[2345689FJKMRW]{12}$/.test(reference))).toBe(true)
    expect(references.map(readReference)).toEqual(references)
  })

  it('takes each symbol as often as any other: bytes that would favour some are not used', () => {
    const draws = [247, 255, 246]
    expect(drawReference((size) => new Uint8Array(size).fill(draws.shift() ?? 0))).toMatch(/^W{11}/)
    expect([247 % 13, 246 % 13]).toEqual([0, 12])
  })

  it('with any one wrong symbol is none', () => {
    const wrong = references.flatMap((reference) =>
      [...reference].flatMap((right, place) =>
        [...ALPHABET]
          .filter((symbol) => symbol !== right)
          .map((symbol) => reference.slice(0, place) + symbol + reference.slice(place + 1)),
      ),
    )
    expect([wrong.length, accepted(wrong)]).toEqual([200 * 12 * 12, []])
  })

  it('with any two neighbours swapped, or any other two, is none', () => {
    const swapped = references.flatMap((reference) =>
      [...reference].flatMap((one, place) =>
        [...reference].flatMap((other, further) => {
          if (further <= place || one === other) return []
          const symbols = [...reference]
          symbols.splice(place, 1, other)
          symbols.splice(further, 1, one)
          return [symbols.join('')]
        }),
      ),
    )
    expect(swapped.length).toBeGreaterThan(200 * 50)
    expect(accepted(swapped)).toEqual([])
  })

  it('is shown in groups of four, and read in the ways in which it is written', () => {
    expect(formatReference(first)).toBe(`${first.slice(0, 4)}-${first.slice(4, 8)}-${first.slice(8)}`)
    const digitsOf = (digits: string) => (reference: string) =>
      reference.replace(/\d/g, (digit) => digits.charAt(Number(digit)))
    const wide = (symbol: string) => String.fromCodePoint((symbol.codePointAt(0) ?? 0) + 0xfee0)
    const alike = { 2: 'z', 5: 'S', 6: 'G', 8: 'B', 9: 'q' }
    const ways: readonly ((reference: string) => string)[] = [
      formatReference,
      (reference) => ` ${reference.toLowerCase().split('').join(' ')} `,
      ...[digitsOf('٠١٢٣٤٥٦٧٨٩'), digitsOf('۰۱۲۳۴۵۶۷۸۹')],
      // In wide letters, with marks of direction, and with the signs of a word processor.
      (reference) => `\u2066${reference.replace(/./g, wide)}\u2069`,
      (reference) => `${reference.slice(0, 4)}\u2212${reference.slice(4)}\u0640`,
      (reference) => reference.replace(/[25689]/g, (digit) => alike[digit as '2']),
    ]
    for (const write of ways)
      expect.soft(references.map((reference) => readReference(write(reference)))).toEqual(references)
  })

  it('is not read from anything else', () => {
    const id = 'pay_01jd7k3v9m4w8x2z5c6b7n8q9r'
    expect(accepted(['', 'K4M9', '2222-2222-2223', `${first}2`, first.replace(/.$/, '٪'), id])).toEqual([])
  })
})

it('the reference of a cheque is one, with any space in it', () => {
  const typed = ['BNA 7', ' bna\u00a07', 'BNA \u200e 7']
  expect(typed.map(plainReference)).toEqual(Array(3).fill('BNA 7'))
})
