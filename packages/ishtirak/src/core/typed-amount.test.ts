// Amounts as operators type them.
import { describe, expect, it } from 'vitest'
import { readTypedAmount } from './typed-amount.js'

describe('a typed amount', () => {
  it('is read in the ways in which it is written', () => {
    for (const [typed, dinars] of [
      ['1980', 1_980],
      ['1 980', 1_980],
      ['1 980,00', 1_980],
      ['1 980,0', 1_980],
      ['1980.00', 1_980],
      ['1.980,00', 1_980],
      ['1,980.00', 1_980],
      ['1\u00a0980,00', 1_980],
      ['1\u202f980 DA', 1_980],
      ['DZD 1 980', 1_980],
      ['1980da', 1_980],
      ['1 980,00 دج', 1_980],
      ['1980 د.ج.', 1_980],
      ['١٩٨٠', 1_980],
      ['۱۹۸۰', 1_980],
      ['١٬٩٨٠٫٠٠', 1_980],
      ['\u2067١ ٩٨٠ دينار\u2069', 1_980],
      ['1.234.567', 1_234_567],
      ['1,234,567.00', 1_234_567],
      ['  12 345 678  ', 12_345_678],
      ['0', 0],
    ] as const) {
      expect.soft(readTypedAmount(typed), String(typed)).toEqual({ kind: 'dinars', dinars })
    }
  })

  it('with centimes is said to have them', () => {
    for (const typed of ['1980,50', '1 980.05', '1.980,5', '1٬980٫01'] as const) {
      expect.soft(readTypedAmount(typed), String(typed)).toEqual({ kind: 'centimes' })
    }
  })

  it('that can mean two amounts is not guessed at', () => {
    for (const typed of ['1.980', '1,980', '١٫٩٨٠', '1.980 DA'] as const) {
      expect.soft(readTypedAmount(typed), String(typed)).toEqual({ kind: 'ambiguous', grouped: 1_980 })
    }
  })

  it('is not read from anything else', () => {
    for (const typed of [
      ...[
        '',
        ' ',
        'DA',
        '-1980',
        '+1980',
        '1980-',
        '19 80',
        '1 9800',
        '1.980.00',
        '1,980,00',
        '1.98.000',
        '1980,000',
      ],
      ...['0,980', '1e3', '0x10', '1980 EUR', '1 980 2', '1980,', ',50', '1..980', 'two', '½'],
    ] as const) {
      expect.soft(readTypedAmount(typed), String(typed)).toEqual({ kind: 'unreadable' })
    }
  })
})
