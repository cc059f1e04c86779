// The texts of codes, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly codes: typeof en
  }
}

export const codesWords = addWords<'codes'>(import.meta.url)
