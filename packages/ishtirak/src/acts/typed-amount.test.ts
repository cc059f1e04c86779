import { readTypedAmount } from './typed-amount.js'

it('a typed amount is read in the ways in which it is written', () => {
  const ways: Readonly<Record<number, readonly string[]>> = {
    1980: [
      ...['1980', '1 980', '1 980,00', '1 980,0', '1980.00', '1.980,00', '1,980.00', '1\u00a0980,00'],
      ...['1\u202f980 DA', 'DZD 1 980', '1980da', '1 980,00 دج', '1980 د.ج.'],
      ...['١٩٨٠', '۱۹۸۰', '١٬٩٨٠٫٠٠', '\u2067١ ٩٨٠ دينار\u2069'],
    ],
    1234567: ['1.234.567', '1,234,567.00'],
    12345678: ['  12 345 678  '],
    0: ['0'],
  }
  for (const [dinars, written] of Object.entries(ways))
    for (const typed of written)
      expect.soft(readTypedAmount(typed), typed).toEqual({ kind: 'dinars', dinars: Number(dinars) })
})

it('centimes are not dropped, what can mean two amounts is not guessed at, and nothing else is read', () => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    centimes: ['1980,50', '1 980.05', '1.980,5', '1٬980٫01'],
    ambiguous: ['1.980', '1,980', '١٫٩٨٠', '1.980 DA'],
    unreadable: [
      ...['', ' ', 'DA', '-1980', '+1980', '1980-', '19 80', '1 9800', '1.980.00', '1,980,00', '1.98.000'],
      ...['1980,000', '0,980', '1e3', '0x10', '1980 EUR', '1 980 2', '1980,', ',50', '1..980', 'two', '½'],
    ],
  }
  for (const [kind, written] of Object.entries(kinds)) {
    const read = kind === 'ambiguous' ? { kind, grouped: 1_980 } : { kind }
    for (const typed of written) expect.soft(readTypedAmount(typed), typed).toEqual(read)
  }
})
