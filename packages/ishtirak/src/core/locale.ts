// The languages of Ishtirak. Arabic comes first, because it is most payers' first language.

export const LOCALES = ['ar', 'fr', 'en'] as const
export type Locale = (typeof LOCALES)[number]
export type Translated = Readonly<Record<Locale, string>>

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value)
}

/** `fr-DZ` is `fr`. Other languages are undefined. */
export function localeOf(tag: string | undefined): Locale | undefined {
  return LOCALES.find((locale) => tag?.toLowerCase().split('-')[0] === locale)
}

export function byLocale<Value>(make: (locale: Locale) => Value): Readonly<Record<Locale, Value>> {
  // The object has one entry for each of LOCALES, so it is complete.
  return Object.fromEntries(LOCALES.map((locale) => [locale, make(locale)])) as Record<Locale, Value>
}
