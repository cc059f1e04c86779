// The languages that Ishtirak speaks. Arabic first: it is the first language of those who pay.

export const LOCALES = ['ar', 'fr', 'en'] as const
export type Locale = (typeof LOCALES)[number]
export type Translated = Readonly<Record<Locale, string>>

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value)
}

/** `fr-DZ` is `fr`; what we do not speak is undefined. */
export function localeOf(tag: string | undefined): Locale | undefined {
  return LOCALES.find((locale) => tag?.toLowerCase().split('-')[0] === locale)
}

export function byLocale<Value>(make: (locale: Locale) => Value): Readonly<Record<Locale, Value>> {
  // One entry for each of LOCALES, which is all there is of Locale.
  return Object.fromEntries(LOCALES.map((locale) => [locale, make(locale)])) as Record<Locale, Value>
}
