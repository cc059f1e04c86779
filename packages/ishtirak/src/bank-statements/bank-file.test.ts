// Bank statements as banks write them: what is found out from a file, and what is asked.
import { CELLS_MAX, ROW_CHARACTERS_MAX, SLICE_CHARACTERS } from '../acts/csv-file.js'
import { readCentimes } from './bank-amount.js'
import { readDay } from './bank-day.js'
import { type ReadLine, readBankFile } from './bank-file.js'

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

type Said = Parameters<typeof readBankFile>[1]

/** Everything that is read from a file. */
async function readAll(file: Uint8Array | string, said: Said = {}) {
  const all: ReadLine[] = []
  const { form, leftOut: references } = await readBankFile(
    typeof file === 'string' ? utf8(file) : file,
    said,
    (line) => {
      all.push(line)
    },
  )
  const { telling, currency, debits, headings, rows, left_out: count, left_out_rows, ...read } = form
  return { all, form: read, telling, leftOut: { count, rows: left_out_rows, references } }
}
async function read(file: Uint8Array | string, said: Said = {}) {
  const { form, all } = await readAll(file, said)
  const lines = all.filter(({ centimes }) => centimes > 0)
  return { form, lines: lines.map(({ day, centimes, text }) => [day, centimes, text]) }
}
const refusal = (
  file: Uint8Array | string,
  said: Said = {},
): Promise<Record<string, unknown> & { readonly form?: object }> =>
  readAll(file, said).then(
    () => expect.unreachable('the file was read'),
    ({ extra }) => extra,
  )
/** Money in, as `amount doubts` of each line. */
const came = async (file: string, said: Said = {}) =>
  (await readAll(file, said)).all
    .filter(({ centimes }) => centimes > 0)
    .map(({ centimes, doubts }) => [centimes / 100, ...doubts].join(' '))
const sent = async (file: string, said: Said = {}) =>
  (await readAll(file, said)).all.filter(({ centimes }) => centimes < 0).map(({ centimes }) => centimes / 100)

const REF = 'K4M9-2R8F-JW3R'

describe('a file', () => {
  it('reads a label of digits alone, as a reference can be', async () => {
    const { form, lines } = await read('Date;Libellé;Débit;Crédit\r\n21/11/2026;6233-4962-8858;;2 000,00\r\n')
    expect([form.text, lines]).toEqual(['2', [['2026-11-21', 200_000, '6233-4962-8858']]])
  })

  it('of a CCP: semicolons, Windows-1252, rows above the table, debits, a sum below', async () => {
    expect(await read(encoded(CCP, 'windows-1252'))).toEqual({
      form: {
        ...{ encoding: 'windows-1252', delimiter: 'semicolon', header_rows: 3 },
        ...{ date: '1', amount: '5', text: '3', direction: 'in', day_order: 'dmy', decimal: ',' },
      },
      lines: [
        ['2026-11-18', 200_000, 'VERSEMENT ESPÈCES K4M9 2R8F JW36'],
        ['2026-11-20', 198_050, 'VIREMENT É. TALEB'],
      ],
    })
  })

  it('of BaridiMob: commas, UTF-8 with a mark, one column of money with signs, the year first', async () => {
    expect(await read(utf8(BARIDIMOB))).toMatchObject({
      form: {
        ...{ encoding: 'utf-8', delimiter: 'comma', date: '1', amount: '3', text: '2' },
        ...{ direction: 'sign', day_order: 'ymd', decimal: '.' },
      },
      lines: [['2026-11-18', 200_000, 'Virement reçu K4M9-2R8F-JW36']],
    })
  })

  it('of a bank in Arabic: Windows-1256 or UTF-16, bars, Arabic headings and digits', async () => {
    const latin = ARABIC.replace(/[٠-٩]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15)).replaceAll(
      '٫',
      ',',
    )
    expect(await read(encoded(latin, 'windows-1256'))).toMatchObject({
      form: { encoding: 'windows-1256', delimiter: 'pipe', date: '1', amount: '4', text: '2' },
      lines: [['2026-11-18', 200_050, 'تحويل من سميرة طالب']],
    })
    const wide = Uint8Array.from([0xff, 0xfe, ...Buffer.from(ARABIC, 'utf16le')])
    expect(await read(wide)).toMatchObject({
      form: { encoding: 'utf-16le' },
      lines: [['2026-11-18', 200_050, 'تحويل من سميرة طالب']],
    })
  })

  it('without headings is read by its contents', async () => {
    const bare = '18/11/2026\tKARIM K4M9-2R8F-JW36\t+2000,00\n19/11/2026\tSAMIRA\t-1500,00\n'
    expect(await read(bare)).toMatchObject({
      form: { delimiter: 'tab', header_rows: 0, date: '1', amount: '3', text: '2', direction: 'sign' },
      lines: [['2026-11-18', 200_000, 'KARIM K4M9-2R8F-JW36']],
    })
  })

  it.each([
    ['full-width figures', '21/02/2026;x;５,00;９,00\n22/02/2026;x;６,00;８,00\n', ['amount', 'direction']],
    ['an order of the day', 'Date;Libellé;Crédit\n01/02/2026;x;5,00\n', ['day_order']],
    ['a year first or last', 'Date;Libellé;Crédit\n26/11/21;x;5,00\n26/11/23;x;5,00\n', ['day_order']],
    ['a sign before three digits', 'Date;Libellé;Crédit\n21/02/2026;x;1.980\n', ['decimal']],
    ['two columns of figures', '21/02/2026;x;+5,00;9,00\n22/02/2026;x;-6,00;8,00\n', ['amount']],
    ['two columns of days', '21/02/2026;22/02/2026;x;+5,00\n22/02/2026;23/02/2026;x;+6,00\n', ['date']],
    ['amounts without a direction', 'Date;Libellé;Montant\n21/02/2026;REMBOURSEMENT;5,00\n', ['direction']],
  ])('that can be two things asks: %s', async (_what, text, unclear) => {
    expect(await refusal(text)).toMatchObject({ reason: 'form_unclear', unclear })
  })

  it('is read as it was said, by numbers or headings', async () => {
    const text = 'Jour;A;B\n01/02/2026;9,00;5,00\n'
    const said = {
      day_order: 'mdy',
      ...{ date: 'jour', amount: 'B', text: '2', header_rows: 1, direction: 'in' },
    } as const
    expect((await read(text, said)).lines).toEqual([['2026-01-02', 500, '9,00']])
  })

  it('that tells the order of the day in one line tells it for all', async () => {
    const text = 'Date;Libellé;Crédit\n01/02/2026;x;5,00\n13/02/2026;x;1.980\n14/02/2026;x;2.000,50\n'
    expect((await read(text)).lines.map(([day, centimes]) => [day, centimes])).toEqual([
      ['2026-02-01', 500],
      ['2026-02-13', 198_000],
      ['2026-02-14', 200_050],
    ])
  })
})

