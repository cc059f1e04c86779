import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { factsOf, hasColor, linesOf, textOf, wordsOf } from '../../../../test/support/pdf.js'
import { A_CHANGE, snapshotWith } from '../../../../test/support/receipt.js'
import { LOCALES, type Locale } from '../core/locale.js'
import type { DocumentSnapshot } from '../core/receipt.js'
import { amountInWords } from '../i18n/amount-in-words.js'
import { renderReceipt } from './render-receipt.js'
import { createTypesetter } from './typesetter.js'

const typesetter = createTypesetter()
const render = (snapshot: DocumentSnapshot, locale: Locale, number = '2026-000042') =>
  renderReceipt(typesetter, { snapshot, number }, locale)
const textIn = (locale: Locale, changes: Parameters<typeof snapshotWith>[0] = {}) =>
  textOf(render(snapshotWith(changes), locale))

/** Readers place the brackets and spaces of a line with two directions differently. */
const lettersOf = (line: string) => Array.from(line.replace(/\s/g, '')).sort().join('')

const expectAll = (text: string, lines: readonly string[]) =>
  expect(lines.filter((line) => !text.includes(line))).toEqual([])

/** Checks that each is a line of the Arabic page. */
const expectLines = (pdf: Uint8Array, lines: readonly string[]) => {
  const printed = linesOf(pdf).map(lettersOf)
  expect(lines.filter((line) => !printed.includes(lettersOf(line)))).toEqual([])
}

it('has the color of the seller, where there is one', () => {
  const snapshot = snapshotWith()
  const seller = '#7a0045'
  const own = renderReceipt(createTypesetter(seller), { snapshot, number: '2026-000042' }, 'fr')
  expect([hasColor(own, seller), hasColor(own, '#0b5d4e')]).toEqual([true, false])
  const usual = render(snapshot, 'fr')
  expect([hasColor(usual, seller), hasColor(usual, '#0b5d4e')]).toEqual([false, true])
})

describe('a receipt', () => {
  it('in French says all that a document of sale has to', () => {
    const text = textIn('fr')
    expectAll(text.replace(/\n(?=\S)/g, '\n '), [
      ...['Reçu de paiement', 'N° 2026-000042', 'Date d’émission 21/11/2026', 'Exemple Hébergement'],
      ...['SARL (exemple)', 'Hébergement d’applications web', '1, rue de l’Exemple, Alger'],
      ...['RC 00/00-0000000 B 00', 'NIF 000000000000000', 'NIS 000000000000000', 'AI 00000000000'],
      ...['Yasmine Benali', 'yasmine@exemple.dz', 'Identifiant usr_48151623'],
      ...['Abonnement Pro, un mois du 21/11/2026 1 1 680,67 DA', 'au 21/12/2026', 'Total HT 1 680,67 DA'],
      ...['TVA 19 % 319,33 DA', 'Timbre (paiement électronique) 0,00 DA', 'Total TTC payé 2 000,00 DA'],
      ...['Arrêté le présent reçu à la somme de :\n deux mille dinars algériens', 'Payé le 21/11/2026'],
      'Mode de paiement Carte EDAHABIA (Algérie Poste)',
      'Référence du paiement pay_01k9abcdefghjkmnpqrstvwxyz',
      ...['Transaction Chargily Pay 01k9zzcdefghjkmnpqrstvwxyz', 'Payé par voie électronique.'],
    ])
    expect(text).not.toContain('test')
  })

  it('of a change of plan says from which to which, the credit and the difference', () => {
    expectAll(textIn('fr', { payment: A_CHANGE }), [
      ...['Passage de l’offre Basic à l’offre Pro', '1 680,67 DA', 'Total HT 1 260,50 DA'],
      ...['Crédit pour la période déjà payée 420,17 DA', 'TVA 19 % 239,50 DA', 'Total TTC payé 1 500,00 DA'],
    ])
    expectAll(textIn('ar', { payment: A_CHANGE }), [
      '420,17',
      '1 680,67',
      'Basic',
      'Pro',
      '1 260,50',
      '1 500,00',
    ])
  })

  it('in Arabic says the same', () => {
    const pdf = render(snapshotWith(), 'ar')
    expectLines(pdf, [
      ...['وصل دفع', 'مثال للاستضافة', 'شركة ذات مسؤولية محدودة (مثال)', 'استضافة تطبيقات الويب'],
      ...['رقم التعريف الإحصائي (NIS)', 'المبلغ خارج الرسوم (HT)', 'الرسم على القيمة المضافة 19 %'],
      ...['حق الطابع (دفع إلكتروني)', 'المبلغ بكل الرسوم (TTC)', 'أوقف هذا الوصل على مبلغ قدره:'],
      ...['ألفا دينار جزائري لا غير', 'البطاقة الذهبية EDAHABIA (بريد الجزائر)'],
      'دفع إلكتروني. وثيقة إلكترونية، صالحة دون ختم أو توقيع.',
    ])
    const text = textOf(pdf)
    expectAll(text, ['2026-000042', '+213 00 00 00 00', '21/12/2026', '1 680,67', '319,33', '2 000,00'])
    expect(text).toContain('01k9zzcdefghjkmnpqrstvwxyz')
  })
})

