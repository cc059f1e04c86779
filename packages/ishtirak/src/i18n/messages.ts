// The texts that users and operators read, with their data, and words that all texts share.
import type { ValidationProblem } from '../core/error.js'
import type { Locale, Translated } from '../core/locale.js'
import { CATALOGS, hasText, type KeyOf, textOf } from './words.js'

export { CATALOGS }
export type MessageKey = KeyOf<'page' | 'portal' | 'mail'>

export function isMessageKey(key: string): key is MessageKey {
  return hasText('user', key)
}

type Data = Readonly<Record<string, string>>

export type Say = (key: MessageKey, data?: Data) => string

/** The texts in one language. Each may name the seller and their telephone number. */
export function sayFor(seller: { readonly name: Translated; readonly phone: string }, locale: Locale): Say {
  return sayIn(locale, { seller: seller.name[locale], phone: phoneInWords(seller.phone, locale) })
}

/** The texts in one language. `always` is data for every text. Throws if data is missing, which is a bug. */
export function sayIn(locale: Locale, always: Data = {}): Say {
  return (key, data = {}) => {
    const text = textOf('user', locale, key)
    return text.includes('{') ? fill({ key, text, locale }, data, always) : text
  }
}

export type ConsoleKey = KeyOf<'console'>

export function isConsoleKey(key: string): key is ConsoleKey {
  return hasText('operator', key)
}

export type SayConsole = (key: ConsoleKey, data?: Data) => string

/** The texts of the console, for operators. Users never see them. */
export function consoleSay(locale: Locale): SayConsole {
  return (key, data = {}) => fill({ key, text: textOf('operator', locale, key), locale }, data)
}

/** The problem of one field in words, with its bound if that is known. */
export function problemInWords({ code, bound }: ValidationProblem, locale: Locale): string {
  const { fieldProblem, fieldBound } = CATALOGS[locale]
  if (bound === undefined || (code !== 'too_small' && code !== 'too_large')) return fieldProblem[code]
  return fill({ key: code, text: fieldBound[code], locale }, { bound: String(bound) })
}

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
    // Isolated, so that a Latin name does not change the direction of the Arabic sentence around it.
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

/** How it was paid. An unknown word of the provider is shown unchanged, because it is a fact about money. */
export function instrumentName(instrument: string, locale: Locale): string {
  const names: Readonly<Record<string, string>> = CATALOGS[locale].instrument
  return (Object.hasOwn(names, instrument) && names[instrument]) || instrument.toUpperCase()
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