describe('money that went out is never money in', () => {
  it('if its own column says so', async () => {
    for (const [heading, out, into] of [
      ['Sens', 'D', 'C'],
      ['Sens', 'Débit', 'Crédit'],
      ['Type', 'Débit', 'Crédit'],
      ['D/C', 'D', 'C'],
      ['', 'DR', 'CR'],
      ['النوع', 'مدين', 'دائن'],
      ['Nature', 'Virement émis', 'Virement reçu'],
    ]) {
      const file = `Date;Libellé;Montant;${heading}\n28/11/2026;REMBOURSEMENT ${REF};2 000,00;${out}\n`
      const both = await came(`${file}28/11/2026;VIREMENT;1 500,00;${into}\n`)
      expect([out, both, await came(file), await sent(file)]).toEqual([out, ['1500'], [], [-2_000]])
    }
  })

  it('nor if the column is not understood, until the operator names it', async () => {
    const odd = 'Date;Libellé;Montant;Sens\n28/11/2026;VIR;2 000,00;1\n28/11/2026;VIR;3 000,00;2\n'
    for (const said of [{}, { direction: 'Sens' }]) {
      const { form = {}, ...why } = await refusal(odd, said)
      expect(why).toMatchObject({ reason: 'form_unclear', unclear: ['direction'], words: ['1', '2'] })
      expect(Object.keys(form)).not.toContain('direction')
    }
    const half = 'Date;Libellé;Montant;X\n28/11/2026;VIR;2 000,00;DR\n28/11/2026;VIR;3 000,00;\n'
    expect(await came(half, { direction: 'X' })).toEqual(['3000'])
    expect(await came(odd, { direction: 'in' })).toEqual(['2000 other_column', '3000 other_column'])
    const unclear = { reason: 'no_column', unclear: ['direction'] }
    expect(await refusal(odd, { direction: 'Y' })).toMatchObject(unclear)
  })

  it('also if it stands in the column of money in', async () => {
    const file = 'Date;Libellé;Crédit\n28/11/2026;RETRAIT;-2 000,00\n28/11/2026;VIR;1,00\n'
    expect(await came(file)).toEqual(['1'])
  })
})

describe('a line is doubted', () => {
  it('by the column beside its money', async () => {
    const [unknown, failed] = ['other_column', 'other_column not_come']
    for (const [heading, first, second, ...lines] of [
      ['Statut', 'Rejeté', 'Exécuté', `2000 ${failed}`, `1500 ${unknown}`],
      ['Zone', 'Oran', 'Alger', `2000 ${unknown}`, `1500 ${unknown}`],
      ['État', 'Provisoire', 'Provisoire', `2000 ${failed}`, `1500 ${failed}`],
      ['Observation', 'REJET TECHNIQUE', '', '2000 not_come', '1500'],
      ['N° pièce', '17', '18', '2000', '1500'],
      ['Statut', 'Exécuté', 'Exécuté', '2000', '1500'],
      ['Devise', 'EUR', 'DZD', '2000 currency', '1500'],
      ['', 'USD', 'DA', '2000 currency', '1500'],
    ]) {
      const file = `Date;Libellé;Crédit;${heading}\n28/11/2026;VIR ${REF};2 000,00;${first}\n`
      expect(await came(`${file}28/11/2026;VIREMENT;1 500,00;${second}\n`), first).toEqual(lines)
    }
    const single = `Date;Libellé;Crédit;Statut\n28/11/2026;VIR ${REF};2 000,00;Rejeté\n`
    expect(await came(single)).toEqual([`2000 ${failed}`])
  })

  it('not any more if the operator says that its column is text', async () => {
    const file = `Date;Libellé;Crédit;Zone\n28/11/2026;VIR;2 000,00;Oran\n28/11/2026;VIR;1 500,00;Alger\n`
    expect(await came(file, { text: 'Libellé,Zone' })).toEqual(['2000', '1500'])
    expect((await readAll(file)).telling).toEqual([4])
  })
})

