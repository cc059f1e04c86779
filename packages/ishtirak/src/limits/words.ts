// The texts of limits, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly limits: typeof en
  }
}

addWords<'limits'>(import.meta.url)
