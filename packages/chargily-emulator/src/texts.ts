// The words of the payment page, in the three languages of Chargily's payment page.
import type { Locale } from './records.js'

export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  ar: 'العربية',
  fr: 'Français',
  en: 'English',
}

/** Groups of three with a space: a point or a comma reads as a fraction in one of the three languages. */
function grouped(dinars: number): string {
  const parts = new Intl.NumberFormat('fr', { maximumFractionDigits: 0 }).formatToParts(dinars)
  return parts.map(({ type, value }) => (type === 'group' ? '\u00a0' : value)).join('')
}

export function amountText(dinars: number, locale: Locale): string {
  return `${grouped(dinars)}\u00a0${locale === 'ar' ? 'دج' : 'DA'}`
}

const en = {
  sandbox: 'Sandbox',
  notReal: 'no real card, no real money',
  title: 'Payment',
  payTo: 'Payment to',
  languages: 'Language',
  discountedFrom: 'Before discount:',
  fees: 'Including payment fees:',
  chooseCard: 'Choose the card',
  edahabia: 'EDAHABIA card',
  cib: 'CIB card',
  chooseOutcome: 'How does the payment end?',
  pay: 'Pay',
  fail: 'Make the payment fail',
  cancel: 'Cancel and go back to the site',
  noSuchPage: 'There is no payment at this address.',
  badForm: 'Invalid request: choose edahabia or cib, then paid, failed or canceled.',
  states: {
    processing: 'We are waiting for the bank.',
    paid: 'This payment has been made.',
    failed: 'This payment failed. Go back to the site and start again.',
    canceled: 'This payment was canceled. Go back to the site and start again.',
    expired: 'This page has expired. Go back to the site and start again.',
  },
}

export const TEXTS: Readonly<Record<Locale, typeof en>> = {
  ar: {
    sandbox: 'بيئة تجريبية',
    notReal: 'لا بطاقة حقيقية ولا مال حقيقي',
    title: 'الدفع',
    payTo: 'الدفع إلى',
    languages: 'اللغة',
    discountedFrom: 'قبل التخفيض:',
    fees: 'منها رسوم الدفع:',
    chooseCard: 'اختر البطاقة',
    edahabia: 'البطاقة الذهبية EDAHABIA',
    cib: 'البطاقة البنكية CIB',
    chooseOutcome: 'كيف تنتهي عملية الدفع؟',
    pay: 'ادفع',
    fail: 'اجعل الدفع يفشل',
    cancel: 'ألغِ وعُد إلى الموقع',
    noSuchPage: 'لا توجد عملية دفع على هذا العنوان.',
    badForm: 'طلب غير صالح: اختر edahabia أو cib، ثم paid أو failed أو canceled.',
    states: {
      processing: 'ننتظر رد البنك.',
      paid: 'تم الدفع.',
      failed: 'لم ينجح الدفع. عُد إلى الموقع وابدأ من جديد.',
      canceled: 'أُلغيت عملية الدفع. عُد إلى الموقع وابدأ من جديد.',
      expired: 'انتهت صلاحية صفحة الدفع. عُد إلى الموقع وابدأ من جديد.',
    },
  },
  fr: {
    sandbox: 'Simulation',
    notReal: 'ni vraie carte, ni argent réel',
    title: 'Paiement',
    payTo: 'Paiement à',
    languages: 'Langue',
    discountedFrom: 'Avant remise :',
    fees: 'Dont frais de paiement :',
    chooseCard: 'Choisissez la carte',
    edahabia: 'Carte EDAHABIA',
    cib: 'Carte CIB',
    chooseOutcome: 'Comment se termine le paiement ?',
    pay: 'Payer',
    fail: 'Faire échouer le paiement',
    cancel: 'Annuler et revenir au site',
    noSuchPage: 'Il n’y a aucun paiement à cette adresse.',
    badForm: 'Requête invalide : choisissez edahabia ou cib, puis paid, failed ou canceled.',
    states: {
      processing: 'Nous attendons la réponse de la banque.',
      paid: 'Ce paiement a été effectué.',
      failed: 'Ce paiement a échoué. Retournez sur le site et recommencez.',
      canceled: 'Ce paiement a été annulé. Retournez sur le site et recommencez.',
      expired: 'Cette page a expiré. Retournez sur le site et recommencez.',
    },
  },
  en,
}
