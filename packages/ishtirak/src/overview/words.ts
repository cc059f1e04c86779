// The texts of overview, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly overview: typeof en
  }
}

addWords<'overview'>(import.meta.url)
