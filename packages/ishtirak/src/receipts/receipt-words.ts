// What is printed on a receipt around its data, in three languages. The template holds no words, the data no labels.
import type { Locale, Translated } from '../core/locale.js'
import { CURRENCY } from '../i18n/formats.js'

/** The words of one language. */
export function receiptWords(locale: Locale): ReceiptWords {
  const entries = Object.entries(WORDS).map(([name, words]) => [name, words[locale]])
  // The keys are those of WORDS, one by one, and each value is the text of this language.
  return Object.fromEntries(entries) as ReceiptWords
}

export type ReceiptWords = Readonly<Record<keyof typeof WORDS, string>>

const WORDS = {
  title: { ar: 'وصل دفع', fr: 'Reçu de paiement', en: 'Receipt' },
  number: { ar: 'الرقم', fr: 'N°', en: 'No.' },
  issuedOn: { ar: 'تاريخ الإصدار', fr: 'Date d’émission', en: 'Date of issue' },
  seller: { ar: 'البائع', fr: 'Vendeur', en: 'Seller' },
  capital: { ar: 'رأس المال', fr: 'Capital social', en: 'Share capital' },
  rc: { ar: 'السجل التجاري (RC)', fr: 'RC', en: 'RC (trade register)' },
  card: { ar: 'بطاقة المقاول الذاتي', fr: 'Carte d’auto-entrepreneur', en: 'Auto-entrepreneur card' },
  nif: { ar: 'رقم التعريف الجبائي (NIF)', fr: 'NIF', en: 'NIF (tax number)' },
  nis: { ar: 'رقم التعريف الإحصائي (NIS)', fr: 'NIS', en: 'NIS (statistics number)' },
  ai: { ar: 'رقم المادة الجبائية (AI)', fr: 'AI', en: 'AI (tax article)' },
  buyer: { ar: 'الزبون', fr: 'Client', en: 'Customer' },
  userId: { ar: 'رقم الزبون', fr: 'Identifiant', en: 'Customer id' },
  description: { ar: 'البيان', fr: 'Désignation', en: 'Description' },
  period: { ar: 'الفترة', fr: 'Période', en: 'Period' },
  periodFrom: { ar: 'من', fr: 'du', en: 'from' },
  periodTo: { ar: 'إلى', fr: 'au', en: 'to' },
  quantity: { ar: 'الكمية', fr: 'Qté', en: 'Qty' },
  unitPrice: { ar: 'سعر الوحدة', fr: 'Prix unitaire', en: 'Unit price' },
  unitPriceNet: { ar: 'سعر الوحدة خارج الرسوم', fr: 'Prix unitaire HT', en: 'Unit price excl. VAT' },
  total: { ar: 'المجموع', fr: 'Total', en: 'Total' },
  totalNet: { ar: 'المبلغ خارج الرسوم (HT)', fr: 'Total HT', en: 'Total excl. VAT' },
  vat: { ar: 'الرسم على القيمة المضافة', fr: 'TVA', en: 'VAT' },
  exempt: { ar: 'معفى', fr: 'exonérée', en: 'exempt' },
  notLiable: { ar: 'غير خاضع', fr: 'non applicable', en: 'not applicable' },
  stampDuty: {
    ar: 'حق الطابع (دفع إلكتروني)',
    fr: 'Timbre (paiement électronique)',
    en: 'Stamp duty (electronic payment)',
  },
  totalPaid: { ar: 'المبلغ المدفوع', fr: 'Total payé', en: 'Total paid' },
  totalPaidGross: {
    ar: 'المبلغ بكل الرسوم (TTC)',
    fr: 'Total TTC payé',
    en: 'Total paid incl. VAT',
  },
  inWords: {
    ar: 'أوقف هذا الوصل على مبلغ قدره:',
    fr: 'Arrêté le présent reçu à la somme de :',
    en: 'Amount in words:',
  },
  payment: { ar: 'الدفع', fr: 'Paiement', en: 'Payment' },
  paidOn: { ar: 'تاريخ الدفع', fr: 'Payé le', en: 'Paid on' },
  method: { ar: 'وسيلة الدفع', fr: 'Mode de paiement', en: 'Payment method' },
  paymentId: { ar: 'مرجع الدفعة', fr: 'Référence du paiement', en: 'Payment reference' },
  checkoutId: { ar: 'معاملة Chargily Pay', fr: 'Transaction Chargily Pay', en: 'Chargily Pay transaction' },
  electronic: {
    ar: 'دفع إلكتروني. وثيقة إلكترونية، صالحة دون ختم أو توقيع.',
    fr: 'Payé par voie électronique. Document établi électroniquement, valable sans cachet ni signature.',
    en: 'Paid electronically. Issued electronically, valid without stamp or signature.',
  },
  refunded: { ar: 'أُعيد المبلغ في', fr: 'Remboursé le', en: 'Refunded on' },
  testMode: {
    ar: 'دفعة تجريبية: لم يُقبض أي مبلغ، ولا قيمة لهذه الوثيقة.',
    fr: 'Paiement de test : aucune somme n’a été encaissée, ce document est sans valeur.',
    en: 'Test payment: no money was taken, this document has no value.',
  },
} satisfies Record<string, Translated>

/** The line that says what was bought. */
export const SUBSCRIPTION_TO: Readonly<Record<Locale, (planName: string) => string>> = {
  ar: (planName) => `اشتراك في باقة ${planName} لمدة شهر`,
  fr: (planName) => `Abonnement ${planName}, un mois`,
  en: (planName) => `${planName} subscription, one month`,
}

const METHODS: Readonly<Record<string, Translated>> = {
  edahabia: {
    ar: 'البطاقة الذهبية EDAHABIA (بريد الجزائر)',
    fr: 'Carte EDAHABIA (Algérie Poste)',
    en: 'EDAHABIA card (Algérie Poste)',
  },
  cib: { ar: 'البطاقة البنكية CIB', fr: 'Carte interbancaire CIB', en: 'CIB interbank card' },
}
const ANY_METHOD: Translated = { ar: 'دفع إلكتروني', fr: 'Paiement électronique', en: 'Electronic payment' }

/** A word of the provider that we do not know yet stands as it is: it is a fact about money. */
export function methodInWords(paymentMethod: string | null, locale: Locale): string {
  if (paymentMethod === null) return ANY_METHOD[locale]
  return METHODS[paymentMethod]?.[locale] ?? paymentMethod.toUpperCase()
}

/** `200000` is "2 000,00 DA", alike in all three languages: a point or a comma must not change what a sum is. */
export function dinarsInFigures(centimes: number, locale: Locale): string {
  const dinars = String(Math.floor(centimes / 100)).replace(/\B(?=(\d{3})+$)/g, '\u00a0')
  return `${dinars},${String(centimes % 100).padStart(2, '0')}\u00a0${CURRENCY[locale]}`
}

/** `2026-11-21` is "21/11/2026". */
export function dayInFigures(day: string): string {
  return day.split('-').reverse().join('/')
}
