// The texts of balances, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly balance: typeof en
  }
}

export const balanceWords = addWords<'balance'>(import.meta.url)
