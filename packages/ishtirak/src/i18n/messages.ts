// Every sentence of the pages and of mail, in one catalogue of three languages (those of errors are in core/error-list.ts,
// the labels of receipts in receipts/receipt-words.ts). Data goes in by name: `{plan}`.
import { isLocale, type Locale, type Translated } from '../core/locale.js'
import { MAIL_MESSAGES } from './messages-mail.js'
import { PAGE_MESSAGES } from './messages-page.js'
import { PORTAL_MESSAGES } from './messages-portal.js'

export const MESSAGES = { ...PORTAL_MESSAGES, ...PAGE_MESSAGES, ...MAIL_MESSAGES } satisfies Record<
  string,
  Translated
>

export type MessageKey = keyof typeof MESSAGES

export type Say = (key: MessageKey, data?: Readonly<Record<string, string>>) => string

/** The catalogue in one language; any sentence may name the seller and their telephone number. */
export function sayFor(seller: { readonly name: Translated; readonly phone: string }, locale: Locale): Say {
  return sayIn(locale, { seller: seller.name[locale], phone: phoneInWords(seller.phone, locale) })
}

/** The catalogue in one language. `always`: data that any sentence may name. Throws where data is missing: a caller's bug. */
export function sayIn(locale: Locale, always: Readonly<Record<string, string>> = {}): Say {
  return (key, data = {}) =>
    typeset(MESSAGES[key][locale], locale).replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = data[name] ?? always[name]
      if (value === undefined) throw new Error(`the message ${key} has no ${name}`)
      // Isolated (U+2068 … U+2069): a Latin name in an Arabic sentence turns nothing around it.
      return locale === 'ar' ? `\u2068${value}\u2069` : value
    })
}

/** In French a space stands before these marks, and a line must not begin with one of them. */
function typeset(sentence: string, locale: Locale): string {
  return locale === 'fr' ? sentence.replace(/ ([:;!?])/g, '\u00a0$1') : sentence
}

export function directionOf(locale: Locale): 'rtl' | 'ltr' {
  return locale === 'ar' ? 'rtl' : 'ltr'
}

export const LANGUAGE_NAMES: Translated = { ar: 'العربية', fr: 'Français', en: 'English' }

/** Never broken over two lines, and from left to right among Arabic words, where its groups would be reversed. */
export function phoneInWords(phone: string, locale: Locale): string {
  const unbroken = phone.replaceAll(' ', '\u00a0')
  return locale === 'ar' ? `\u2066${unbroken}\u2069` : unbroken
}

/** The seed names its free plan in English; every other name stands as it was configured. */
export function planName(name: string, locale: Locale): string {
  return name === 'Free' ? FREE[locale] : name
}

const FREE: Translated = { ar: 'المجانية', fr: 'Gratuite', en: 'Free' }

/** The first of the candidates that is a language of the catalogue. */
export function firstLocale(...candidates: readonly unknown[]): Locale | undefined {
  return candidates.find(isLocale)
}
