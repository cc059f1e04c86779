// Every word of the payment page, in the three languages that Chargily's page speaks.
import type { CheckoutStatus, Locale } from './records.js'

export interface PageTexts {
  readonly direction: 'rtl' | 'ltr'
  readonly sandbox: string
  readonly title: string
  readonly payTo: string
  readonly languages: string
  readonly discountedFrom: string
  readonly fees: string
  readonly chooseCard: string
  readonly edahabia: string
  readonly cib: string
  readonly chooseOutcome: string
  readonly pay: string
  readonly fail: string
  readonly cancel: string
  readonly noSuchPage: string
  readonly badForm: string
  readonly states: Readonly<Record<Exclude<CheckoutStatus, 'pending'>, string>>
  amount(dinars: number): string
}

/** Groups of three, parted by a space: a point or a comma would read as a fraction in one of the three languages. */
function grouped(dinars: number): string {
  const parts = new Intl.NumberFormat('fr', { maximumFractionDigits: 0 }).formatToParts(dinars)
  return parts.map(({ type, value }) => (type === 'group' ? '\u00a0' : value)).join('')
}

export const LANGUAGE_NAMES: Readonly<Record<Locale, string>> = {
  ar: 'العربية',
  fr: 'Français',
  en: 'English',
}

export const PAGE_TEXTS: Readonly<Record<Locale, PageTexts>> = {
  ar: {
    direction: 'rtl',
    sandbox: 'بيئة تجريبية: لا بطاقة حقيقية ولا نقود حقيقية.',
    title: 'الدفع',
    payTo: 'الدفع إلى',
    languages: 'اللغة',
    discountedFrom: 'قبل التخفيض',
    fees: 'منها رسوم الدفع',
    chooseCard: 'نوع البطاقة',
    edahabia: 'الذهبية',
    cib: 'بطاقة CIB',
    chooseOutcome: 'ما الذي يحدث بعد ذلك؟',
    pay: 'ادفع',
    fail: 'ارفض الدفع',
    cancel: 'ألغِ وعُد',
    noSuchPage: 'لا توجد عملية دفع بهذا العنوان.',
    badForm: 'الطلب غير صالح: اختر edahabia أو cib، ثم paid أو failed أو canceled.',
    states: {
      processing: 'ننتظر رد البنك.',
      paid: 'تم دفع هذا المبلغ.',
      failed: 'فشل هذا الدفع. عُد إلى الموقع وابدأ من جديد.',
      canceled: 'أُلغي هذا الدفع. عُد إلى الموقع وابدأ من جديد.',
      expired: 'انتهت صلاحية هذه الصفحة. عُد إلى الموقع وابدأ من جديد.',
    },
    amount: (dinars) => `${grouped(dinars)}\u00a0دج`,
  },
  fr: {
    direction: 'ltr',
    sandbox: 'Bac à sable : pas de vraie carte, pas de vrai argent.',
    title: 'Paiement',
    payTo: 'Paiement à',
    languages: 'Langue',
    discountedFrom: 'Avant remise',
    fees: 'dont frais de paiement',
    chooseCard: 'Type de carte',
    edahabia: 'EDAHABIA',
    cib: 'Carte CIB',
    chooseOutcome: 'Que se passe-t-il ensuite ?',
    pay: 'Payer',
    fail: 'Faire échouer',
    cancel: 'Annuler et revenir',
    noSuchPage: 'Aucun paiement à cette adresse.',
    badForm: 'Demande invalide : choisissez edahabia ou cib, puis paid, failed ou canceled.',
    states: {
      processing: 'Nous attendons la réponse de la banque.',
      paid: 'Ce paiement a été effectué.',
      failed: 'Ce paiement a échoué. Revenez sur le site et recommencez.',
      canceled: 'Ce paiement a été annulé. Revenez sur le site et recommencez.',
      expired: 'Cette page a expiré. Revenez sur le site et recommencez.',
    },
    amount: (dinars) => `${grouped(dinars)}\u00a0DA`,
  },
  en: {
    direction: 'ltr',
    sandbox: 'Sandbox: no real card, no real money.',
    title: 'Payment',
    payTo: 'Payment to',
    languages: 'Language',
    discountedFrom: 'Before discount',
    fees: 'including payment fees of',
    chooseCard: 'Kind of card',
    edahabia: 'EDAHABIA',
    cib: 'CIB card',
    chooseOutcome: 'What happens next?',
    pay: 'Pay',
    fail: 'Let it fail',
    cancel: 'Cancel and go back',
    noSuchPage: 'There is no payment at this address.',
    badForm: 'Invalid request: choose edahabia or cib, then paid, failed or canceled.',
    states: {
      processing: 'We are waiting for the bank.',
      paid: 'This payment has been made.',
      failed: 'This payment failed. Go back to the site and start again.',
      canceled: 'This payment was canceled. Go back to the site and start again.',
      expired: 'This page has expired. Go back to the site and start again.',
    },
    amount: (dinars) => `${grouped(dinars)}\u00a0DA`,
  },
}
