// The texts of pages, mail, receipts and errors: one JSON file for each language, with the same keys. Data goes in by name:
// `{plan}`.
import { readFileSync } from 'node:fs'
import type { ValidationProblem } from '../core/error.js'
import { byLocale, type Locale, type Translated } from '../core/locale.js'
import type catalog from './en.json'

type Catalog = Readonly<typeof catalog>

/** As they stand in the files; the test of this file checks that the keys and their data are the same in all of them. */
export const CATALOGS = byLocale(
  (locale): Catalog => JSON.parse(readFileSync(new URL(`./${locale}.json`, import.meta.url), 'utf8')),
)

export type MessageKey = keyof (Catalog['page'] & Catalog['portal'] & Catalog['mail'])

export function isMessageKey(key: string): key is MessageKey {
  const { page, portal, mail } = CATALOGS.en
  return key in page || key in portal || key in mail
}

const MESSAGES = byLocale((locale) => {
  const { page, portal, mail } = CATALOGS[locale]
  return typesetAll<MessageKey>({ ...page, ...portal, ...mail }, locale)
})

/** Texts by their keys, as they are printed in this language. */
export function typesetAll<Key extends string>(
  texts: Readonly<Record<Key, string>>,
  locale: Locale,
): Readonly<Record<Key, string>> {
  const typesetOnes = Object.entries<string>(texts).map(([key, text]) => [key, typeset(text, locale)])
  return Object.fromEntries(typesetOnes)
}

export type Say = (key: MessageKey, data?: Readonly<Record<string, string>>) => string

/** The catalog in one language; any sentence may name the seller and their telephone number. */
export function sayFor(seller: { readonly name: Translated; readonly phone: string }, locale: Locale): Say {
  return sayIn(locale, { seller: seller.name[locale], phone: phoneInWords(seller.phone, locale) })
}

/** The catalog in one language. `always`: data that any sentence may name. Throws where data is missing: a caller's bug. */
export function sayIn(locale: Locale, always: Readonly<Record<string, string>> = {}): Say {
  return (key, data = {}) => {
    const text = MESSAGES[locale][key]
    return text.includes('{') ? fill({ key, text, locale }, data, always) : text
  }
}

/** What is wrong with one field, with its bound where that is known. */
export function problemInWords({ code, bound }: ValidationProblem, locale: Locale): string {
  const { fieldProblem, fieldBound } = CATALOGS[locale]
  if (bound === undefined || (code !== 'too_small' && code !== 'too_large')) return fieldProblem[code]
  return fill({ key: code, text: fieldBound[code], locale }, { bound: String(bound) })
}

type Data = Readonly<Record<string, string>>

/** Puts the data into a text of the catalog. Throws where some is missing: a caller's bug. */
export function fill(
  { key, text, locale }: { readonly key: string; readonly text: string; readonly locale: Locale },
  data: Data,
  always: Data = {},
): string {
  let filled = ''
  for (const [index, part] of partsOf(text).entries()) {
    const value = index % 2 === 0 ? part : (data[part] ?? always[part])
    if (value === undefined) throw new Error(`the message ${key} has no ${part}`)
    // Isolated (U+2068 … U+2069): a Latin name in an Arabic sentence turns nothing around it.
    filled += index % 2 === 1 && locale === 'ar' ? `\u2068${value}\u2069` : value
  }
  return filled
}

/** Of each text of the catalog that was filled: finding its names each time takes a tenth of the time of a portal. */
const splitTexts = new Map<string, readonly string[]>()

/** Words and names in turns. */
function partsOf(text: string): readonly string[] {
  const known = splitTexts.get(text)
  if (known) return known
  const parts = text.split(/\{(\w+)\}/)
  splitTexts.set(text, parts)
  return parts
}

/**
 * A figure and its unit stay on one line (`30 minutes`, `{seconds} s`), and so does `n° {number}`. In French a space stands before
 * these marks, and a line must not begin with one of them.
 */
function typeset(sentence: string, locale: Locale): string {
  const whole = sentence
    .replace(/(\d) (?=\p{L})/gu, '$1\u00a0')
    .replace(/(\}) (?=(s|ث)(?!\p{L}))/gu, '$1\u00a0')
    .replace(/([nN]°) /g, '$1\u00a0')
  return locale === 'fr' ? whole.replace(/ ([:;!?])/g, '\u00a0$1') : whole
}

/** By the wire's `payment_method`. */
const INSTRUMENTS = byLocale((locale) => {
  const { receipt: words } = CATALOGS[locale]
  return new Map([
    ['edahabia', words.edahabia],
    ['cib', words.cib],
    ['ccp', words.ccp],
    ['baridimob', words.baridimob],
    ['bank_transfer', words.bank_transfer],
    ['cash', words.cash],
    ['cheque', words.cheque],
  ])
})

/** How it was paid. A word of the provider that is not known yet stands as it is: it is a fact about money. */
export function instrumentName(instrument: string, locale: Locale): string {
  return INSTRUMENTS[locale].get(instrument) ?? instrument.toUpperCase()
}

export function directionOf(locale: Locale): 'rtl' | 'ltr' {
  return locale === 'ar' ? 'rtl' : 'ltr'
}

/** Never broken over two lines, and from left to right among Arabic words, where its groups would be reversed. */
export function phoneInWords(phone: string, locale: Locale): string {
  const unbroken = phone.replaceAll(' ', '\u00a0')
  return locale === 'ar' ? `\u2066${unbroken}\u2069` : unbroken
}

/** The seed names its free plan in English; every other name stands as it was configured. */
export function planName(name: string, locale: Locale): string {
  return name === 'Free' ? CATALOGS[locale].page.freePlan : name
}