describe('a row with another number of cells', () => {
  const HEAD = 'Date;Libellé;Débit;Crédit\n'

  it('is left out and counted with its line: a delimiter stands in its text', async () => {
    const file = `${HEAD}28/11/2026;VIR;;1 500,00\n28/11/2026;VIR A; B ${REF};;2000,00\n`
    const { all, leftOut } = await readAll(file)
    expect(all.map(({ centimes }) => centimes)).toEqual([150_000])
    expect(leftOut).toMatchObject({ count: 1, rows: [{ line: 3, why: 'cells' }] })
  })

  it('is left out if a column of money has text, also where a trailing delimiter makes it fit', async () => {
    for (const row of [`28/11/2026;REMBOURSEMENT ${REF}; MME B;2000,00;`, '28/11/2026;REMB; MME B;2000,00']) {
      const { all, leftOut } = await readAll(`${HEAD}${row}\n`)
      expect(all).toEqual([])
      expect(leftOut).toMatchObject({ count: 1, rows: [{ line: 2, why: 'amounts' }] })
    }
  })

  it('is left out if money stands in both columns', async () => {
    expect((await readAll(`${HEAD}28/11/2026;VIR;5,00;5,00\n`)).leftOut.rows).toEqual([
      { line: 2, why: 'amounts' },
    ])
  })

  it('may have one trailing delimiter, if all rows have it, or none but the headings', async () => {
    const trailing = [1, 2, 3].map((dinars) => `28/11/2026;VIR;;${dinars},00;\n`).join('')
    expect(await came(HEAD + trailing)).toEqual(['1', '2', '3'])
    expect(await came('Date;Libellé;Débit;Crédit;\n28/11/2026;VIR;;1,00\n')).toEqual(['1'])
    const some = await readAll(`${HEAD}28/11/2026;VIR;;1,00;\n28/11/2026;VIR;;2,00\n`)
    expect([some.all.length, some.leftOut.rows]).toEqual([1, [{ line: 2, why: 'cells' }]])
  })

  it('is left out and counted if it is a sum without a day', async () => {
    const { leftOut } = await readAll(
      `${HEAD}28/11/2026;VIR;;1,00\nSolde au 30/11/2026;;;2,00\n;TOTAL;3,00;4,00\n`,
    )
    expect(leftOut.rows).toEqual([
      { line: 3, why: 'no_day' },
      { line: 4, why: 'no_day' },
    ])
  })
})

describe('the text of a line', () => {
  it('is every free column with letters, and no column of amounts', async () => {
    const file =
      'Date;Opération;Référence;Débit;Crédit;Libellé du versement;Mode de versement\n' +
      `28/11/2026;VIR ${REF};A-17;;2 000,00;POUR SAMIRA;CCP\n`
    expect(await read(file)).toMatchObject({
      form: { amount: '5', text: '2,3,6,7' },
      lines: [['2026-11-28', 200_000, `VIR ${REF} A-17 POUR SAMIRA CCP`]],
    })
  })

  it('is also what stands under one of these headings beside another column of text', async () => {
    const headings = 'Intitulé, Désignation, Observation, Commentaire, Message, Memo, Narration'.split(', ')
    for (const heading of [...headings, 'Informations complémentaires']) {
      const file = `Date;Référence;${heading};Crédit\n28/11/2026;A-17;VIR ${REF};2 000,00\n`
      expect((await read(file)).lines, heading).toEqual([['2026-11-28', 200_000, `A-17 VIR ${REF}`]])
    }
  })

  it('goes on in the next row', async () => {
    const first = `Date;Libellé;Débit;Crédit\n28/11/2026;VIR DE;;2 000,00\n;SAMIRA ${REF};;\n`
    const file = `${first}28/11/2026;VIR;;1,00\n${REF}\nFin\n`
    expect((await read(file)).lines).toEqual([
      ['2026-11-28', 200_000, `VIR DE SAMIRA ${REF}`],
      ['2026-11-28', 100, `VIR ${REF}`],
    ])
  })

  it('tells equal lines apart by the whole row', async () => {
    const rows = ['A-1;1 000,00', 'A-2;3 000,00', 'A-2;3 000,00'].map(
      (rest) => `28/11/2026;VIR;2 000,00;${rest}\n`,
    )
    const { all } = await readAll(`Date;Libellé;Crédit;N°;Solde\n${rows.join('')}`)
    expect(new Set(all.map(({ row }) => row)).size).toBe(2)
  })

  it('may begin with a quote, or have quotes inside', async () => {
    const rows = [`"VIR ALI ${REF}`, '"SARL "ATLAS" VIR', '"VIR ""X"""', '"VIR', 'SUITE"']
    const file = rows
      .slice(0, 3)
      .map((text, at) => `2${at}/11/2026;${text};;${at + 1},00\n`)
      .join('')
    expect((await read(`Date;Libellé;Débit;Crédit\n${file}`)).lines.map(([, , text]) => text)).toEqual([
      `"VIR ALI ${REF}`,
      '"SARL "ATLAS" VIR',
      'VIR "X"',
    ])
    const broken = 'Date;Libellé;Débit;Crédit\n28/11/2026;"VIR;\nSUITE";;2,00\n'
    expect((await read(broken)).lines).toEqual([['2026-11-28', 200, 'VIR; SUITE']])
  })
})

