// Reads PDFs back. Décret exécutif 05-468 lists what they must show.
import { attachedTo, linesOf, textOf, wordsOf } from '../../../../test/support/pdf.js'
import {
  CASH,
  describeDocuments,
  INVOICE,
  KINDS,
  NUMBERS,
  renderDocument,
} from '../../../../test/support/printed-documents.js'
import { A_CHANGE, COMPANY, documentWith, snapshotWith } from '../../../../test/support/receipt.js'
import { LOCALES, type Locale } from '../core/locale.js'
import type { DocumentSnapshot, NamedDocument } from '../core/receipt.js'
import type { PrintedCopy } from './render-receipt.js'

const textIn = (locale: Locale, ...document: Parameters<typeof documentWith>) =>
  textOf(renderDocument(documentWith(...document), locale))

/** Readers place the brackets and spaces of a line with two directions differently. */
const lettersOf = (line: string) => Array.from(line.replace(/\s/g, '')).sort().join('')
const arabicLines = (pdf: Uint8Array) => linesOf(pdf).map(lettersOf)
const expectAll = (text: string, lines: readonly (string | null)[]) =>
  expect(lines.filter((line) => line === null || !text.includes(line))).toEqual([])

const RECEIPT: NamedDocument = { kind: 'receipt', number: '2026-000017', issuedOn: '2026-11-19' }
const CREDIT_NOTE: NamedDocument = { kind: 'credit_note', number: 'A-2026-000006', issuedOn: '2026-11-18' }

const SELLER_FR = [
  ...['Exemple Hébergement', 'SARL (exemple)', 'Hébergement d’applications web'],
  ...['1, rue de l’Exemple, Alger', '+213 00 00 00 00', 'facturation@exemple.example'],
  ...['RC 00/00-0000000 B 00', 'NIF 000000000000000', 'NIS 000000000000000', 'AI 00000000000'],
]
const BUYER_FR = [
  ...['Numidia Logiciels', 'SARL', 'Zone d’activités El Hidhab, lot 42, 19000 Sétif', '+213 36 11 22 33'],
  ...['compta@numidia.example', 'Capital social 1 000 000,00 DA', 'RC 19/00-0123456 B 20'],
  ...['NIF 002019012345678', 'NIS 002019010123457', 'AI 19010123458'],
]
const SUMS_FR = [
  ...['Désignation', 'Abonnement Pro, un mois', 'Période', 'Qté', 'Prix unitaire HT', '1 1 680,67 DA'],
  ...['Total HT 1 680,67 DA', 'TVA 19 % 319,33 DA', 'deux mille dinars algériens'],
]
const SELLER_AR = ['مثال للاستضافة', 'شركة ذات مسؤولية محدودة (مثال)', 'استضافة تطبيقات الويب']
const LABELS_AR = [
  ...['رأس المال', 'السجل التجاري (RC)', 'رقم التعريف الجبائي (NIF)', 'رقم التعريف الإحصائي (NIS)'],
  ...['رقم المادة الجبائية (AI)', 'البيان', 'الفترة', 'الكمية', 'سعر الوحدة خارج الرسوم'],
  ...['المبلغ خارج الرسوم (HT)', 'الرسم على القيمة المضافة 19 %', 'ألفا دينار جزائري لا غير'],
]
const VALUES = [
  ...[COMPANY.name, COMPANY.legal_form, COMPANY.phone, COMPANY.email, COMPANY.capital, COMPANY.rc],
  ...[COMPANY.nif, COMPANY.nis, COMPANY.ai, '+213 00 00 00 00', 'facturation@exemple.example'],
  ...['00/00-0000000 B 00', '1 680,67', '319,33', '2 000,00', 'BC-2026/118'],
]

