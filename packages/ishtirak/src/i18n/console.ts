// The texts of the console, in files of their own: operators read them, users never do.
import { readFileSync } from 'node:fs'
import { byLocale, type Locale } from '../core/locale.js'
import type texts from './console/en.json'
import { fill, typesetAll } from './messages.js'

type Texts = Readonly<typeof texts>
export type ConsoleKey = keyof Texts

/** As they stand in the files, with the same keys and data in all of them. */
export const CONSOLE_TEXTS = byLocale(
  (locale): Texts => JSON.parse(readFileSync(new URL(`./console/${locale}.json`, import.meta.url), 'utf8')),
)

export function isConsoleKey(key: string): key is ConsoleKey {
  return Object.hasOwn(CONSOLE_TEXTS.en, key)
}

const TYPESET = byLocale((locale) => typesetAll<ConsoleKey>(CONSOLE_TEXTS[locale], locale))

export type SayConsole = (key: ConsoleKey, data?: Readonly<Record<string, string>>) => string

/** Throws where data is missing: a caller's bug. */
export function consoleSay(locale: Locale): SayConsole {
  return (key, data = {}) => fill({ key, text: TYPESET[locale][key], locale }, data)
}
