// Documents and receipts in one language, of each kind, read back: the roll, the tags and fonts, the margins.
import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import type { DocumentSnapshot, NamedDocument } from '../../packages/ishtirak/src/core/receipt.js'
import {
  type PrintedCopy,
  RECEIPT_FORMS,
  renderReceipt,
} from '../../packages/ishtirak/src/documents/render-receipt.js'
import { createTypesetter } from '../../packages/ishtirak/src/documents/typesetter.js'
import { factsOf, fontsOf, wordsOf } from './pdf.js'
import { documentWith, snapshotWith } from './receipt.js'

const typesetter = createTypesetter()
export const KINDS = ['invoice', 'credit_note', 'proforma'] as const
const ALL_KINDS = ['receipt', ...KINDS] as const
export const NUMBERS = {
  ...{
    receipt: '2026-000042',
    invoice: 'F-2026-000042',
    credit_note: 'A-2026-000007',
    proforma: 'P-2026-000003',
  },
}
export const renderDocument = (
  snapshot: DocumentSnapshot,
  locale: Locale,
  copy: Partial<PrintedCopy> = {},
) => {
  const number = NUMBERS[snapshot.kind]
  return renderReceipt(typesetter, { snapshot, number, ...copy }, locale)
}
export const CASH = { instrument: 'cash', checkoutId: '0042', price: { amount: 30_100, currency: 'DZD' } }
export const INVOICE: NamedDocument = { kind: 'invoice', number: 'F-2026-000041', issuedOn: '2026-11-20' }

export function describeDocuments(locale: Locale): void {
  describe(`the document (${locale})`, () => {
    it.each(ALL_KINDS)('of a %s has on a roll of 80 mm what the page says', (kind) =>
      expectRoll(kind, locale),
    )
    it.each(ALL_KINDS)(
      'of a %s is tagged, with a title, a language and its fonts, and the same bytes',
      (kind) => expectTags(kind, locale),
    )
    it.each(KINDS)('of a %s is one page inside its margins, with long names of both scripts', (kind) =>
      expectMargins(kind, locale),
    )
  })
}

function documentOf(kind: keyof typeof NUMBERS) {
  const number = NUMBERS[kind]
  const document = { poNumber: 'BC-2026/118', about: INVOICE }
  return kind === 'receipt'
    ? { number, snapshot: snapshotWith({ payment: CASH, bearsStampDuty: true }), refundedOn: '2026-11-22' }
    : { number, snapshot: documentWith(kind, document), isDuplicate: true }
}

const HEADS = (
  '1 Vendeur Désignation Période Qté Paiement d origine Validité et paiement ' +
  'Seller Description Period Qty Payment Original payment Validity and'
).split(' ')

function expectRoll(kind: keyof typeof NUMBERS, locale: Locale): void {
  const [page, roll] = RECEIPT_FORMS.map((form) => renderReceipt(typesetter, documentOf(kind), locale, form))
  if (!page || !roll) throw new Error('a form is missing')
  const facts = factsOf(roll)
  expect(facts).toMatchObject({ Tagged: 'yes', Pages: '1' })
  expect(Math.round(Number(facts['Page size']?.split(' ')[0]) / 2.8346)).toBe(80)
  expect(fontsOf(roll).every(({ isEmbedded }) => isEmbedded)).toBe(true)
  const wordsIn = (pdf: Uint8Array) =>
    new Set(wordsOf(pdf).flatMap(({ text }) => text.match(/[\p{Script=Latin}\d-]+/gu) ?? []))
  const printed = wordsIn(roll)
  expect([...wordsIn(page)].filter((word) => !printed.has(word) && !HEADS.includes(word))).toEqual([])
  expect(wordsOf(roll).filter(({ left, right }) => left <= 10 || right >= 217)).toEqual([])
}

function expectTags(kind: keyof typeof NUMBERS, locale: Locale): void {
  const printed = documentOf(kind)
  const pdf = renderReceipt(typesetter, printed, locale)
  const facts = { Tagged: 'yes', Pages: '1', Title: expect.stringContaining(printed.number) }
  expect(factsOf(pdf)).toMatchObject(facts)
  const source = Buffer.from(pdf).toString('latin1')
  expect(source).toContain(`/Lang (${locale}-DZ)`)
  // What the engine says of it; it refuses to write either of a page that is not.
  const isData = kind === 'invoice' || kind === 'credit_note'
  const standard = isData ? '<pdfaid:part>3</pdfaid:part><pdfaid:conformance>A<' : '<pdfuaid:part>1<'
  expect(source).toContain(standard)
  const fonts = fontsOf(pdf)
  expect(fonts.length).toBeGreaterThan(1)
  expect(fonts.filter(({ name, isEmbedded }) => !isEmbedded || !name.includes('IBMPlexSans'))).toEqual([])
  for (const again of [typesetter, createTypesetter()])
    expect(Buffer.compare(pdf, renderReceipt(again, printed, locale))).toBe(0)
}

function expectMargins(kind: (typeof KINDS)[number], locale: Locale): void {
  const french = {
    name: 'Groupement d’intérêt économique des Établissements Réunis de Télécommunications de Sétif',
    address: 'Cité des 1 000 logements, bâtiment B, cage 4, deuxième étage, porte 12, '
      .repeat(4)
      .slice(0, 240),
    legal_form: 'Entreprise unipersonnelle à responsabilité limitée',
    email: `${'e'.repeat(60)}@exemple.dz`,
  }
  const arabic = {
    name: 'مؤسسة الخدمات المتكاملة للاتصالات والبرمجيات '.repeat(3).trim(),
    address: 'حي 1000 مسكن، عمارة ب، مدخل 4، الطابق الثاني، الباب 12، '.repeat(6).slice(0, 240),
    legal_form: 'شركة ذات مسؤولية محدودة',
  }
  for (const details of [french, arabic]) {
    const pdf = renderDocument(
      documentWith(kind, { details, poNumber: 'B'.repeat(40), about: INVOICE }),
      locale,
    )
    expect(factsOf(pdf).Pages).toBe('1')
    // A4 is 595 points wide, the margins are 20 mm. A word cut anywhere may stand out by a letter.
    const placed = wordsOf(pdf)
    expect(Math.min(...placed.map(({ left }) => left))).toBeGreaterThan(57 - 8)
    expect(Math.max(...placed.map(({ right }) => right))).toBeLessThan(538 + 8)
  }
}