// Two columns; a sign; a direction; a state and a currency; Arabic; a label in two rows.
const FILES = [
  `Compte CCP;0023456789 clé 88
Date;Libellé;Débit;Crédit;Solde
21/11/2026;VIREMENT K4M9-2R8F-JW3R ABONNEMENT;;2 000,00;14 000,00
21/11/2026;FRAIS DE TENUE DE COMPTE;350,00;;13 650,00
`,
  `Date,Description,Montant
2026-11-21 09:12,Virement reçu K4M9-2R8F-JW3R,"+2,000.00 DA"
2026-11-21 10:00,Retrait,"-1,500.00 DA"
`,
  `Date;Libellé;Montant;Sens
21 nov. 2026;VIREMENT K4M9-2R8F-JW3R;2 000,00;C
21 nov. 2026;REMBOURSEMENT CLIENT;1 500,00;D
`,
  `Date;Libellé;Crédit;Devise;Statut
21/11/2026;VIREMENT K4M9-2R8F-JW3R;2 000,00;DZD;Exécuté
21/11/2026;VIREMENT P7QX-4T2B-MN8C;2 000,00;DZD;Rejeté
21/11/2026;VIREMENT H3VD-9K5S-ZR6W;2 000,00;EUR;Exécuté
`,
  `التاريخ|البيان|مدين|دائن
21-11-2026|تحويل K4M9-2R8F-JW3R||٢٠٠٠٫٠٠
21-11-2026|عمولة|١٠٫٠٠|
`,
  `Date;Opération;Référence;Débit;Crédit
21112026;VIREMENT DE SAMIRA;VIR 771;;2 000,00
;K4M9-2R8F-JW3R;;;
`,
]

it('reads a file of each form: 2,000 dinars under one reference', async () => {
  for (const file of FILES) {
    const [first, ...others] = (await read(file)).lines
    expect(first, file).toEqual(['2026-11-21', 200_000, expect.stringContaining(REF)])
    const hasStates = file.includes('Statut')
    expect([file, others.length, await sureIn(file)]).toEqual([
      file,
      hasStates ? 2 : 0,
      hasStates || file.includes('Référence') ? 0 : 1,
    ])
  }
})

const IN = `28/11/2026;VIR ${REF};2 000,00`
const OTHER = '28/11/2026;VIR;5,00'
const HEADS = 'Date;Libellé;Débit;Crédit'
const ROWS_OUT = Array.from({ length: 14 }, (_, at) => `${at + 1}/11/2026;RETRAIT;;${at + 1} 100,00\n`).join(
  '',
)

/** How many lines with the reference one confirmation would approve; a refused file has none. */
async function sureIn(file: string, said: Said = {}): Promise<number> {
  const { all } = await readAll(file, said).catch(() => ({ all: [] }))
  return all.filter(({ centimes, doubts, text }) => centimes > 0 && doubts.length === 0 && text.includes(REF))
    .length
}
/** Those of the files in which the payment is sure. */
const surelyRead = async (files: readonly string[], said: Said = {}) => {
  const found = await Promise.all(files.map(async (file) => ((await sureIn(file, said)) > 0 ? [file] : [])))
  return found.flat()
}
/** A column beside money in: its heading, and its values in two rows. */
const beside = (heading: string, first: string, second: string) =>
  `Date;Libellé;Crédit;${heading}\n${IN};${first}\n${OTHER};${second}\n`
/** The files that are written one a line: `⏎` ends a row, IN is the row of the payment, REF its reference. */
const filesOf = (text: string) =>
  text
    .trim()
    .split(/\n */)
    .map((line) =>
      line
        .replace(/⏎ ?/g, '\n')
        .replace(/\bIN\b/g, IN)
        .replace(/\bREF\b/g, REF),
    )
    .map((file) => `${file}\n`)

