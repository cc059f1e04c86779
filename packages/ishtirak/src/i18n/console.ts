// The texts of the console, for operators. Users never see them.
import type { Locale } from '../core/locale.js'
import { fill } from './messages.js'
import { hasText, type KeyOf, textOf } from './words.js'

export type ConsoleKey = KeyOf<'console'>

export function isConsoleKey(key: string): key is ConsoleKey {
  return hasText('operator', key)
}

export type SayConsole = (key: ConsoleKey, data?: Readonly<Record<string, string>>) => string

/** Throws if data is missing, which is a bug of the caller. */
export function consoleSay(locale: Locale): SayConsole {
  return (key, data = {}) => fill({ key, text: textOf('operator', locale, key), locale }, data)
}
