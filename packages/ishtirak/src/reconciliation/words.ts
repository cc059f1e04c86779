// The texts of the reconciliation, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly reconciliation: typeof en
  }
}

export const reconciliationWords = addWords<'reconciliation'>(import.meta.url)
