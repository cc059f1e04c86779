// The texts that users read, and what all texts share: data, names of instruments, telephone numbers.
import type { ValidationProblem } from '../core/error.js'
import { byLocale, type Locale, type Translated } from '../core/locale.js'
import { CATALOGS, hasText, type KeyOf, textOf } from './words.js'

export { CATALOGS }
export type MessageKey = KeyOf<'page' | 'portal' | 'mail'>

export function isMessageKey(key: string): key is MessageKey {
  return hasText('user', key)
}

export type Say = (key: MessageKey, data?: Readonly<Record<string, string>>) => string

/** The texts in one language. Each may name the seller and their telephone number. */
export function sayFor(seller: { readonly name: Translated; readonly phone: string }, locale: Locale): Say {
  return sayIn(locale, { seller: seller.name[locale], phone: phoneInWords(seller.phone, locale) })
}

/** The texts in one language. `always` is data for every text. Throws if data is missing, which is a bug. */
export function sayIn(locale: Locale, always: Readonly<Record<string, string>> = {}): Say {
  return (key, data = {}) => {
    const text = textOf('user', locale, key)
    return text.includes('{') ? fill({ key, text, locale }, data, always) : text
  }
}

/** The problem of one field in words, with its bound if that is known. */
export function problemInWords({ code, bound }: ValidationProblem, locale: Locale): string {
  const { fieldProblem, fieldBound } = CATALOGS[locale]
  if (bound === undefined || (code !== 'too_small' && code !== 'too_large')) return fieldProblem[code]
  return fill({ key: code, text: fieldBound[code], locale }, { bound: String(bound) })
}

type Data = Readonly<Record<string, string>>

/** Puts data into a text. Throws if data is missing, which is a bug of the caller. */
export function fill(
  { key, text, locale }: { readonly key: string; readonly text: string; readonly locale: Locale },
  data: Data,
  always: Data = {},
): string {
  let filled = ''
  for (const [index, part] of partsOf(text).entries()) {
    const value = index % 2 === 0 ? part : (data[part] ?? always[part])
    if (value === undefined) throw new Error(`the message ${key} has no ${part}`)
    // Isolated (U+2068 … U+2069): a Latin name does not change the direction of the Arabic sentence around
    // it.
    filled += index % 2 === 1 && locale === 'ar' ? `\u2068${value}\u2069` : value
  }
  return filled
}

/** Caches the split texts: splitting each time takes a tenth of the time of a portal page. */
const splitTexts = new Map<string, readonly string[]>()

/** Returns words and names in turns. */
function partsOf(text: string): readonly string[] {
  const known = splitTexts.get(text)
  if (known) return known
  const parts = text.split(/\{(\w+)\}/)
  splitTexts.set(text, parts)
  return parts
}

/** The names of the wire's `payment_method`. */
const INSTRUMENTS = byLocale((locale) => new Map(Object.entries(CATALOGS[locale].instrument)))

/** How it was paid. An unknown word of the provider is shown unchanged, because it is a fact about money. */
export function instrumentName(instrument: string, locale: Locale): string {
  return INSTRUMENTS[locale].get(instrument) ?? instrument.toUpperCase()
}

export function directionOf(locale: Locale): 'rtl' | 'ltr' {
  return locale === 'ar' ? 'rtl' : 'ltr'
}

/** Never broken over two lines. It runs from left to right in Arabic text, which would reverse its groups. */
export function phoneInWords(phone: string, locale: Locale): string {
  const unbroken = phone.replaceAll(' ', '\u00a0')
  return locale === 'ar' ? `\u2066${unbroken}\u2069` : unbroken
}

/** The seed names its free plan in English, so it is translated. Other names are shown unchanged. */
export function planName(name: string, locale: Locale): string {
  return name === 'Free' ? CATALOGS[locale].page.freePlan : name
}