describe('a receipt for a term', () => {
  it('names the discount of a code between the price and what was paid', () => {
    const price = { amount: 21_600, currency: 'DZD' }
    const payment = { months: 12, price, discount: 2_400, codeHash: 'hash' }
    const text = textIn('fr', { payment })
    const sums = ['Total HT 18 151,26 DA', 'TVA 19 % 3 448,74 DA', 'Total TTC payé 21 600,00 DA']
    expectAll(text, ['1 20 168,07 DA', 'Remise 2 016,81 DA', ...sums])
    expect(textOf(render(snapshotWith({ payment }), 'ar'))).toContain('2 016,81')
    expect(textIn('fr')).not.toContain('Remise')
  })
})

it('for another amount than was asked for says both, with the tax and the words of what came', () => {
  const payment = { price: { amount: 1980, currency: 'DZD' }, amountAsked: 2000 }
  const text = textIn('fr', { payment })
  expectAll(text, [
    ...['un mois du 21/11/2026 1 1 663,87 DA', 'Total HT 1 663,87 DA', 'TVA 19 % 316,13 DA'],
    ...['Total TTC payé 1 980,00 DA', 'mille neuf cent quatre-vingts dinars algériens'],
    'Montant demandé 2 000,00 DA',
  ])
  expect(textIn('fr')).not.toContain('demandé')
})

it('in Arabic can be copied and searched: a reader gives each word with its letters in their order', () => {
  const pdf = render(snapshotWith({ payment: { price: { amount: 3_008, currency: 'DZD' } } }), 'ar')
  const words = new Set(textOf(pdf).match(/[\u0621-\u064a]+/g))
  // With lam-alef at the beginning, in the middle and alone, and letters that the font likes to join.
  for (const word of [
    ...['الإصدار', 'للاستضافة', 'شركة', 'الفترة', 'إلى', 'الجبائي', 'ثلاثة', 'آلاف', 'لا', 'غير'],
  ])
    expect(words, word).toContain(word)
})

it('printed after a refund is stamped with its day, and otherwise what it was', () => {
  const snapshot = snapshotWith()
  const pdf = renderReceipt(typesetter, { snapshot, number: '2026-000042', refundedOn: '2026-12-01' }, 'fr')
  expect(textOf(pdf)).toMatch(/Remboursé le\s[\s\S]*01\/12\/2026/)
  const withoutStamp = (text: string) => text.replace(/Remboursé le|01\/12\/2026/g, '').replace(/\s+/g, ' ')
  expect(withoutStamp(textOf(pdf))).toBe(withoutStamp(textOf(render(snapshot, 'fr'))))
})

