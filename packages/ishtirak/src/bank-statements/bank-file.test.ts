// Bank statements as banks write them: what is found out from a file, what is asked, what is refused with its
// line, and what is never sure.
import { readCentimes, readDay } from './bank-cell.js'
import { type ReadLine, readBankFile } from './bank-file.js'
import type { BankForm, KnownForm } from './bank-form.js'
import { CELLS_MAX, ROW_CHARACTERS_MAX, SLICE_CHARACTERS } from './csv-rows.js'

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
18-11-2026|تحويل من سميرة طالب|0٫00|٢٠٠٠٫٥٠
19-11-2026|عمولة|١٠٫٠٠|
`

/** Everything that is read from a file. */
async function readAll(file: Uint8Array | string, asked: BankForm = {}, known: readonly KnownForm[] = []) {
  const bytes = typeof file === 'string' ? utf8(file) : file
  const { form, lines } = await readBankFile(bytes, { asked, known })
  const { telling, headings, rows, left_out, left_out_rows: leftOut, ...read } = form
  return { all: lines, form: read, stored: form, telling, leftOut }
}
const isIn = ({ centimes }: ReadLine) => centimes > 0
async function read(file: Uint8Array | string, asked: BankForm = {}) {
  const { form, all } = await readAll(file, asked)
  return { form, lines: all.filter(isIn).map(({ day, centimes, text }) => [day, centimes, text]) }
}
const refusal = (
  file: Uint8Array | string,
  asked: BankForm = {},
  known: readonly KnownForm[] = [],
): Promise<Record<string, unknown> & { readonly form?: object }> =>
  readAll(file, asked, known).then(
    () => expect.unreachable('the file was read'),
    ({ extra }) => extra,
  )
/** Money in, as `amount doubts` of each line. */
const came = async (file: string, asked: BankForm = {}) =>
  (await readAll(file, asked)).all
    .filter(isIn)
    .map(({ centimes, doubts }) => [centimes / 100, ...doubts].join(' '))
const sent = async (file: string, asked: BankForm = {}) =>
  (await readAll(file, asked)).all.filter((line) => !isIn(line)).map(({ centimes }) => centimes / 100)

const REF = 'K4M9-2R8F-JW3R'
const IN = `28/11/2026;VIR ${REF};2 000,00`
const OTHER = '28/11/2026;VIR;5,00'
const HEADS = 'Date;Libellé;Débit;Crédit'
const ROWS_OUT = Array.from({ length: 14 }, (_, at) => `${at + 1}/11/2026;RETRAIT;;${at + 1} 100,00\n`).join(
  '',
)

describe('a file', () => {
  it('of a CCP: semicolons, Windows-1252, rows above the table, debits, a sum below', async () => {
    const { form, all, leftOut } = await readAll(encoded(CCP, 'windows-1252'))
    expect(form).toEqual({
      ...{ encoding: 'windows-1252', delimiter: 'semicolon', day_order: 'dmy', decimal: ',' },
      ...{ date: '1', amount: '5', debit: '4', text: '3', direction: 'in' },
    })
    expect(all.map(({ day, centimes, text, doubts }) => [day, centimes, text, doubts])).toEqual([
      ['2026-11-18', 200_000, 'VERSEMENT ESPÈCES K4M9 2R8F JW36', []],
      ['2026-11-19', -35_000, 'FRAIS; TENUE DE COMPTE', []],
      ['2026-11-20', 198_050, 'VIREMENT É. TALEB', []],
    ])
    expect(leftOut).toEqual([8])
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

  it.each([
    [
      'without headings',
      '18/11/2026\tKARIM\t+2000,00\n',
      ['date', 'amount', 'text', 'direction', 'day_order'],
    ],
    ['an order of the day', 'Date;Libellé;Crédit\n01/02/2026;x;5,00\n', ['day_order']],
    ['years of two digits', 'Date;Libellé;Crédit\n26/11/21;x;5,00\n', ['day_order']],
    ['a sign before three digits', 'Date;Libellé;Crédit\n21/02/2026;x;1.980\n', ['decimal']],
    ['two columns of money in', 'Date;Libellé;Crédit;Versement\n21/02/2026;x;5,00;\n', ['amount']],
    ['two columns of days', 'Date opération;Date comptable;Libellé;Crédit\n21/02/2026;;x;5,00\n', ['date']],
    ['amounts without a direction', 'Date;Libellé;Montant\n21/02/2026;REMBOURSEMENT;5,00\n', ['direction']],
    ['no text', 'Date;Crédit\n21/02/2026;5,00\n', ['text']],
  ])('that can be two things asks: %s', async (_what, text, unclear) => {
    const { form = {}, ...why } = await refusal(text)
    expect(why).toMatchObject({ reason: 'form_unclear', unclear: expect.arrayContaining(unclear) })
    expect(Object.keys(form)).toEqual(expect.not.arrayContaining(unclear))
  })

  it('is read as it was said, by numbers or headings', async () => {
    const text = 'Jour;A;B\n01/02/2026;9,00;5,00\n'
    const said = { ...{ date: 'jour', amount: 'B', text: '2', direction: 'in' }, day_order: 'mdy' } as const
    expect((await read(text, said)).lines).toEqual([['2026-01-02', 500, '9,00']])
    const bare = '18/11/2026\tKARIM K4M9-2R8F-JW36\t+2000,00\n19/11/2026\tSAMIRA\t-1500,00\n'
    expect((await read(bare, { date: '1', amount: '3', text: '2' })).lines).toEqual([
      ['2026-11-18', 200_000, 'KARIM K4M9-2R8F-JW36'],
    ])
    const { reason, unclear } = await refusal(text, { ...said, amount: 'C' })
    expect([reason, unclear]).toEqual(['no_column', ['amount']])
  })

  it('that tells the order of the day in one line tells it for all', async () => {
    const text = 'Date;Libellé;Crédit\n01/02/2026;x;5,00\n13/02/2026;x;1.980\n14/02/2026;x;2.000,50\n'
    expect((await read(text)).lines.map(([day, centimes]) => [day, centimes])).toEqual([
      ['2026-02-01', 500],
      ['2026-02-13', 198_000],
      ['2026-02-14', 200_050],
    ])
  })

  it('may repeat its headings, in two languages or on each page', async () => {
    const both = `التاريخ;البيان;مدين;دائن\n${HEADS}\n21/11/2026;A;;1,00\n${HEADS}\n21/11/2026;B;;2,00\n`
    expect(await came(both)).toEqual(['1', '2'])
  })
})

describe('a file with the headings of an earlier one', () => {
  const first = 'Jour;Zone;Libellé;Somme versée\n28/11/2026;Oran;VIR;2 000,00\n'
  const IN_ALONE = { direction: 'in' }
  const asked = { date: 'Jour', amount: '4', text: 'Libellé,Zone', ...IN_ALONE }

  it('is read as that one was, but for a direction that only its operator knows', async () => {
    const { stored } = await readAll(first, asked)
    const later = `Titre\n${first.replace('28/11', '01/02')}`
    expect(await refusal(later, {}, [stored])).toMatchObject({ unclear: ['direction'] })
    const { form, all } = await readAll(later, IN_ALONE, [stored])
    expect(form).toMatchObject({ date: '1', amount: '4', text: '3,2', direction: 'in', day_order: 'dmy' })
    expect(all).toMatchObject([{ day: '2026-02-01', text: 'VIR Oran', doubts: [] }])
    expect(await refusal(first.replace('Zone', 'Ville'), {}, [stored])).toMatchObject({
      reason: 'form_unclear',
    })
  })

  it('is refused with the line that does not fit', async () => {
    const { stored } = await readAll(first, asked)
    const mixed = `${first}11/28/2026;Oran;VIR;2 000,00\n`
    expect(await refusal(mixed, IN_ALONE, [stored])).toEqual({ reason: 'day', line: 3, column: 1 })
  })

  it('keeps nothing of it that its contents did not prove', async () => {
    const { stored } = await readAll(first.replace(',00', ''), asked)
    expect(stored.decimal).toBeUndefined()
    const unclear = await refusal(first.replace('2 000,00', '2.000'), IN_ALONE, [stored])
    expect(unclear).toMatchObject({ reason: 'form_unclear', unclear: ['decimal'] })
  })
})

describe('money that went out is never money in', () => {
  it('if its own column says so', async () => {
    for (const [heading, out, into] of [
      ['Sens', 'D', 'C'],
      ['Sens', 'Débit', 'Crédit'],
      ['D/C', 'DR', 'CR'],
      ['الاتجاه', 'مدين', 'دائن'],
      ['Direction', 'Virement émis', 'Virement reçu'],
    ]) {
      const file = `Date;Libellé;Montant;${heading}\n28/11/2026;REMBOURSEMENT ${REF};2 000,00;${out}\n`
      const both = await came(`${file}28/11/2026;VIREMENT;1 500,00;${into}\n`)
      expect([out, both, await came(file), await sent(file)]).toEqual([out, ['1500'], [], [-2_000]])
    }
  })

  it('nor if the column is not understood', async () => {
    const odd = 'Date;Libellé;Montant;Sens\n28/11/2026;VIR;2 000,00;C\n28/11/2026;VIR;3 000,00;2\n'
    expect(await refusal(odd)).toEqual({ reason: 'direction', line: 3, word: '2' })
    expect(await came(odd, { direction: 'in' })).toEqual(['2000 other_column', '3000 other_column'])
    expect(await refusal(odd, { direction: 'Y' })).toMatchObject({ reason: 'no_column' })
  })

  it('also if it stands in the column of money in', async () => {
    const file = 'Date;Libellé;Crédit\n28/11/2026;RETRAIT;-2 000,00\n28/11/2026;VIR;1,00\n'
    expect(await came(file)).toEqual(['1'])
  })

  it('also if the operator names its column', async () => {
    const file = `${HEADS}\n28/11/2026;${REF};2 000,00;\n27/11/2026;X;;5,00\n`
    expect(await refusal(file, { amount: 'Débit', direction: 'in' })).toMatchObject({ unclear: ['amount'] })
  })
})

describe('a line is doubted', () => {
  it('by the column beside its money', async () => {
    const [unknown, notCome] = ['other_column', 'not_come']
    for (const [heading, first, second, ...lines] of [
      ['Statut', 'Rejeté', 'Exécuté', `2000 ${notCome}`, '1500'],
      ['Zone', 'Oran', 'Alger', `2000 ${unknown}`, `1500 ${unknown}`],
      ['État', 'Provisoire', 'Provisoire', `2000 ${notCome}`, `1500 ${notCome}`],
      ['Observation', 'REJET TECHNIQUE', '', `2000 ${notCome}`, '1500'],
      ['N° pièce', '17', '18', '2000', '1500'],
      ['Statut', 'Exécuté', 'Exécuté', '2000', '1500'],
      ['Devise', 'EUR', 'DZD', '2000 currency', '1500'],
      ['', 'USD', 'DA', `2000 ${unknown}`, `1500 ${unknown}`],
    ]) {
      const file = `Date;Libellé;Crédit;${heading}\n28/11/2026;VIR ${REF};2 000,00;${first}\n`
      expect(await came(`${file}28/11/2026;VIREMENT;1 500,00;${second}\n`), first).toEqual(lines)
    }
  })

  it('not any more if the operator says that its column is text', async () => {
    const file = `Date;Libellé;Crédit;Zone\n28/11/2026;VIR;2 000,00;Oran\n28/11/2026;VIR;1 500,00;Alger\n`
    expect(await came(file, { text: 'Libellé,Zone' })).toEqual(['2000', '1500'])
    expect((await readAll(file)).telling).toEqual([4])
    const reasons = `Date;Libellé;Crédit;Motif de rejet\n${IN};compte clos\n`
    expect(await came(reasons, { text: '2,4' })).toEqual(['2000 other_column'])
    const states = `Date;Libellé;Crédit;Statut\n${IN};R\n`
    expect(await came(states, { text: 'Libellé,Statut' })).toEqual(['2000 not_come'])
  })

  it('by a row that is no line and names the same reference', async () => {
    const file = `${HEADS}\n21/11/2026;VIR ${REF};;2 000,00\n;A; B ${REF};;2000\n`
    expect([await came(file), (await readAll(file)).leftOut]).toEqual([['2000 left_out'], [3]])
  })
})

describe('a row that does not fit refuses the file with its line', () => {
  it.each([
    ['a delimiter in its text', '28/11/2026;VIR A; B;;2000,00', { reason: 'cells', line: 3 }],
    ['a trailing delimiter', '28/11/2026;REMB; MME B;2000,00;', { reason: 'cells', line: 3 }],
    ['text in a column of money', '28/11/2026;REMB; MME B;2000,00', { reason: 'amount', line: 3 }],
    ['an amount that is none', '28/11/2026;VIR;;2 000,00 net', { reason: 'amount', line: 3 }],
    ['money in and out', '28/11/2026;VIR;5,00;5,00', { reason: 'two_amounts', line: 3 }],
    ['no day of the calendar', '31/11/2026;VIR;;5,00', { reason: 'day', line: 3, column: 1 }],
    ['other headings', 'Date;Libellé;Crédit;Débit', { reason: 'headings', line: 3 }],
    ['an open quote', '28/11/2026;"VIR ALI;;5,00', { reason: 'quote', line: 3 }],
    ['a quote in a quote', '28/11/2026;"SARL "ATLAS" VIR;;5,00', { reason: 'quote', line: 3 }],
    ['rows in quotes', '28/11/2026;"A;;5,00\n28/11/2026;VIR;;2,00\n28/11/2026;B";;1,00', { reason: 'quote' }],
    ['a character of control', '28/11/2026;VIR\u0000;;5,00', { reason: 'binary', line: 3 }],
  ])('%s', async (_what, row, why) => {
    expect(await refusal(`${HEADS}\n28/11/2026;VIR;;1,00\n${row}\n`)).toMatchObject(why)
  })
})

describe('the text of a line', () => {
  it('is every column of text, and no column of amounts', async () => {
    const row = `28/11/2026;VIR ${REF};A-17;;2 000,00;POUR SAMIRA\n`
    const file = `Date;Opération;Référence;Débit;Crédit;Libellé\n${row}`
    expect(await read(file)).toMatchObject({
      form: { amount: '5', text: '2,3,6' },
      lines: [['2026-11-28', 200_000, `VIR ${REF} A-17 POUR SAMIRA`]],
    })
  })

  it('may have quotes, delimiters and line ends in quotes', async () => {
    const file = `${HEADS}\r\n28/11/2026;"VIR ""X""; Y";;1,00\r\n28/11/2026;"VIR\r\nSUITE";;2,00\r\n`
    expect((await read(file)).lines.map(([, , text]) => text)).toEqual(['VIR "X"; Y', 'VIR SUITE'])
  })

  it('has the letters of Windows-1252, on every version of Node', async () => {
    const text = `${HEADS}\n28/11/2026;D\x92ALI \x9cuvre \x80 \x96 \x85 ${REF};;2 000,00\n`
    for (const said of [{}, { encoding: 'windows-1252' }] as const)
      expect((await read(Buffer.from(text, 'latin1'), said)).lines).toEqual([
        ['2026-11-28', 200_000, `D’ALI œuvre € – … ${REF}`],
      ])
  })

  it('tells equal lines apart by the whole row, its signs and spaces', async () => {
    for (const [one, other] of [
      ['1/12', '11/2'],
      ['ALI BEN', 'ALIB EN'],
      ['-500,00', '500,00'],
    ]) {
      const rows = [one, other, other].map((text) => `21/11/2026;VIR ${text};;5,00\n`).join('')
      expect(new Set((await readAll(`${HEADS}\n${rows}`)).all.map(({ row }) => row)).size, one).toBe(2)
    }
  })
})

/** How many lines with the reference one confirmation would approve; a refused file has none. */
async function sureIn(file: string, asked: BankForm = {}): Promise<number> {
  const { all } = await readAll(file, asked).catch(() => ({ all: [] }))
  return all.filter(({ centimes, doubts, text }) => centimes > 0 && doubts.length === 0 && text.includes(REF))
    .length
}
/** Those of the files in which the payment is sure. */
const surelyRead = async (files: readonly string[], asked: BankForm = {}) => {
  const found = await Promise.all(files.map(async (file) => ((await sureIn(file, asked)) > 0 ? [file] : [])))
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
    const known = ['Transaction status', 'Payment status', 'الحالة']
    const done = known.map((heading) => beside(heading, 'Exécuté', 'Exécuté'))
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
      ...['لم يصل', 'في طور المعالجة', 'قيد الدراسة', 'قيد التحصيل', 'لاغي', 'غير مكتمل', 'مؤقت'],
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

describe('a file of any contents is read in bounds', () => {
  const HEAD = `${HEADS}\n`

  it('refuses a row that is too long or has too many cells', async () => {
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
    expect(await refusal(' \n\n')).toEqual({ reason: 'empty' })
  })

  it('lets other requests be served after each slice', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => `28/11/2026;VIREMENT ${at};;${at + 1},00\n`)
    const file = utf8(HEAD + rows.join(''))
    let pauses = 0
    let last = setImmediate(function pause() {
      pauses += 1
      last = setImmediate(pause)
    })
    await readAll(file)
    clearImmediate(last)
    // Once for each slice of the text, and once for 250 rows.
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(file.length / (SLICE_CHARACTERS + 100)) + 20)
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
    ['28-AOÛT-26', 'mdy', '2026-08-28'],
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
  it('of the balance before, or of when and for whom it was made, leaves its lines sure', async () => {
    const rows = [';ANCIEN SOLDE;;12 000,00', '01/11/2026;SOLDE INITIAL;;', 'Page 2']
    const titles = 'Relevé émis le 28/11/2026\nCompte Dinar Algérien\n'
    const files = rows.map((row) => `${titles}${HEADS}\n${row}\n28/11/2026;VIR ${REF};;2 000,00\n`)
    expect(await surelyRead(files)).toEqual(files)
  })

  it('of every line, that its money came, leaves them sure', async () => {
    const states = 'Succès, Réussi, Reçu, Crédité, Confirmé, Payé, تمت, تم بنجاح, منجزة'.split(', ')
    const files = states.map((state) => `Date;Libellé;Crédit;Statut\n${IN};${state}\n`)
    expect(await surelyRead(files)).toEqual(files)
  })
})
