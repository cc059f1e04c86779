// The texts of checkout, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly checkout: typeof en
  }
}

export const checkoutWords = addWords<'checkout'>(import.meta.url)
