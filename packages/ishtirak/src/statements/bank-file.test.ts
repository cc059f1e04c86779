// Bank statements as banks write them: what is found out from a file, and what is asked.
import { describe, expect, it } from 'vitest'
import { readCentimes } from './bank-amount.js'
import { readDay } from './bank-day.js'
import { readBankFile, viewForm } from './bank-file.js'

/** Bytes of the code pages that Node writes nothing of. */
function encoded(text: string, encoding: 'windows-1252' | 'windows-1256'): Uint8Array {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const letters = new Map(bytes.map((byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]))
  return Uint8Array.from([...text].map((letter) => letters.get(letter) ?? 63))
}
const utf8 = (text: string) => new TextEncoder().encode(text)

const CCP = `Compte CCP;0023456789 clé 88\r
Période;du 01/11/2026 au 21/11/2026\r
\r
Date opération;Date valeur;Libellé de l'opération;Débit;Crédit;Solde\r
18/11/2026;19/11/2026;VERSEMENT ESPÈCES K4M9 2R8F JW36;;2 000,00;12 000,00\r
19/11/2026;19/11/2026;"FRAIS; TENUE DE COMPTE";350,00;;11 650,00\r
20/11/2026;21/11/2026;VIREMENT É. TALEB;;1 980,50;13 630,50\r
Total;;;350,00;3 980,50;\r
`
const BARIDIMOB = `\ufeffDate,Description,Montant
2026-11-18 09:12,Virement reçu K4M9-2R8F-JW36,"+2,000.00 DA"
2026-11-19 10:00,Retrait,"-1,500.00 DA"
`
const ARABIC = `كشف حساب|بنك المثال
التاريخ|البيان|مدين|دائن
18-11-26|تحويل من سميرة طالب|0٫00|٢٠٠٠٫٥٠
19-11-26|عمولة|١٠٫٠٠|
`

const read = (file: Uint8Array, said: Parameters<typeof readBankFile>[1] = {}) => {
  const { form, lines } = readBankFile(file, said)
  return { form: viewForm(form), lines: lines.map(({ day, centimes, text }) => [day, centimes, text]) }
}