describe('no line is sure', () => {
  it('of money in two columns, unless it is', async () => {
    expect(await sureIn(`${HEADS}\n21/11/2026;VIR ${REF};;2 000,00\n`)).toBe(1)
    expect(await sureIn(beside('Référence', 'A', 'B'))).toBe(1)
  })

  it('beside a value under a heading of money that did not come', async () => {
    const headings = [
      ...['Motif de rejet', "Motif d'annulation", 'Date de rejet', 'N° rejet', 'Rejeté le', 'تاريخ الرفض'],
      ...['Montant rejeté', 'Montant remboursé', 'Annulé', 'Reversed', 'Date prévue'],
    ]
    expect(await surelyRead(headings.map((heading) => beside(heading, '21/11/2026', '')))).toEqual([])
    const empty = headings.map((heading) => beside(heading, '', ''))
    expect(await surelyRead(empty)).toEqual(empty)
  })

  it('under a state that does not say of each row that it is done', async () => {
    const headings = [
      ...['Transaction status', 'Libellé du statut', 'Opération confirmée', 'Soldé', 'Payment status'],
      'الحالة',
    ]
    for (const [first, second] of [
      ['Initié', 'Exécuté'],
      ['', 'Exécuté'],
      ['Initié', 'Initié'],
    ] as const)
      expect(await surelyRead(headings.map((heading) => beside(heading, first, second)))).toEqual([])
    const done = headings.map((heading) => beside(heading, 'Exécuté', 'Exécuté'))
    expect(await surelyRead(done)).toEqual(done)
    const questions = [
      ...['Cleared', 'Is cleared', 'Posted?', 'Booked', 'Settled', 'Encaissé', 'Traité', 'Abouti', 'Dénoué'],
      ...['Opération comptabilisée', 'Comptabilisation', 'Comptabilisé', 'Sort'],
    ].map((heading) => `Date;Libellé;Crédit;${heading}\n${IN};Non\n`)
    expect(await surelyRead(questions)).toEqual([])
  })

  it('whose row says that its money did not come', async () => {
    const besides = [
      ...['non parvenu', 'à venir', 'sans provision', 'opposition', 'NON-EXECUTE', 'en instance', 'REJ'],
      ...['expired', 'chargeback', 'unsuccessful', 'restitution', 'غير منفذ', 'مسترجع', 'مؤجل', 'فاشلة'],
      'retour',
    ].map((words) => beside('Observation', words, ''))
    const texts = [
      ...['sauf bonne fin', 'SBF', 'provisoire', 'sous réserve', 'programmé', 'différé', 'S.B.F.', 'KO'],
      ...['non encaissé', 'non effectué', 'reverted', 'uncleared', 'not cleared', 'في الانتظار', 'لم يتم'],
      ...['بدون رصيد', 'NON RECU', 'A RECEVOIR', 'ATTENDU', 'EN TRAITEMENT', 'INITIE', 'INSTANCE VIR'],
      ...['لم يصل', 'في طور المعالجة', 'قيد الدراسة', 'قيد التحصيل', 'لاغي', 'غير مكتمل', 'مؤقت', 'REPORT'],
      ...['Solde initial', 'Opening balance', 'Closing balance', 'رصيد سابق', 'الرصيد السابق'],
      ...['الرصيد الافتتاحي', 'ANCIEN SOLDE'],
    ].map((words) => `Date;Libellé;Crédit\n28/11/2026;VIR ${REF} ${words};2 000,00\n`)
    expect(await surelyRead([...besides, ...texts])).toEqual([])
  })

  it('in another currency or unit', async () => {
    const files = filesOf(`
      Date;Libellé;Crédit devise⏎ IN
      Date;Libellé;Débit (EUR);Crédit⏎ 21/11/2026;VIR REF;;2 000,00
      Date;Libellé;Crédit en centimes⏎ IN
      التاريخ;البيان;دائن (أورو)⏎ IN
      Compte devises⏎ Date;Libellé;Crédit⏎ IN
      Date;Libellé;Crédit;Code devise⏎ IN;978
      Date;Libellé;Crédit;⏎ IN;€
      Date;Libellé;Crédit;Devise⏎ IN;⏎ 21/11/2026;VIR;5,00;EUR
      Date;Libellé;Crédit⏎ IN⏎ Montants exprimés en EUR;;
      Created at;Description;Amount (EUR)⏎ 28/11/2026;VIR REF;+2000,00
      Compte en EUR⏎ 28/11/2026;VIR REF;+2 000,00
      Montants en milliers de DA⏎ Date;Libellé;Crédit⏎ IN`)
    const currencies = [
      ...['DT', 'DH', 'US Dollar', 'Euro (EUR)', 'Dirham marocain', 'Franc CFA', 'US$', '€ EUR', 'درهم'],
      'دينار تونسي',
    ].map((currency) => `Date;Libellé;Crédit;\n${IN};${currency}\n`)
    const titles = [
      ...['Compte Dinar Tunisien', 'Compte en dinars tunisiens', 'Montants en centimes de dinar'],
      ...['حساب بالدينار التونسي', 'حساب بالدرهم', 'مبالغ بالسنتيم', 'مبالغ بآلاف الدنانير'],
    ].map((title) => `${title}\nDate;Libellé;Crédit\n${IN}\n`)
    expect(await surelyRead([...files, ...currencies, ...titles])).toEqual([])
  })

  it('whose direction is not certain', async () => {
    const files = filesOf(`
      Date;Libellé;Montant⏎ IN⏎ 21/11/2026;VIR;500,00 CR
      Date;Libellé;Montant⏎ IN⏎ 21/11/2026;EXTOURNE;-50,00
      Date;Libellé;Montant;Etat⏎ IN;C
      Date;Libellé;Montant;Mode⏎ IN;C
      Date;Libellé;Montant;Plafond crédit⏎ 21/11/2026;REMB REF;-5,00;2 000,00
      Date;Bénéficiaire;Motif;Versement⏎ 21/11/2026;ALI;REF;2 000,00
      Date;Libellé;Débit;Retrait;Crédit⏎ 21/11/2026;R REF;;2 000,00;2 000,00`)
    expect(await surelyRead(files)).toEqual([])
    expect(await surelyRead(files, { amount: '3' })).toEqual([])
    const headings = [
      ...['Versements payés', 'Encaissements dus', 'Credit out', 'Credit note', 'Creditor', 'Dépôt ID'],
      ...['ايداعات صادرة', 'Crédit DH', 'Crédit (DT)', 'Crédit (FCFA)', 'Crédit (TND)', 'Crédit (KDA)'],
      ...['Credit limit', 'Versements émis', 'Versement dû', 'Crédit-bail'],
    ].map((heading) => `Date;Libellé;${heading}\n${IN}\n`)
    const payees = [
      ...['Fournisseur', 'Recipient', 'Compte crédité', 'المرسل إليه', 'Supplier', 'Vendor', 'المورد', 'To'],
      ...['Compte à créditer', 'Destination account', 'Destinataire'],
    ].flatMap((heading) => [
      `Date;${heading};Motif;Versement\n28/11/2026;ALI;${REF};2 000,00\n`,
      `Date;${heading};Motif;Montant;Type\n28/11/2026;ALI;${REF};2 000,00;Versement\n`,
    ])
    const charges = `Date;Libellé;Recettes;Charges\n${IN};\n27/11/2026;EXTOURNE ${REF};;2 000,00\n${ROWS_OUT}`
    expect(await surelyRead([...headings, ...payees, charges])).toEqual([])
  })

  it('in a table, or below a title, that says something else', async () => {
    const files = filesOf(`
      ${HEADS}⏎ 21/11/2026;A;;1,00⏎ Date;Libellé;Crédit;Débit⏎ 21/11/2026;R REF;;2 000,00
      ${HEADS}⏎ Opérations rejetées;;;⏎ 21/11/2026;VIR REF;;2 000,00
      LISTE DES VIREMENTS REJETES⏎ ${HEADS}⏎ 21/11/2026;VIR REF;;2 000,00
      ${HEADS}⏎ 21/11/2026;REMB REF;;2000,00;
      ${HEADS}⏎ 21/11/2026;SAMIRA;;2 000,00⏎ ;virement REF attendu;;
      ${HEADS}⏎ 21/11/2026;REF ${'x'.repeat(600)};;2 000,00
      VIREMENTS REJETES⏎ Effective;Label;Amount⏎ 28/11/2026;REF;+2 000,00
      Date;Libellé;Crédit⏎ 28/11/2026;OPERATIONS REJETEES;⏎ IN
      Ordres de virement saisis⏎ Date;Libellé;Crédit⏎ IN
      VERSEMENTS EMIS⏎ Date;Libellé;Crédit⏎ IN
      Date;Libellé;Crédit⏎ IN⏎ 28/11/2026;REJET VIR REF;
      Effective;Label;Sum;Status⏎ 28/11/2026;VIR REF;+2 000,00;Initiated
      Effective;Label;Sum;Status;⏎ 28/11/2026;VIR REF;+2 000,00;Initiated`)
    const titles = [
      ...['Virements émis', 'Opérations futures', 'Opérations programmées', 'Prochaines opérations'],
      ...['Opérations non encore comptabilisées', 'Remises sauf bonne fin', 'Outgoing transfers'],
      ...['Upcoming payments', 'Future operations', 'Sent transfers', 'Paiements à effectuer'],
      ...['Opérations planifiées', 'عمليات مبرمجة', 'عمليات قادمة'],
    ].map((title) => `Date;Libellé;Crédit\n27/11/2026;A;5,00\n${title}\n${IN}\n`)
    expect(await surelyRead([...files, ...titles])).toEqual([])
  })

  it('without a day of booking, or with one that may not have come', async () => {
    const files = filesOf(`
      Date opération;Date comptable;Libellé;Crédit⏎ 28/11/2026;;VIR REF;2 000,00⏎ 27/11/2026;27/11/2026;X;5,00
      Date échéance;Libellé;Crédit⏎ IN
      Date demande;Libellé;Crédit⏎ IN
      تاريخ الاستحقاق;Libellé;Crédit⏎ IN
      Date;Valeur;Libellé;Crédit⏎ 28/11/2026;15/12/2026;REF;2 000,00`)
    const known = '27/11/2026;27/11/2026;X;5,00'
    const none = ['', '-', 'n/a'].flatMap((day) =>
      ['Date valeur', 'Comptable le'].map(
        (heading) => `Date;${heading};Libellé;Crédit\n28/11/2026;${day};${REF};2 000,00\n${known}\n`,
      ),
    )
    expect(await surelyRead([...files, ...none])).toEqual([])
  })
})

