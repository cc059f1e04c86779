// The texts of an act in the console, by the end of their keys.
import { byLocale } from '../core/locale.js'
import { CONSOLE_TEXTS, type ConsoleKey } from '../i18n/console.js'

type Named<Prefix extends string> = ConsoleKey extends infer Key
  ? Key extends `${Prefix}_${infer Name}`
    ? Name
    : never
  : never

/** Those that have a title and a sentence under it. */
export type ActTextName = Named<'act'> & Named<'text'>

export function actTexts(name: ActTextName) {
  return {
    title: byLocale((locale) => CONSOLE_TEXTS[locale][`act_${name}`]),
    text: byLocale((locale) => CONSOLE_TEXTS[locale][`text_${name}`]),
  }
}