const SAID = {
  invoice: {
    fr: [
      ...['Facture', 'N° F-2026-000042', 'Date d’émission 21/11/2026', 'Bon de commande n° BC-2026/118'],
      ...['du 21/11/2026', 'au 21/12/2026', 'Timbre (paiement par virement) 0,00 DA'],
      ...['Total TTC payé 2 000,00 DA', 'Arrêtée la présente facture à la somme de :'],
      ...['Payé le 21/11/2026', 'Mode de paiement Virement bancaire', 'Référence du virement K4M9-2R8F-JW36'],
      ...['Référence du paiement pay_01k9abcdefghjkmnpqrstvwxyz', 'Cachet et signature'],
    ],
    ar: [
      ...['فاتورة', 'المبلغ بكل الرسوم (TTC)', 'أوقفت هذه الفاتورة عند مبلغ قدره:', 'تحويل بنكي'],
      ...['حق الطابع (دفع بتحويل)', 'تاريخ الدفع', 'الختم والإمضاء'],
    ],
  },
  credit_note: {
    fr: [
      ...['Facture d’avoir', 'N° A-2026-000007', 'Annule la facture F-2026-000041 du 20/11/2026'],
      ...['Total TTC de l’avoir 2 000,00 DA', 'Arrêté le présent avoir à la somme de :'],
      ...['Paiement d’origine', 'Payé le 21/11/2026', 'Mode de paiement Virement bancaire'],
      ...['Cachet et signature', 'Bon de commande n° BC-2026/118'],
    ],
    ar: [
      ...['فاتورة دائنة', 'تلغي الفاتورة F-2026-000041 المؤرخة في 20/11/2026'],
      ...['مبلغ الفاتورة الدائنة (TTC)', 'أوقفت هذه الفاتورة الدائنة عند مبلغ قدره:', 'الختم والإمضاء'],
    ],
  },
  proforma: {
    fr: [
      ...['Facture proforma', 'N° P-2026-000003', 'Dates fixées au', 'Valable jusqu’au 06/12/2026'],
      ...['Mode de paiement Virement, avec la référence donnée à la commande'],
      ...['Total TTC à payer 2 000,00 DA', 'Arrêtée la présente facture proforma à la somme de :'],
      ...['n’engage ni le vendeur ni le client', 'Bon de commande n° BC-2026/118'],
    ],
    ar: [
      ...['فاتورة أولية', 'صالحة إلى غاية', 'أوقفت هذه الفاتورة الأولية عند مبلغ قدره:'],
      ...['الصلاحية والدفع', 'المبلغ الواجب دفعه (TTC)'],
    ],
  },
}

describe.each(KINDS)('a %s', (kind) => {
  const said = SAID[kind]
  const snapshot = documentWith(kind, {
    poNumber: 'BC-2026/118',
    ...(kind === 'credit_note' && { about: INVOICE }),
  })

  it('in French has each mention of the decree', () => {
    const text = textOf(renderDocument(snapshot, 'fr'))
    expectAll(text, [...SELLER_FR, ...BUYER_FR, ...SUMS_FR, ...said.fr])
    expect(text).not.toMatch(/null|undefined|test/)
  })

  it('in Arabic has each mention of the decree', () => {
    const pdf = renderDocument(snapshot, 'ar')
    const lines = arabicLines(pdf)
    for (const line of [...SELLER_AR, ...LABELS_AR, ...said.ar])
      expect(lines, line).toContain(lettersOf(line))
    const text = textOf(pdf)
    expectAll(text, [...VALUES, NUMBERS[kind]])
  })
})

it('is in English for reading', () => {
  const text = textIn('en', 'invoice', { poNumber: 'BC-2026/118' })
  expectAll(text, [...VALUES, 'Invoice', 'Total paid incl. VAT 2 000,00 DA', 'two thousand Algerian dinars'])
  expect(text).toContain('for reading: the French or Arabic copy is the one that counts')
})

describe('what a document is about', () => {
  it.each([
    ['credit_note', INVOICE, 'Annule la facture F-2026-000041 du 20/11/2026'],
    ['invoice', RECEIPT, 'Remplace le reçu 2026-000017 du 19/11/2026'],
    ['invoice', CREDIT_NOTE, 'Remplace la facture annulée par l’avoir A-2026-000006 du 18/11/2026'],
  ] as const)('is a line of a %s: %j', (kind, about, line) => {
    expect(textIn('fr', kind, { about })).toContain(line)
    // An Arabic line does not reverse a number.
    expect(textIn('ar', kind, { about })).toContain(about.number)
    expect(textIn('fr', kind)).not.toMatch(/Annule|Remplace/)
  })

  it('is the invoice, of a receipt whose buyer asked for one', () => {
    const copy = { invoice: INVOICE }
    expect(textOf(renderDocument(snapshotWith(), 'fr', copy))).toContain(
      'Facture F-2026-000041 du 20/11/2026',
    )
    expect(textOf(renderDocument(snapshotWith(), 'ar', copy))).toContain('F-2026-000041')
    expect(textOf(renderDocument(snapshotWith(), 'fr'))).not.toContain('Facture')
  })
})