describe('nothing is lost without being counted', () => {
  it('a row without a day, of another width or with an amount that cannot be read', async () => {
    for (const row of [`;VIR A; B ${REF};;2000`, ';VIR;;2 000,00 net'])
      expect((await readAll(`${HEADS}\n21/11/2026;VIR;;1,00\n${row}\n`)).leftOut.count, row).toBe(1)
  })

  it('the reference of a row that was left out', async () => {
    const file = `${HEADS}\n21/11/2026;VIR;;1,00\n22/11/2026;ANNULATION; VIR ${REF};2 000,00;\n`
    expect([...(await readAll(file)).leftOut.references]).toEqual([REF.replaceAll('-', '')])
  })

  it('a second column of money in, also if it is filled late', async () => {
    const rows = Array.from({ length: 200 }, () => '21/11/2026;VIR;1,00;\n').join('')
    const file = `Date;Libellé;Crédit;Versement\n${rows}21/11/2026;VIR;;5,00\n`
    expect(await refusal(file)).toMatchObject({ reason: 'form_unclear', unclear: ['amount'] })
  })

  it('a row between two quotes, behind a row of one cell', async () => {
    const file = `${HEADS}\nPage 2\n21/11/2026;"VIR ALI;;5,00\n21/11/2026;VIR;;2000,00\n21/11/2026;B";;1,00\n`
    expect((await readAll(file)).all.map(({ centimes }) => centimes)).toEqual([500, 200_000, 100])
  })

  it('rows that end with a carriage return alone', async () => {
    const file = `${HEADS}\r21/11/2026;VIR;;1,00\r21/11/2026;VIR;;2,00\n`
    expect((await readAll(file)).all).toHaveLength(2)
  })

  it('a file whose amounts have as many commas as its rows have semicolons', async () => {
    const shifted = '21/11/2026;VIR A; B;;2000,00\n'.repeat(2)
    const rows = '21/11/2026;VIR;;2000,00\n'.repeat(30)
    expect((await readAll(`${HEADS}\n${rows}${shifted}`)).all).toHaveLength(30)
  })
})

it('tells lines apart by signs and spaces', async () => {
  for (const [one, other] of [
    ['1/12', '11/2'],
    ['ALI BEN', 'ALIB EN'],
    ['-500,00', '500,00'],
  ]) {
    const rows = [one, other].map((text) => `21/11/2026;VIR ${text};;5,00\n`).join('')
    const { all } = await readAll(`${HEADS}\n${rows}`)
    expect(new Set(all.map(({ row }) => row)).size, one).toBe(2)
  }
})

it('takes no year from a day in a file whose years stand first', async () => {
  const file = 'Date;Libellé;Crédit\n2026-11-21;VIR;5,00\n01/11/26;VIR;5,00\n'
  expect(await refusal(file)).toMatchObject({ reason: 'day', line: 3 })
})

it('refuses a file that is not CSV by its format', async () => {
  for (const [format, text] of [
    ['xlsx', 'PK\u0003\u0004…'],
    ['mt940', ':20:STARTUMSE\n:25:0079/12'],
    ['mt940', '{1:F01BANKDZALXXXX0000000000}'],
    ['camt', '<?xml version="1.0"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'],
    ['ofx', 'OFXHEADER:100\nDATA:OFXSGML'],
    ['pdf', '%PDF-1.7'],
    ['html', '\ufeff<html><table>'],
  ] as const)
    expect(await refusal(text)).toEqual({ reason: 'only_csv', format })
})

