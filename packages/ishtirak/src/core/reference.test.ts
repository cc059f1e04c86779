// Every wrong symbol and every swap is tried.
import { describe, expect, it } from 'vitest'
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

  it('has one symbol at most of those that are mixed up', () => {
    for (const [_way, groups] of [
      [
        'by hand',
        ['0OQD', '1IL7T', '2Z', '3E', '4AY', '5S', '6G', '8B', '9Q', 'CG', 'EF', 'KXH', 'MN', 'PR', 'UVW'],
      ],
      ['in French letters', ['BCDEGPTV', 'AHK', 'FS', 'GJ', 'MN', 'QU', '6X']],
      ['in Arabic speech', ['BP', 'FV', 'EI', 'OU', 'GJ', '79']],
    ] as const) {
      for (const group of groups)
        expect([...group].filter((symbol) => ALPHABET.includes(symbol)).length, group).toBeLessThanOrEqual(1)
    }
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

  it('is shown in groups of four', () => {
    expect(formatReference(first)).toBe(`${first.slice(0, 4)}-${first.slice(4, 8)}-${first.slice(8)}`)
  })

  it('is read in the ways in which it is written', () => {
    for (const [_way, write] of [
      ['as it is shown', formatReference],
      [
        'in small letters and with spaces',
        (reference: string) => ` ${reference.toLowerCase().split('').join(' ')} `,
      ],
      [
        'with Arabic digits',
        (reference: string) => reference.replace(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit))),
      ],
      [
        'with Persian digits',
        (reference: string) => reference.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'.charAt(Number(digit))),
      ],
      [
        'in wide letters, with marks of direction',
        (reference: string) => {
          const wide = (symbol: string) => String.fromCodePoint((symbol.codePointAt(0) ?? 0) + 0xfee0)
          return `\u2066${reference.replace(/./g, wide)}\u2069`
        },
      ],
      [
        'with signs of a word processor',
        (reference: string) => `${reference.slice(0, 4)}\u2212${reference.slice(4)}\u0640`,
      ],
      [
        'with letters for the digits that look like them',
        (reference: string) =>
          reference
            .replaceAll('2', 'z')
            .replaceAll('5', 'S')
            .replaceAll('6', 'G')
            .replaceAll('8', 'B')
            .replaceAll('9', 'q'),
      ],
    ] as const) {
      expect
        .soft(
          references.map((reference) => readReference(write(reference))),
          String(_way),
        )
        .toEqual(references)
    }
  })

  it('is not read from anything else', () => {
    for (const typed of [
      '',
      'K4M9',
      '2222-2222-2223',
      `${first}2`,
      first.replace(/.$/, '٪'),
      'pay_01jd7k3v9m4w8x2z5c6b7n8q9r',
    ] as const) {
      expect.soft(readReference(typed), String(typed)).toBeNull()
    }
  })
})

it('the reference of a cheque is one, with any space in it', () => {
  for (const typed of ['BNA 7', ' bna\u00a07', 'BNA \u200e 7'] as const) {
    expect.soft(plainReference(typed), String(typed)).toBe('BNA 7')
  }
})
