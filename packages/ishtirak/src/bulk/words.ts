// The texts of acts on many, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly bulk: typeof en
  }
}

export const bulkWords = addWords<'bulk'>(import.meta.url)
