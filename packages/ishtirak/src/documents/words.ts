// The texts of receipts, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly receipts: typeof en
  }
}

export const receiptsWords = addWords<'receipts'>(import.meta.url)