describe('a file of any contents is read in bounds', () => {
  const HEAD = `${HEADS}\n`

  it('refuses a row that is too long or has too many cells, before it is taken apart', async () => {
    expect(await refusal(`${HEAD}${'1;'.repeat(2_000_000)}`)).toEqual({ reason: 'row_too_long', line: 2 })
    expect(await refusal(`${HEAD}${'1;'.repeat(CELLS_MAX)}\n`)).toEqual({
      ...{ reason: 'too_many_cells', line: 2, most: CELLS_MAX },
    })
    expect(await refusal(`${HEAD}28/11/2026;"${'x'.repeat(ROW_CHARACTERS_MAX)}`)).toMatchObject({
      reason: 'row_too_long',
    })
    expect(await refusal(`${HEAD}${'1/1/26;;;1,0\n'.repeat(200_001)}`)).toMatchObject({
      reason: 'too_many_rows',
    })
  })

  it('lets other requests be served after each slice', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => `28/11/2026;VIREMENT ${at};;${at + 1},00\n`)
    const file = utf8(HEAD + rows.join(''))
    const slices = [0]
    const count = () => slices.push((slices.pop() ?? 0) + 1)
    const pause = async () => void slices.push(0)
    await readBankFile(file, {}, count, pause)
    expect(slices.reduce((sum, count) => sum + count)).toBe(5_000)
    const shortest = Math.min(...rows.map((row) => row.length))
    expect(Math.max(...slices)).toBeLessThanOrEqual(SLICE_CHARACTERS / shortest + 2)
    const pauses = slices.length - 1
    expect(pauses).toBeGreaterThanOrEqual(2 * Math.floor(file.length / (SLICE_CHARACTERS + 100)))
  })
})

it('reads an amount with its sign, or nothing', () => {
  const cases = [
    ['1 980,00', ',', 198_000],
    ['1\u202f980,5', ',', 198_050],
    ['1.980', ',', 198_000],
    ['1.980', '.', null],
    ['1,980.00', '.', 198_000],
    ['١٬٩٨٠٫٠٠', ',', 198_000],
    ['1 980 DA', ',', 198_000],
    ['+5,00', ',', 500],
    ['5,00 CR', ',', 500],
    ['5,00 D', ',', -500],
    ['-5,00', ',', -500],
    ['5,00-', ',', -500],
    ['(5,00)', ',', -500],
    ['', ',', 0],
    ['-', ',', 0],
    ['0,00', ',', 0],
    ['2000,00)', ',', null],
    ['(2000,00', ',', null],
    ['２０００,００', ',', 200_000],
    ['5O0,00', ',', null],
    ['1.98,00', ',', null],
    ['#REF!', ',', null],
    ['99999999999999999', ',', null],
  ] as const
  expect(cases.map(([cell, decimal]) => [cell, decimal, readCentimes(cell, decimal)])).toEqual(cases)
})

it('reads a day, or nothing', () => {
  const cases = [
    ['21/11/2026', 'dmy', '2026-11-21'],
    ['11/21/2026', 'mdy', '2026-11-21'],
    ['21-11-26', 'dmy', '2026-11-21'],
    ['2026-11-21', 'dmy', '2026-11-21'],
    ['26/11/21', 'ymd', '2026-11-21'],
    ['20261121', 'ymd', '2026-11-21'],
    ['٢١/١١/٢٠٢٦', 'dmy', '2026-11-21'],
    ['21.11.2026 09:30:00', 'dmy', '2026-11-21'],
    ['28112026', 'dmy', '2026-11-28'],
    ['28 novembre 2026', 'ymd', '2026-11-28'],
    ['sam. 28 nov. 2026', 'dmy', '2026-11-28'],
    ['28-AOÛT-26', 'mdy', '2026-08-28'],
    ['1er décembre 2026', 'dmy', '2026-12-01'],
    ['Nov 28, 2026', 'dmy', '2026-11-28'],
    ['28 نوفمبر 2026', 'dmy', '2026-11-28'],
    ['٢٨ جويلية ٢٠٢٦', 'dmy', '2026-07-28'],
    ['2026-11-28T23:30:00+01:00', 'dmy', '2026-11-28'],
    ['2026-11-28T23:30:00.000Z', 'dmy', '2026-11-28'],
    ['28 brumaire 2026', 'dmy', null],
    ['31/02/2026', 'dmy', null],
    ['21/11', 'dmy', null],
    ['x', 'dmy', null],
  ] as const
  expect(cases.map(([cell, order]) => [cell, order, readDay(cell, order)])).toEqual(cases)
})

