// The texts of bank statements, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly bankStatements: typeof en
  }
}

export const bankStatementsWords = addWords<'bankStatements'>(import.meta.url)
