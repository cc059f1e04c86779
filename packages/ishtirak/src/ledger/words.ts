// The texts of ledger, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly ledger: typeof en
  }
}

export const ledgerWords = addWords<'ledger'>(import.meta.url)