describe('what the file says', () => {
  it('against the direction that the operator gave is a doubt', async () => {
    const file = `Date;Libellé;Montant;Sens\n${IN};D\n`
    for (const direction of ['in', 'sign'])
      expect(await came(file, { direction })).toEqual(['2000 other_column'])
    const kind = `Date;Nature;Libellé;Montant\n28/11/2026;Virement émis;VIR ${REF};2 000,00\n`
    expect(await came(kind, { direction: 'in' })).toEqual(['2000 other_column'])
    const texts = `Date;Libellé;Crédit\n27/11/2026;RETRAIT;1,00\n${IN}\n`
    expect(await came(texts, { direction: 'in' })).toEqual(['1', '2000'])
  })

  it('of money that went out is read, or its row is counted', async () => {
    const headings = [
      'Charges',
      'Payments',
      'Opération débit',
      'Prélèvements',
      'Décaissement',
      'المسحوبات',
      '',
    ]
    const lost = []
    for (const heading of headings)
      for (const sum of ['2 000,00', '2000', '2 000 DA', '۲۰۰۰٫۰۰']) {
        const file = `Date;Libellé;Recettes;${heading}\n${IN};\n27/11/2026;X ${REF};;${sum}\n${ROWS_OUT}`
        const { all, leftOut } = await readAll(file)
        const isOut = all.some(({ centimes, text }) => centimes < 0 && text.includes(REF))
        if (!isOut && !leftOut.references.has(REF.replaceAll('-', ''))) lost.push([heading, sum])
      }
    expect(lost).toEqual([])
  })

  it('of money in a column that is not understood is left out and counted', async () => {
    for (const [heading, sum] of [
      ['', '2 000,00'],
      ['', '2000'],
      ['Charges', '2 000 DA'],
      ['Charges', '۲۰۰۰٫۰۰'],
      ['Nature', '2 000,00'],
    ]) {
      const file = `Date;Libellé;Crédit;${heading}\n28/11/2026;VIR ${REF};;${sum}\n27/11/2026;X;5,00;\n`
      expect((await readAll(file)).leftOut.rows, heading).toEqual([{ line: 2, why: 'amounts' }])
    }
  })

  it('of the balance before, or of the account that paid, leaves the row of a payment sure', async () => {
    const rows = [
      ';ANCIEN SOLDE;;12 000,00',
      '01/11/2026;SOLDE INITIAL;;',
      '01/11/2026;Opening balance;;12,00',
    ]
    const payers = ['RIB débiteur', 'Compte débité', 'Banque débitrice']
    const paid = `28/11/2026;VIR ${REF};`
    const files = [
      ...rows.map((row) => `${HEADS}\n${row}\n${paid};2 000,00\n`),
      ...payers.map((payer) => `Date;Libellé;${payer};Crédit\n${paid}00799999000123456789;2 000,00\n`),
    ]
    expect(await surelyRead(files)).toEqual(files)
  })

  it('of money out or of a state stands against what the operator says', async () => {
    const debit = `Date;Libellé;Débit;Crédit\n28/11/2026;${REF};2 000,00;\n27/11/2026;X;;5,00\n`
    expect(await refusal(debit, { amount: 'Débit', direction: 'in' })).toMatchObject({ unclear: ['amount'] })
    const state = `Date;Libellé;Crédit;Statut\n${IN};R\n27/11/2026;X;5,00;E\n`
    expect(await came(state, { text: 'Libellé,Statut' })).toEqual(['2000 other_column', '5 other_column'])
  })

  it('of every line, that its money came, leaves them sure', async () => {
    const states = 'Succès, Réussi, Reçu, Crédité, Confirmé, Payé, تمت, تم بنجاح, منجزة'.split(', ')
    const files = states.map((state) => `Date;Libellé;Crédit;Statut\n${IN};${state}\n`)
    expect(await surelyRead(files)).toEqual(files)
  })

  it('that is not clear is left out of the form that was found', async () => {
    const { form = {}, unclear } = await refusal('Date;Libellé;Crédit\n01/02/2026;x;1.980\n')
    expect([unclear, Object.keys(form)]).toEqual([
      ['day_order', 'decimal'],
      expect.not.arrayContaining(['day_order', 'decimal']),
    ])
  })

  it('of when and for whom it was made leaves its lines sure', async () => {
    const titles = 'Relevé émis le 28/11/2026\nCompte Dinar Algérien\n'
    expect(await came(`${titles}Date;Libellé;Crédit;\n${IN};Dinar algérien (DZD)\n`)).toEqual(['2000'])
  })

  it('of a payment among the rows of headings asks about them', async () => {
    const file = `Date;Libellé;Crédit\n27/11/2026;A;5,00\n${IN}\n28/11/2026;B;6,00\n`
    for (const direction of ['in', 'sign']) {
      const why = await refusal(file, { direction, header_rows: 2 })
      expect(why).toMatchObject({ reason: 'form_unclear', unclear: ['header_rows'] })
      const title = `Solde au;28/11/2026;12 000,00\n${file}`
      expect(await came(title, { direction, header_rows: 2 })).toEqual(['5', '2000', '6'])
    }
  })

  it('of several days counts by that of the booking', async () => {
    for (const headings of [
      "Date d'édition;Date opération",
      "Date d'édition;Date comptable",
      "Date d'édition;Date",
      'تاريخ الطباعة;تاريخ العملية',
    ]) {
      const file = `${headings};Libellé;Crédit\n28/11/2026;21/11/2026;VIR ${REF};2 000,00\n`
      expect((await read(file)).lines.map(([day]) => day)).toEqual(['2026-11-21'])
    }
  })

  it('of days of two kinds asks which counts, unless they are equal', async () => {
    const file = (first: string) =>
      `Date d'émission;Date d'arrêté;Libellé;Crédit\n${first};21/11/2026;VIR ${REF};2 000,00\n`
    expect(await refusal(file('28/11/2026'))).toMatchObject({ reason: 'form_unclear', unclear: ['date'] })
    expect(await came(file('21/11/2026'))).toEqual(['2000'])
  })

  it('in letters that only Windows-1252 has is read, on every version of Node', async () => {
    const text = `${HEADS}\n28/11/2026;D\x92ALI \x9cuvre \x80 \x96 \x85 ${REF};;2 000,00\n`
    for (const said of [{}, { encoding: 'windows-1252' }] as const)
      expect((await read(Buffer.from(text, 'latin1'), said)).lines).toEqual([
        ['2026-11-28', 200_000, `D’ALI œuvre € – … ${REF}`],
      ])
  })
})