describe('a file', () => {
  it('of a CCP: semicolons, Windows-1252, rows above the table, debits, a sum below', () => {
    expect(read(encoded(CCP, 'windows-1252'))).toEqual({
      form: {
        ...{
          encoding: 'windows-1252',
          delimiter: 'semicolon',
          header_rows: 3,
          date: '1',
          amount: '5',
          text: '3',
        },
        ...{ day_order: 'dmy', decimal: ',' },
      },
      lines: [
        ['2026-11-18', 200_000, 'VERSEMENT ESPÈCES K4M9 2R8F JW36'],
        ['2026-11-20', 198_050, 'VIREMENT É. TALEB'],
      ],
    })
  })

  it('of BaridiMob: commas, UTF-8 with a mark, one column of money, the year first', () => {
    expect(read(utf8(BARIDIMOB))).toMatchObject({
      form: {
        encoding: 'utf-8',
        delimiter: 'comma',
        date: '1',
        amount: '3',
        text: '2',
        day_order: 'ymd',
        decimal: '.',
      },
      lines: [['2026-11-18', 200_000, 'Virement reçu K4M9-2R8F-JW36']],
    })
  })

  it('of a bank in Arabic: Windows-1256 or UTF-16, bars, Arabic headings and digits', () => {
    const latin = ARABIC.replace(/[٠-٩]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15)).replaceAll(
      '٫',
      ',',
    )
    expect(read(encoded(latin, 'windows-1256'))).toMatchObject({
      form: { encoding: 'windows-1256', delimiter: 'pipe', date: '1', amount: '4', text: '2' },
      lines: [['2026-11-18', 200_050, 'تحويل من سميرة طالب']],
    })
    const wide = Uint8Array.from([0xff, 0xfe, ...Buffer.from(ARABIC, 'utf16le')])
    expect(read(wide)).toMatchObject({
      form: { encoding: 'utf-16le' },
      lines: [['2026-11-18', 200_050, 'تحويل من سميرة طالب']],
    })
  })

  it('without headings is read by its contents', () => {
    const bare = '18/11/2026\tKARIM K4M9-2R8F-JW36\t2000,00\n19/11/2026\tSAMIRA\t1500,00\n'
    expect(read(utf8(bare))).toMatchObject({
      form: { delimiter: 'tab', header_rows: 0, date: '1', amount: '3', text: '2' },
      lines: [
        ['2026-11-18', 200_000, 'KARIM K4M9-2R8F-JW36'],
        ['2026-11-19', 150_000, 'SAMIRA'],
      ],
    })
  })

  it.each([
    ['an order of the day', 'Date;Libellé;Crédit\n01/02/2026;x;5,00\n', ['day_order']],
    ['a sign before three digits', 'Date;Libellé;Crédit\n21/02/2026;x;1.980\n', ['decimal']],
    ['two columns of figures', '21/02/2026;x;5,00;9,00\n22/02/2026;x;6,00;8,00\n', ['amount']],
    ['two columns of days', '21/02/2026;22/02/2026;x;5,00\n22/02/2026;23/02/2026;x;6,00\n', ['date']],
  ])('that can be two things asks: %s', (_what, text, unclear) => {
    expect(() => read(utf8(text))).toThrow(
      expect.objectContaining({ extra: expect.objectContaining({ reason: 'form_unclear', unclear }) }),
    )
  })

  it('is read as it was said, by numbers or headings', () => {
    const text = 'Jour;A;B\n01/02/2026;9,00;5,00\n'
    const said = { day_order: 'mdy', date: 'jour', amount: 'B', text: '2', header_rows: 1 } as const
    expect(read(utf8(text), said).lines).toEqual([['2026-01-02', 500, '9,00']])
  })

  it('that tells the order of the day in one line tells it for all', () => {
    const text = 'Date;Libellé;Crédit\n01/02/2026;x;5,00\n13/02/2026;x;1.980\n14/02/2026;x;2.000,50\n'
    expect(read(utf8(text)).lines.map(([day, centimes]) => [day, centimes])).toEqual([
      ['2026-02-01', 500],
      ['2026-02-13', 198_000],
      ['2026-02-14', 200_050],
    ])
  })
})

it.each([
  ['1 980,00', ',', 198_000],
  ['1\u202f980,5', ',', 198_050],
  ['1.980', ',', 198_000],
  ['1.980', '.', null],
  ['1,980.00', '.', 198_000],
  ['١٬٩٨٠٫٠٠', ',', 198_000],
  ['1 980 DA', ',', 198_000],
  ['+5,00', ',', 500],
  ['5,00 CR', ',', 500],
  ['5,00 D', ',', 0],
  ['-5,00', ',', 0],
  ['5,00-', ',', 0],
  ['(5,00)', ',', 0],
  ['', ',', 0],
  ['-', ',', 0],
  ['0,00', ',', 0],
  ['5O0,00', ',', null],
  ['1.98,00', ',', null],
  ['#REF!', ',', null],
  ['99999999999999999', ',', null],
] as const)('the amount %j with %s before the centimes is %s', (cell, decimal, centimes) => {
  expect(readCentimes(cell, decimal)).toBe(centimes)
})

it.each([
  ['21/11/2026', 'dmy', '2026-11-21'],
  ['11/21/2026', 'mdy', '2026-11-21'],
  ['21-11-26', 'dmy', '2026-11-21'],
  ['2026-11-21', 'dmy', '2026-11-21'],
  ['20261121', 'ymd', '2026-11-21'],
  ['٢١/١١/٢٠٢٦', 'dmy', '2026-11-21'],
  ['21.11.2026 09:30:00', 'dmy', '2026-11-21'],
  ['31/02/2026', 'dmy', null],
  ['21/11', 'dmy', null],
  ['x', 'dmy', null],
] as const)('the day %j as %s is %s', (cell, order, day) => {
  expect(readDay(cell, order)).toBe(day)
})