it('a receipt of who gave their details is the receipt that it was', () => {
  const { buyer, ...receipt } = snapshotWith()
  const known = { ...receipt, buyer: { ...buyer, details: { ...COMPANY, kind: 'person' as const } } }
  for (const locale of LOCALES)
    expect(Buffer.compare(renderDocument(known, locale), renderDocument(snapshotWith(), locale))).toBe(0)
})

describe('who buys', () => {
  it('has no line for what is not given', () => {
    const none = { rc: null, nif: null, nis: null, ai: null, legal_form: null, capital: null, email: null }
    const text = textIn('fr', 'invoice', { details: { ...none, kind: 'person', name: 'Yasmine Benali' } })
    expect(text).toContain('Yasmine Benali')
    // Only the seller has them.
    for (const label of ['RC', 'NIF', 'NIS', 'AI'])
      expect(text.match(new RegExp(`^.*\\b${label} `, 'gm'))).toHaveLength(1)
    expect(text).not.toContain('Capital')
  })

  it('is not shortened', () => {
    const name = `Groupement ${'d’Établissements '.repeat(9)}de Sidi-Aïch`
    const words = textIn('fr', 'invoice', { details: { name } }).replace(/\s+/g, '')
    expect(words).toContain('Sidi-Aïch')
    expect(words).not.toContain('…')
  })

  it('has a capital that reads in the order of its figures, with a currency in Arabic too', () => {
    for (const locale of LOCALES) {
      const words = wordsOf(
        renderDocument(documentWith('invoice', { details: { capital: '1 234 567,00 دج' } }), locale),
      )
      // A reader sees one word or three, depending on how it reads no-break spaces.
      const parts = words.filter(({ text }) => /^234$|^567,00$|^1.234.567,00$/.test(text))
      expect(parts.map(({ left }) => left)).toEqual(parts.map(({ left }) => left).sort((a, b) => a - b))
      expect(parts.map(({ text }) => text).join(' ')).toMatch(/234.567,00$/)
    }
  })
})

it('an invoice by cheque depends on its collection, its credit note does not; cash has the duty', () => {
  const payment = { instrument: 'cheque', checkoutId: 'BNA 1234567' }
  expect(textIn('fr', 'invoice', { payment })).toContain('Payé par chèque, sous réserve d’encaissement.')
  expect(textIn('fr', 'credit_note', { payment })).not.toContain('encaissement')
  const cash = textIn('fr', 'credit_note', { payment: CASH, bearsStampDuty: true })
  expect(cash).toContain('Total de l’avoir 30 551,50 DA')
})

describe('a copy', () => {
  it('that was handed out before says so', () => {
    const duplicate = { fr: 'Duplicata', en: 'Duplicate', ar: 'نسخة ثانية' }
    for (const locale of LOCALES)
      for (const snapshot of [documentWith('invoice'), documentWith('credit_note'), snapshotWith()]) {
        const line = lettersOf(duplicate[locale])
        expect(arabicLines(renderDocument(snapshot, locale, { isDuplicate: true }))).toContain(line)
        expect(arabicLines(renderDocument(snapshot, locale))).not.toContain(line)
      }
  })
})

it('a proforma is neither paid nor signed, and says nothing of a payment', () => {
  const text = textIn('fr', 'proforma')
  expect(text).not.toMatch(/Payé|pay_|Chargily|Cachet|électronique/)
  expect(text).toContain('Timbre (paiement par virement) 0,00 DA')
})

describeDocuments('ar')

