// The texts of proformas, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly proformas: typeof en
  }
}

addWords<'proformas'>(import.meta.url)
