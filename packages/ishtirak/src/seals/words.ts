// The texts of sealed books, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly seals: typeof en
  }
}

addWords<'seals'>(import.meta.url)