describe('the Arabic page', () => {
  const words = wordsOf(render(snapshotWith(), 'ar'))
  const find = (text: string) => {
    const seen = /[a-z\d]/i.test(text) ? text : Array.from(text).reverse().join('')
    // Searched from the foot of the page: "على" is also in the name of the tax.
    const word = words.findLast((candidate) => candidate.text === seen)
    if (!word)
      throw new Error(`no word "${text}" among: ${words.map((candidate) => candidate.text).join(' ')}`)
    return word
  }

  it('runs from right to left: the seller stands right of the buyer, a label right of its value', () => {
    expect(find('البائع').left).toBeGreaterThan(find('الزبون').right)
    expect(find('مرجع').left).toBeGreaterThan(find('pay_01k9abcdefghjkmnpqrstvwxyz').right)
    expect(find('البيان').left).toBeGreaterThan(find('الكمية').right)
  })

  it('has the words of a line from right to left', () => {
    const line = ['هذا', 'على', 'مبلغ'].map(find)
    expect(line.map(({ left }) => left)).toEqual(line.map(({ left }) => left).sort((a, b) => b - a))
  })
})

describe('the tax on a receipt', () => {
  const mention = {
    ar: 'معفى بموجب القانون',
    fr: 'Exonéré de TVA : art. 32 de la LFC 2010',
    en: 'Exempt from VAT: art. 32 LFC 2010',
  }

  it('that is exempt is nothing, with the words of the law', () => {
    const text = textIn('fr', { tax: { kind: 'exempt', mention } })
    expect(text).toContain('Total HT 2 000,00 DA')
    expect(text).toContain('TVA (exonérée) 0,00 DA')
    expect(text).toContain('Total TTC payé 2 000,00 DA')
    expect(text).toContain(mention.fr)
  })

  it('of a seller who is not liable does not speak of HT and TTC', () => {
    const text = textIn('fr', {
      tax: { kind: 'not_liable', mention: { ...mention, fr: 'TVA non applicable (IFU)' } },
    })
    expect(text).toContain('TVA (non applicable) 0,00 DA')
    expect(text).toContain('TVA non applicable (IFU)')
    expect(text).not.toMatch(/HT|TTC/)
  })
})

describe('a receipt of the desk', () => {
  const price = { amount: 30_100, currency: 'DZD' }
  const cash = { payment: { price, instrument: 'cash', checkoutId: '0042' }, bearsStampDuty: true }

  it('in cash says the duty, what was paid with it, and both in words', () => {
    const text = textIn('fr', cash)
    expectAll(text, [
      ...['Total HT 25 294,12 DA', 'TVA 19 % 4 805,88 DA', 'Total TTC 30 100,00 DA'],
      ...['Droit de timbre (espèces) 451,50 DA', 'Total payé 30 551,50 DA'],
      'trente mille cinq cent cinquante et un dinars algériens et cinquante centimes',
      ...['Mode de paiement Espèces', 'Bon de caisse 0042', 'Payé en espèces.'],
    ])
    expect(text).not.toMatch(/électronique\)|Chargily/)
  })

  it('in cash says the same in Arabic', () => {
    const pdf = render(snapshotWith(cash), 'ar')
    expectLines(pdf, [
      ...['المبلغ بكل الرسوم (TTC)', 'حق الطابع (دفع نقدي)', 'المبلغ المدفوع'],
      'دفع نقدي. وثيقة إلكترونية، صالحة دون ختم أو توقيع.',
    ])
    expect(textOf(pdf)).toContain('30 551,50')
  })

  it('by cheque bears no duty and names the cheque', () => {
    const text = textIn('fr', { payment: { instrument: 'cheque', checkoutId: 'BNA 1234567' } })
    expectAll(text, [
      ...['Timbre (paiement par chèque) 0,00 DA', 'Total TTC payé 2 000,00 DA', 'Mode de paiement Chèque'],
      ...['Chèque n° BNA 1234567', 'Payé par chèque, sous réserve d’encaissement.'],
    ])
  })
})