describe('the data that is attached', () => {
  const xmlOf = (snapshot: DocumentSnapshot, locale: Locale = 'fr', copy: Partial<PrintedCopy> = {}) =>
    attachedTo(renderDocument(snapshot, locale, copy))['invoice.xml'] ?? ''
  /** Reads the first element of that name. */
  const valueIn = (xml: string, name: string) => new RegExp(`<cbc:${name}[^>]*>([^<]*)<`).exec(xml)?.[1]

  it('to an invoice is an Invoice of UBL with the figures of the page', () => {
    const xml = xmlOf(documentWith('invoice', { payment: A_CHANGE, poNumber: 'BC-2026/118' }))
    expect(xml).toMatch(/^<\?xml .*\n<Invoice /)
    const values = {
      ...{ ID: NUMBERS.invoice, IssueDate: '2026-11-21', InvoiceTypeCode: '380', PaidDate: '2026-11-21' },
      ...{ DocumentCurrencyCode: 'DZD', PaymentMeansCode: '30', CopyIndicator: 'false', Percent: '19' },
      ...{ PriceAmount: '1680.67', TaxExclusiveAmount: '1260.50', TaxAmount: '239.50' },
      ...{ AllowanceTotalAmount: '420.17', TaxInclusiveAmount: '1500.00', PayableAmount: '0.00' },
    }
    for (const [name, value] of Object.entries(values)) expect(valueIn(xml, name), name).toBe(value)
    for (const [scheme, value] of [
      ['RC', COMPANY.rc],
      ['NIF', COMPANY.nif],
      ['NIS', COMPANY.nis],
      ['AI', COMPANY.ai],
    ])
      expect(xml).toContain(`<cbc:ID schemeID="${scheme}">${value}</cbc:ID>`)
    expect(xml).toContain('<cac:OrderReference><cbc:ID>BC-2026/118</cbc:ID></cac:OrderReference>')
    expect(xml).not.toMatch(/null|undefined|NaN/)
  })

  it('to a credit note is a CreditNote that names the invoice', () => {
    const xml = xmlOf(documentWith('credit_note', { about: INVOICE, payment: CASH, bearsStampDuty: true }))
    expect(xml).toMatch(/^<\?xml .*\n<CreditNote /)
    expect(xml).toContain(
      '<cac:InvoiceDocumentReference><cbc:ID>F-2026-000041</cbc:ID><cbc:IssueDate>2026-11-20</cbc:IssueDate>',
    )
    expect(xml).toMatch(/451\.50<\/cbc:TaxAmount>.*<cbc:ID>TIMBRE</)
    expect(valueIn(xml, 'PayableAmount')).toBe('30551.50')
  })

  it('says what an exemption rests on, and of a test that it is one, in the language of the page', () => {
    const mention = { ar: 'معفى بموجب القانون', fr: 'Exonéré : art. 32', en: 'Exempt: art. 32' }
    const snapshot = documentWith('invoice', { tax: { kind: 'exempt', mention }, payment: { live: false } })
    const xml = xmlOf(snapshot, 'ar', { isDuplicate: true })
    expect(valueIn(xml, 'TaxExemptionReason')).toBe(mention.ar)
    expect(valueIn(xml, 'Note')).toContain('دفعة تجريبية')
    expect(valueIn(xml, 'CopyIndicator')).toBe('true')
  })

  it('names the user where the buyer was removed, because UBL requires a customer', () => {
    const snapshot = documentWith('invoice')
    const { userId } = snapshot.buyer
    const xml = xmlOf({ ...snapshot, buyer: { userId, name: null, email: null } })
    const [, customer] = xml.split('<cac:AccountingCustomerParty>')
    expect(customer && valueIn(customer, 'RegistrationName')).toBe(userId)
  })

  it('is well formed whatever a name has', () => {
    const xml = xmlOf(documentWith('invoice', { details: { name: `A & <B> "C" 'D' ]]> \u0001\ud800 😀` } }))
    expect(valueIn(xml, 'RegistrationName')).toBe('Exemple Hébergement')
    expect(xml).toContain(
      '<cbc:Name>A &amp; &lt;B&gt; &#34;C&#34; &#39;D&#39; ]]&gt; \ufffd\ufffd 😀</cbc:Name>',
    )
  })

  it('is none of a receipt and of a proforma', () => {
    expect(attachedTo(renderDocument(snapshotWith(), 'fr'))).toEqual({})
    expect(attachedTo(renderDocument(documentWith('proforma'), 'fr'))).toEqual({})
  })
})
