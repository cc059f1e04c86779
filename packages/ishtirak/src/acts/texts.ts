// The texts of an act in the console, by the end of their keys. The audit trail says what was done by a third
// one, which has the whole name of the act: `did_user.grant`.
import { byLocale, type Locale } from '../core/locale.js'

/**
 * A title and a sentence under it, of the words of the act's own folder: they are loaded before the act is.
 */
type Named<Name extends string> = Readonly<Record<`act_${Name}` | `text_${Name}`, string>>

export function actTexts<Name extends string>(
  words: Readonly<Record<Locale, { readonly console: Named<Name> }>>,
  name: Name,
) {
  return {
    title: byLocale((locale) => words[locale].console[`act_${name}`]),
    text: byLocale((locale) => words[locale].console[`text_${name}`]),
  }
}