it('says how it was paid, whose it is, and of a test payment that it is worth nothing', () => {
  expect(textIn('fr', { payment: { live: false } })).toContain('ce document est sans valeur')
  expect(textIn('fr', { buyer: { name: null } })).toContain('yasmine@exemple.dz')
  const nameless = textIn('fr', { buyer: { name: null, email: null } })
  expect([nameless.match(/usr_48151623/g)?.length, nameless]).toEqual([
    1,
    expect.stringContaining('Aucun nom enregistré'),
  ])
  for (const [instrument, expected] of [
    [null, 'Paiement électronique'],
    ['sofizpay', 'SOFIZPAY'],
    ['baridimob', 'Virement BaridiMob'],
  ] as const)
    expect(textIn('fr', { payment: { instrument } })).toContain(`Mode de paiement ${expected}`)
})

it('of a transfer closes with it', () => {
  const payment = { instrument: 'bank_transfer', checkoutId: 'K4M92R8FJW36' }
  expectAll(textIn('fr', { payment }), [
    ...['Payé par virement bancaire.', 'Timbre (paiement par virement) 0,00 DA'],
  ])
  expect(textIn('en', { payment })).not.toMatch(/Paid electronically|electronic payment|Chargily/)
  const closing = 'دفع بتحويل بنكي. وثيقة إلكترونية، صالحة دون ختم أو توقيع.'
  expectLines(render(snapshotWith({ payment }), 'ar'), [closing])
})

describe.each(LOCALES)('the document (%s)', (locale) => {
  it('stays one page, and inside its margins, however long the names', () => {
    // The longest texts that SELLER_FILE allows.
    const words = (length: number) => {
      const text = 'Établissement des Œuvres '.repeat(10).slice(0, length)
      return { ar: text, fr: text, en: text }
    }
    const snapshot = snapshotWith({
      payment: { price: { amount: 2_147_483_647, currency: 'DZD' }, live: false },
      buyer: { name: 'W'.repeat(5_000), email: `${'m'.repeat(300)}@exemple.dz`, userId: 'U'.repeat(400) },
      seller: {
        name: words(80),
        legalForm: words(60),
        activity: words(80),
        address: words(120),
        email: `${'e'.repeat(72)}@exemple`,
        capital: '1'.repeat(40),
      },
      tax: { kind: 'exempt', mention: words(160) },
    })
    const pdf = render(snapshot, locale, 'TEST-2026-1234567')
    expect(factsOf(pdf).Pages).toBe('1')
    // A4 is 595 points wide, the margins are 20 mm: 57 to 538. A word cut anywhere may stand out by a letter.
    const placed = wordsOf(pdf)
    expect(Math.min(...placed.map(({ left }) => left))).toBeGreaterThan(57 - 8)
    expect(Math.max(...placed.map(({ right }) => right))).toBeLessThan(538 + 8)
  })

  it('is printed for any name whatever', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
    )
    forAll(60, name, fc.nat(2_147_483_647), (text, amount) => {
      const snapshot = snapshotWith({
        payment: { price: { amount, currency: 'DZD' }, instrument: text },
        buyer: { name: text, email: text, userId: text },
      })
      expect(render(snapshot, locale).length).toBeGreaterThan(10_000)
    })
  })
})

it.each([103, 1_001, 11_000, 2_000_000_000])(
  'the sum %i in Arabic words is on the page, letter by letter',
  (amount) => {
    const pdf = render(snapshotWith({ payment: { price: { amount, currency: 'DZD' } } }), 'ar')
    // Readers repeat a letter with a mark, so letters and marks are compared without their number.
    const distinct = (line: string) => [...new Set(lettersOf(line))].join('')
    const expected = distinct(amountInWords(amount, 'ar'))
    expect(linesOf(pdf).map(distinct)).toContain(expected)
  },
)
