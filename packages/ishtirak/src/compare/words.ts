// The texts of compare, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly compare: typeof en
  }
}

export const compareWords = addWords<'compare'>(import.meta.url)
